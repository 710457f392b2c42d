using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;

namespace Loxo.Session;

/// <summary>
/// START_REPLICATION: the server sends the write-ahead log, or the changes decoded from it, until either side ends the copy.
/// F: Query, then CopyData*, CopyDone
/// B: W d* c [T D] C* Z; T D C Z where nothing is left of the timeline; E Z at any place
/// </summary>
/// <remarks>
/// Behind its own CopyDone the server goes on sending the transaction that it is decoding (WalSndWriteData, walsender.c). When it shuts
/// down, CommandComplete comes without CopyDone, and then the end of the stream (WalSndDone).
/// </remarks>
internal sealed class WalExchange : MessageExchange, ISkippable
{
    private readonly ServerSession _session;
    private Step _step;

    /// <summary>Writes the command; the session must have been claimed.</summary>
    public WalExchange(ServerSession session, string command)
        : base(session.Owner)
    {
        _session = session;
        session.Output.WriteQuery(command);
        session.Wire.Enqueue(this);
    }

    private enum Step : byte
    {
        Starting,
        Streaming,

        /// <summary>CopyDone, the row that names the next timeline, or an error has come.</summary>
        ServerDone,
    }

    /// <summary>Whether the server sends.</summary>
    public bool IsStreaming => _step == Step.Streaming;

    /// <summary>CopyDone has been written: what still arrives is skipped.</summary>
    public bool IsEnding { get; set; }

    /// <summary>Whether it stops at messages that are skipped, too: the caller has to know what the server thinks it knows.</summary>
    public bool ShowsSkipped { get; set; }

    /// <summary>The server's error, or null.</summary>
    public ServerErrorFields? Error { get; private set; }

    /// <inheritdoc/>
    public long BytesToSkip { get; set; } = long.MaxValue;

    public override PgException? OnEndOfStream() => Error is null ? null : SessionErrors.FromServer(Error, _session.Context);

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.CopyData when _step != Step.Starting && IsEnding && !ShowsSkipped:
                return (BytesToSkip -= message.Body.Length) < 0 ? Progress.Row : Progress.NeedMore;
            case BackendMessageType.CopyData when _step == Step.Streaming || (_step != Step.Starting && IsEnding):
                return Progress.Row;
            case BackendMessageType.CopyBothResponse when _step == Step.Starting:
                _step = Step.Streaming;
                return Progress.ResultEnd;
            case BackendMessageType.CopyDone when _step == Step.Streaming:
                _step = Step.ServerDone;
                return IsEnding ? Progress.NeedMore : Progress.ResultEnd;
            case BackendMessageType.RowDescription when _step != Step.Streaming:
                return Progress.NeedMore;
            case BackendMessageType.DataRow when _step != Step.Streaming:
                _step = Step.ServerDone;
                return Progress.NeedMore;
            case BackendMessageType.CommandComplete:
                return Progress.NeedMore;
            case BackendMessageType.ErrorResponse:
                _step = Step.ServerDone;
                Error ??= new ErrorOrNotice(message.Body).ToFields();
                return Progress.NeedMore;
            case BackendMessageType.ReadyForQuery when _step != Step.Streaming:
                _session.TransactionStatus = new ReadyForQuery(message.Body).Status;
                return Progress.Done;
            default:
                throw ProtocolErrors.UnexpectedMessage(IsStreaming ? "CopyData" : "the answer to START_REPLICATION", message.Type);
        }
    }
}
