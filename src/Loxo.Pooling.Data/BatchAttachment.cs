using System.Data.Common;

namespace Loxo.Pooling.Data;

internal sealed class BatchAttachment(DbBatch inner) : Attachment
{
    protected override string Kind => "batch";

    protected override DbConnection? InnerConnection { get => inner.Connection; set => inner.Connection = value; }

    protected override DbTransaction? InnerTransaction { get => inner.Transaction; set => inner.Transaction = value; }

    protected override void CancelInner() => inner.Cancel();

    protected override void DisposeInner() => inner.Dispose();
}
