using Loxo.Protocol;
using Loxo.Session;

namespace Loxo.Commands;

/// <content>
/// What could not be written when it was added. A command that is never sent fails its group up to the caller's next Sync, as one does
/// that the server refuses.
/// </content>
internal sealed partial class PipelineQueue
{
    /// <summary>
    /// What has not been written is not sent at all: the command, or those in front of the end of a group. False if it has been written.
    /// </summary>
    public bool TryDrop(PgPipelineResult result, Exception? error = null)
    {
        lock (_gate)
        {
            if (result.IsWritten)
                return false;
            error ??= SessionErrors.StoppedBefore(StopReason.Cancel, CancellationToken.None);
            if (result is not PipelinedSync)
                Drop(result, error);
            else
                DropUpTo(result, error);
            return true;
        }
    }

    private void Delay(PgPipelineResult result)
    {
        if (_kept > MostUnsent)
            throw new InvalidOperationException(TooMuchUnsent);
        var size = result.KeepValues();
        _kept += size;
        _delayed.Enqueue((result, size));
    }

    private static void Drop(PgPipelineResult result, Exception error)
    {
        result.IsWritten = true;
        result.Fail(error);
    }

    private void DropUpTo(PgPipelineResult? sync, Exception error)
    {
        foreach (var (result, _) in _delayed.TakeWhile(other => !ReferenceEquals(other.Result, sync)))
        {
            if (result is { IsWritten: false } and not PipelinedSync)
                Drop(result, error);
        }
    }

    // The pipeline ends without them.
    private void DropDelayed(Exception error)
    {
        lock (_gate)
        {
            if (_delayed.Count == 0)
                return;
            DropUpTo(null, error);
            _delayed.Clear();
            if (GroupIsDue)
                _dropped = error;
            else
                FailGroup(error);
        }
    }

    // What was dropped behind a group fails its transaction when that group is answered.
    private bool MustFailLate =>
        _dropped is not null && _session is { State: not SessionState.Broken, TransactionStatus: TransactionStatus.InTransaction };

    // A text that the server refuses goes in place of what is never sent, also while a cancel request is under way. In a broken session
    // nothing of the group can take effect.
    private void FailGroup(Exception error)
    {
        if (_commands is null || _session.State == SessionState.Broken)
            return;
        lock (_session.Wire.Gate)
        {
            var exchange = new CommandExchange(_session);
            exchange.TryStart(_commands, UndoingText.Instance, ResultMode.Skip, endsGroup: false);
            exchange.Undo(error);
            exchange.GiveUp(StopReason.Cancel); // nobody waits for it
        }
    }

    // The commands so far end with a Sync of the driver's, because a cancel request is under way; the caller's group goes on behind it.
    private Exception? FailSplitGroup()
    {
        lock (_gate)
        {
            if (_commands is null || _session.Groups.IsEmpty)
                return null;
            var error = SessionErrors.GroupCancelled();
            FailGroup(error);
            return error;
        }
    }

    private void BeginAgain(Exception? error)
    {
        lock (_gate)
        {
            Begin();
            if (error is not null)
                FailGroup(error);
        }
    }

    private void WriteDelayedFor(PgPipelineResult result)
    {
        try
        {
            WriteDelayed(result.TimeoutMilliseconds, result);
        }
        catch (Exception e)
        {
            TryDrop(result, e);
            throw;
        }
    }

    private async ValueTask WriteDelayedForAsync(PgPipelineResult result, CancellationToken token)
    {
        try
        {
            await WriteDelayedAsync(result.TimeoutMilliseconds, token, result).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            TryDrop(result, e);
            throw;
        }
    }

    // The result that the caller waits for; null at the end of the pipeline.
    private void WriteDelayed(int timeout, PgPipelineResult? result)
    {
        _writesDelayed.Wait();
        try
        {
            if (result is not null)
                CheckRuns();
            while (NextStep() is not Step.None and var step)
            {
                if (step == Step.Restart)
                {
                    var error = FailSplitGroup();
                    _commands?.End(timeout);
                    if (_commands is null || _session.ClaimUnsettled(Connection))
                        _session.Cancellation.Settle();
                    BeginAgain(error);
                }
                else if (step == Step.AwaitGroup)
                {
                    if (!_commands!.Await(_group!, timeout, isOwn: false))
                        throw NotAnswered(result, CancellationToken.None);
                }
                else if (_commands!.TryAddLookup(_unknownTypes) is { } lookup)
                {
                    _commands.Await(lookup, timeout);
                }
                else
                {
                    SpareSession.LookUp(_session, _unknownTypes, timeout);
                }
            }
        }
        finally
        {
            _writesDelayed.Release();
        }
    }

    private async ValueTask WriteDelayedAsync(int timeout, CancellationToken token, PgPipelineResult? result)
    {
        await _writesDelayed.WaitAsync(token).ConfigureAwait(false);
        try
        {
            if (result is not null)
                CheckRuns();
            while (NextStep() is not Step.None and var step)
            {
                if (step == Step.Restart)
                {
                    var error = FailSplitGroup();
                    if (_commands is not null)
                        await _commands.EndAsync(timeout).ConfigureAwait(false);
                    if (_commands is null || _session.ClaimUnsettled(Connection))
                        await _session.Cancellation.SettleAsync().ConfigureAwait(false);
                    BeginAgain(error);
                }
                else if (step == Step.AwaitGroup)
                {
                    if (!await _commands!.AwaitAsync(_group!, timeout, token, isOwn: false).ConfigureAwait(false))
                        throw NotAnswered(result, token);
                }
                else if (_commands!.TryAddLookup(_unknownTypes) is { } lookup)
                {
                    await _commands.AwaitAsync(lookup, timeout, token).ConfigureAwait(false);
                }
                else
                {
                    await SpareSession.LookUpAsync(_session, _unknownTypes, timeout, token).ConfigureAwait(false);
                }
            }
        }
        finally
        {
            _writesDelayed.Release();
        }
    }

    // The time is over, or the token is cancelled, before the group in front of the result is answered.
    private Exception NotAnswered(PgPipelineResult? result, CancellationToken token)
    {
        var reason = token.IsCancellationRequested ? StopReason.Cancel : StopReason.Timeout;
        return result is { IsWritten: false } and not PipelinedSync
            ? SessionErrors.StoppedBefore(reason, token)
            : SessionErrors.GroupGivenUp(reason, token, WasAsked);
    }

    // What is under way may have changed what names mean in this session, so that another one would not find the same types.
    private bool MustAskHere =>
        _group is { IsOver: false } && _session.Groups.IsEmpty && _session.PendingBegin is null && _session.Effects.HasOtherNames;

    // Writes what can be written, and says what has to be done before more can be.
    private Step NextStep()
    {
        lock (_gate)
        {
            if (_commands is null || _session.State == SessionState.Cancelling)
                return Step.Restart;
            while (_delayed.TryPeek(out var delayed))
            {
                var (result, size) = delayed;
                if (GroupIsDue)
                    return Step.AwaitGroup;
                try
                {
                    if (result.IsWritten)
                    {
                        FailGroup(result.Error!); // dropped
                        _written++;
                    }
                    else if (!TryWrite(result))
                    {
                        return MustAskHere ? Step.AwaitGroup : Step.LookUp;
                    }
                }
                catch (Exception) when (_session.State == SessionState.Cancelling)
                {
                    return Step.Restart;
                }
                catch (Exception e) when (!result.IsWritten)
                {
                    Drop(result, _session.BreakCause is { } cause ? SessionErrors.LostInQueue(cause, mayHaveRun: false) : e);
                    continue;
                }
                _delayed.Dequeue();
                _kept -= size;
            }
            return Step.None;
        }
    }

    /// <summary>What has to be awaited before more can be written.</summary>
    private enum Step
    {
        None,
        Restart,
        AwaitGroup,
        LookUp,
    }
}
