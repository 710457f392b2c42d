using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>
/// Ends a group of exchanges, or absorbs a late cancel signal, whose error belongs to no command.
/// F: Sync / B: [E] Z
/// </summary>
internal sealed class SyncExchange : MessageExchange
{
    private readonly ServerSession _session;
    private readonly long _group;
    private string? _refusedBegin;

    /// <summary>Writes Sync; the session must have been begun.</summary>
    public SyncExchange(ServerSession session)
        : base(session.Owner, new ExpectedReplies())
    {
        _session = session;
        _group = session.Groups.Current;
        session.Groups.End();
        new RequestWriter(session.Output, Expected).Sync();
        session.Wire.Enqueue(this);
    }

    /// <summary>
    /// The error of the implicit transaction's commit, or the reason why the server closed the connection; null for none. A cancel signal
    /// is no error.
    /// </summary>
    public ServerErrorFields? Error { get; private set; }

    public override PgException? OnEndOfStream() => Error is null ? null : SessionErrors.FromServer(Error, _session.Context);

    /// <summary>Called with it, under the gate of the wire, when the server is ready; null for nobody.</summary>
    public Action<SyncExchange>? WhenEnded { get; set; }

    /// <summary>Whether the server has reported a cancel signal: nobody knows whether it has committed the group.</summary>
    public bool WasCancelled { get; private set; }

    /// <summary>Whether somebody waits for it; otherwise a cancel request may hit the commands in front of it.</summary>
    public bool IsAwaited { get; set; }

    /// <summary>Why its caller has given it up; the server goes on unless it was asked to stop.</summary>
    public StopReason GivenUpFor { get; private set; }

    /// <summary>Wakes the caller that waits for it; null for none, or one that cannot give it up.</summary>
    public Turn? Turn { get; set; }

    /// <summary>The exchange of the group whose error has undone the group; null for none.</summary>
    public Exchange? Failed { get; private set; }

    // ReadyForQuery is all that is due anyway.
    public override bool SkipAfter(Exchange failed)
    {
        Failed = failed;
        _refusedBegin = (failed as CommandExchange)?.Query.RefusedBegin;
        return true;
    }

    public override void Ended() => WhenEnded?.Invoke(this);

    /// <summary>Whether the connection was lost when it may have been sent.</summary>
    public bool MayHaveRun { get; private set; }

    public override void Lost(bool mayHaveRun) => MayHaveRun = mayHaveRun;

    /// <summary>Its caller wants no more of it, and is woken. Called under the gate of the wire.</summary>
    public void GiveUp(StopReason reason)
    {
        if (GivenUpFor == StopReason.None)
            GivenUpFor = reason;
        IsAwaited = false;
        Turn?.End();
    }

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.ErrorResponse:
                var error = new ErrorOrNotice(message.Body).ToFields();
                if (error.SqlState == SqlStates.QueryCanceled)
                    WasCancelled = true;
                else
                    Error ??= error;
                return Progress.NeedMore;
            case BackendMessageType.ReadyForQuery:
                _session.Ready(new ReadyForQuery(message.Body).Status, isLast: _session.Wire.Flights.Count <= 1);
                _session.Groups.Answered(_group);
                _session.BeginAgain(_refusedBegin);
                return Progress.Done;
            default:
                throw ProtocolErrors.UnexpectedMessage("ReadyForQuery", message.Type);
        }
    }
}
