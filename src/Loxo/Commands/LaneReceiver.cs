using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Session;

namespace Loxo.Commands;

/// <summary>Receives for the commands of the lane; it stops when callers are to be resumed.</summary>
internal sealed class LaneReceiver(Lane lane) : MessageExchange(lane.Session.Owner)
{
    private ServerErrorFields? _error;

    public override bool StopsWhenIdle => lane.HasArrived || lane.Session.Wire.Flights.IsBlocked;

    // Nothing is due. Only the thread that receives knows that none receives into the memory of the last large value.
    public override Progress Advance(MessageReader messages)
    {
        var progress = base.Advance(messages);
        lane.Session.Wire.Shrink();
        return progress;
    }

    public override PgException? OnEndOfStream() =>
        _error is null ? null : SessionErrors.FromServer(_error, lane.Session.Context);

    protected override Progress On(BackendMessage message)
    {
        if (message.Type != BackendMessageType.ErrorResponse)
            throw ProtocolErrors.UnexpectedMessage("nothing", message.Type);
        _error ??= new ErrorOrNotice(message.Body).ToFields();
        return Progress.NeedMore;
    }
}
