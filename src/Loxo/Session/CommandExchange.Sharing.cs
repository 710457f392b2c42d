using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Transport;

namespace Loxo.Session;

/// <content>What a command does because it shares its session with the others of a <see cref="CommandQueue"/>.</content>
internal sealed partial class CommandExchange
{
    private CommandQueue? _queue;
    private bool _endsGroup = true;
    private CollectedRows? _collected;

    /// <summary>Lets its caller wait while another one receives; null for a command that does not share its session.</summary>
    public Turn? Turn { get; private set; }

    /// <summary>Why its caller has given it up; its statements may run, and their results are skipped.</summary>
    public StopReason GivenUpFor { get; private set; }

    /// <summary>Whether the server may have run any of it although the connection was lost; null while it was not.</summary>
    public bool? MayHaveRun { get; private set; }

    public override bool HasFailedGroup => !_endsGroup && (Query.Error is not null || Query.IsSkipped);

    public override bool IsFull => _collected is { IsFull: true } && GivenUpFor == StopReason.None;

    /// <summary>
    /// Writes the first flight behind those of other commands. False if something has to be looked up first and that would change the
    /// order; nothing has been written then.
    /// </summary>
    /// <param name="queue">The commands that share the session.</param>
    /// <param name="source">The statements.</param>
    /// <param name="mode">How the results are treated.</param>
    /// <param name="endsGroup">Whether a Sync is written behind the statements.</param>
    public bool TryStart(CommandQueue queue, IStatementSource source, ResultMode mode, bool endsGroup)
    {
        (_source, _mode, _queue, _endsGroup) = (source, mode, queue, endsGroup);
        Turn = new Turn();
        _collected = (mode & ResultMode.Collect) != 0 ? new CollectedRows(queue.MostCollected) : null;
        return Write();
    }

    /// <summary>Skips the rest of the command for its caller. Called under the gate of the wire.</summary>
    public void GiveUp(StopReason reason)
    {
        GivenUpFor = reason;
        Query.SkipResults = true;
    }

    public override Progress Replay()
    {
        if (GivenUpFor != StopReason.None)
            return Progress.Done;
        if (_collected is null || _collected.Next() is not (not Progress.NeedMore and var progress))
            return base.Replay();
        Rows.ReadFrom(_collected.Reading);
        return progress;
    }

    public override bool Skip() => Query.Skip();

    // It may have two flights.
    public override void Lost(bool mayHaveRun) => MayHaveRun = MayHaveRun == true || mayHaveRun;

    // It goes on until its memory is full. Then the row stays in front, and nothing behind it is read.
    private Progress Collect(Progress progress, MessageReader messages)
    {
        while (progress is Progress.Row or Progress.ResultEnd)
        {
            if (IsFull)
                return Progress.NeedMore;
            if (progress == Progress.Row)
                _collected!.AddRow(Query.Result!, messages);
            else
                _collected!.AddEnd(Query.Result!);
            progress = AdvanceStep(messages);
        }
        return progress;
    }

    // Whether another flight may follow those that are queued by now.
    private bool MayWriteAgain => GivenUpFor == StopReason.None && _endsGroup
        && (_queue is not { KeepsOrder: true } || Session.Wire.Flights.Count <= 1);

    // A lookup ends the group that it is written into, and what is written after it comes behind the commands that are queued by then.
    private bool CanLookUpFirst => _endsGroup && (_queue is not { KeepsOrder: true } || Session.Wire.Flights.Count == 0);
}
