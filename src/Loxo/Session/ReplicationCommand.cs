using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;

namespace Loxo.Session;

/// <summary>
/// A command of the replication protocol (manual, "Streaming Replication Protocol"), whose rows are kept.
/// F: Query / B: [T D*] C Z, or E Z
/// </summary>
internal sealed class ReplicationCommand : MessageExchange
{
    private readonly ServerSession _session;
    private readonly List<byte[]?[]> _rows = [];

    /// <summary>Writes the command; the session must have been claimed.</summary>
    public ReplicationCommand(ServerSession session, string command)
        : base(session.Owner)
    {
        _session = session;
        session.Output.WriteQuery(command);
        session.Wire.Enqueue(this);
    }

    /// <summary>The columns of each row in text format; null for NULL.</summary>
    public IReadOnlyList<byte[]?[]> Rows => _rows;

    /// <summary>The server's error, or null.</summary>
    public ServerErrorFields? Error { get; private set; }

    public override PgException? OnEndOfStream() => Error is null ? null : SessionErrors.FromServer(Error, _session.Context);

    private static byte[]?[] ColumnsOf(DataRow row)
    {
        var columns = new byte[]?[row.Count];
        for (var i = 0; row.TryReadNext(out var column); i++)
            columns[i] = column.IsNull ? null : column.Value.ToArray();
        return columns;
    }

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.DataRow:
                _rows.Add(ColumnsOf(new DataRow(message.Body)));
                return Progress.NeedMore;
            case BackendMessageType.RowDescription or BackendMessageType.CommandComplete:
                return Progress.NeedMore;
            case BackendMessageType.ErrorResponse:
                Error ??= new ErrorOrNotice(message.Body).ToFields();
                return Progress.NeedMore;
            case BackendMessageType.ReadyForQuery:
                _session.TransactionStatus = new ReadyForQuery(message.Body).Status;
                return Progress.Done;
            default:
                throw ProtocolErrors.UnexpectedMessage("the answer to a replication command", message.Type);
        }
    }
}
