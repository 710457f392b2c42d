using System.Data.Common;

namespace Loxo;

public partial class PgException
{
    private PgBatchCommand? _batchCommand;

    /// <summary>The statement of a batch that failed, if <c>Include Failed Batched Command=true</c>; else null.</summary>
    public new PgBatchCommand? BatchCommand => _batchCommand;

    /// <inheritdoc/>
    protected override DbBatchCommand? DbBatchCommand => _batchCommand;

    internal void Failed(PgBatchCommand command) => _batchCommand = command;
}
