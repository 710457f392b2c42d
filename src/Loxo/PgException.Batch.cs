namespace Loxo;

// The exception itself is in Errors, which knows no type of commands: this is its only member that names one.
public partial class PgException
{
    /// <summary>The statement of a batch that failed, if <c>Include Failed Batched Command=true</c>; else null.</summary>
    public new PgBatchCommand? BatchCommand { get => (PgBatchCommand?)FailedCommand; set => FailedCommand = value; }
}
