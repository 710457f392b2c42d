using System.Text;
using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Session;

/// <summary>
/// A command of ours without parameters or rows: COMMIT, ROLLBACK, SAVEPOINT and the like. A BEGIN that is due goes in front. A session
/// has one object for all of them, one after the other.
/// F: Query / B: [C] C Z, or E Z
/// </summary>
internal sealed class SimpleCommand : MessageExchange
{
    private readonly ServerSession _session;

    public SimpleCommand(ServerSession session)
        : base(session.Owner, new ExpectedReplies()) => _session = session;

    /// <summary>The server's error, or null.</summary>
    public ServerErrorFields? Error { get; private set; }

    /// <summary>The tag of the last command, as <c>COMMIT</c>.</summary>
    public string Tag { get; private set; } = "";

    /// <summary>
    /// The server has committed, and nothing that comes behind the tag undoes it: between CommandComplete and ReadyForQuery the server
    /// delivers notifications, which may fail or be terminated (ProcessNotifyInterrupt, async.c).
    /// </summary>
    public bool HasCommitted => Tag == "COMMIT";

    /// <summary>Writes a command; the session must have been claimed.</summary>
    /// <param name="sql">One statement.</param>
    /// <param name="begin">The BEGIN in front of it; null for none.</param>
    /// <returns>This object, whose results are those of this command until the session is free again.</returns>
    public SimpleCommand Start(string sql, string? begin = null)
    {
        (Error, Tag) = (null, "");
        Expected.Clear();
        new RequestWriter(_session.Output, Expected).Query(begin is null ? sql : begin + "; " + sql, statements: begin is null ? 1 : 2);
        _session.Wire.Enqueue(this);
        return this;
    }

    public override PgException? OnEndOfStream() => Error is null ? null : SessionErrors.FromServer(Error, _session.Context);

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.CommandComplete:
                var complete = new CommandComplete(message.Body);
                Tag = complete.Tag.SequenceEqual("COMMIT"u8) ? "COMMIT" : Encoding.UTF8.GetString(complete.Tag);
                _session.Completed(complete.Tag);
                break;
            case BackendMessageType.ErrorResponse:
                Error ??= new ErrorOrNotice(message.Body).ToFields();
                break;
            case BackendMessageType.ReadyForQuery:
                _session.TransactionStatus = new ReadyForQuery(message.Body).Status;
                return Progress.Done;
            default:
                throw ProtocolErrors.UnexpectedMessage("CommandComplete", message.Type);
        }
        return Progress.NeedMore;
    }
}
