using System.Data.Common;

namespace Loxo.Pooling.Data;

/// <summary>Creates the objects of one data source.</summary>
internal sealed class PooledProviderFactory(PooledDataSource source) : DbProviderFactory
{
    public override bool CanCreateBatch => source.InnerFactory?.CanCreateBatch ?? source.Template.CanCreateBatch;

    public override DbConnection CreateConnection() => source.CreateConnection();

    public override DbCommand CreateCommand() => new PooledCommand(source.CreateInnerCommand());

    public override DbBatch CreateBatch() => new PooledBatch(source.CreateInnerBatch());

    public override DbBatchCommand CreateBatchCommand() => source.InnerFactory?.CreateBatchCommand()
        ?? throw new NotSupportedException("The provider has no factory: use CreateBatchCommand of a batch.");

    public override DbParameter? CreateParameter() =>
        source.InnerFactory is { } factory ? factory.CreateParameter() : source.CreateInnerCommand().CreateParameter();

    public override DbConnectionStringBuilder? CreateConnectionStringBuilder() => source.InnerFactory?.CreateConnectionStringBuilder();
}
