using System.Data.Common;

namespace Loxo;

/// <summary>
/// Makes the provider's objects for code that knows only <see cref="System.Data.Common"/>. Register it with
/// <c>DbProviderFactories.RegisterFactory("Loxo", PgFactory.Instance)</c>.
/// </summary>
public sealed class PgFactory : DbProviderFactory, IServiceProvider
{
    /// <summary>The one instance.</summary>
    [SuppressMessage("Usage", "CA2211", Justification = "DbProviderFactories looks for a public static field of this name.")]
    public static readonly PgFactory Instance = new();

    private PgFactory()
    {
    }

    /// <inheritdoc/>
    public override bool CanCreateBatch => true;

    /// <summary>Null: the factory offers no other services.</summary>
    /// <param name="serviceType">The service that is asked for.</param>
    public object? GetService(Type serviceType) => null;

    /// <inheritdoc/>
    public override bool CanCreateDataAdapter => true;

    /// <inheritdoc/>
    public override bool CanCreateCommandBuilder => true;

    /// <inheritdoc/>
    public override DbCommand CreateCommand() => new PgCommand();

    /// <inheritdoc/>
    public override DbConnection CreateConnection() => new PgConnection();

    /// <inheritdoc/>
    public override DbParameter CreateParameter() => new PgParameter();

    /// <inheritdoc/>
    public override DbConnectionStringBuilder CreateConnectionStringBuilder() => new PgConnectionStringBuilder();

    /// <inheritdoc/>
    public override DbBatch CreateBatch() => new PgBatch();

    /// <inheritdoc/>
    public override DbBatchCommand CreateBatchCommand() => new PgBatchCommand();

    /// <inheritdoc/>
    public override DbDataAdapter CreateDataAdapter() => new PgDataAdapter();

    /// <inheritdoc/>
    public override DbCommandBuilder CreateCommandBuilder() => new PgCommandBuilder();

    /// <inheritdoc/>
    /// <exception cref="ArgumentException">The connection string is malformed, or says too little to connect.</exception>
    public override DbDataSource CreateDataSource(string connectionString) => PgDataSource.Create(connectionString);
}
