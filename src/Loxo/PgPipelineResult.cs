using System.Runtime.ExceptionServices;
using Loxo.Commands;
using Loxo.Session;

namespace Loxo;

/// <summary>The result of something that was added to a <see cref="PgPipeline"/>. One caller at a time waits for it.</summary>
public abstract class PgPipelineResult
{
    private int _state = State.Waiting;
    private bool _isCancelled;
    private ExceptionDispatchInfo? _error;

    private protected PgPipelineResult(PgPipeline pipeline) => Pipeline = pipeline;

    /// <summary>The place in the pipeline, from 1; 0 as long as it has none.</summary>
    internal long Number { get; set; }

    /// <summary>Whether its messages have been written.</summary>
    internal bool IsWritten { get; set; }

    /// <summary>Why it could not be written, or did not arrive; null if nothing is known.</summary>
    internal Exception? Error => _error?.SourceException;

    /// <summary>Milliseconds that each wait may last.</summary>
    internal virtual int TimeoutMilliseconds => Pipeline.Queue.TimeoutMilliseconds;

    private protected PgPipeline Pipeline { get; }

    /// <summary>Blocks until the result has arrived. What was added before it is sent if it has not been.</summary>
    /// <exception cref="PostgresException">The command failed.</exception>
    /// <exception cref="PgException">
    /// The command was skipped (<see cref="PgErrorCode.PipelineAborted"/>), its time is over, or the connection was lost.
    /// </exception>
    /// <exception cref="InvalidOperationException">
    /// The pipeline was disposed before, or another caller is waiting for the result.
    /// </exception>
    public void Wait()
    {
        if (!TryBegin())
            return;
        try
        {
            Pipeline.Queue.BeforeWait(this);
            _error?.Throw(); // it could not be written
            Receive();
        }
        catch (Exception e)
        {
            if (TryExplain(e, isCancelled: false) is { } explained)
                throw explained;
            throw;
        }
        _state = State.Arrived;
    }

    /// <inheritdoc cref="Wait"/>
    /// <param name="cancellationToken">Has the effect of <see cref="Cancel"/>.</param>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public async Task WaitAsync(CancellationToken cancellationToken = default)
    {
        if (!TryBegin())
            return;
        try
        {
            if (cancellationToken.IsCancellationRequested)
                Cancel();
            cancellationToken.ThrowIfCancellationRequested();
            await Pipeline.Queue.BeforeWaitAsync(this, cancellationToken).ConfigureAwait(false);
            _error?.Throw(); // it could not be written
            await ReceiveAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            if (TryExplain(e, cancellationToken.IsCancellationRequested) is { } explained)
                throw explained;
            throw;
        }
        _state = State.Arrived;
    }

    /// <summary>
    /// Gives the result up: a caller that waits for it gets an <see cref="OperationCanceledException"/>. If that caller blocks and receives
    /// for the others as well, it gets it with the next message. The server is asked to stop only if every other result that is still to
    /// come has been given up, because it would stop whatever it runs at that moment; otherwise the command may run. A command that has
    /// not been sent yet, because something has to be looked up first, is not sent, and its group fails.
    /// </summary>
    public void Cancel()
    {
        Volatile.Write(ref _isCancelled, true);
        GiveUp();
    }

    /// <summary>Writes the messages. False if types have to be looked up first.</summary>
    internal abstract bool TryWrite(CommandQueue queue);

    /// <summary>It is written later: what its caller may change until then is copied.</summary>
    /// <returns>The copy takes about so many bytes of memory.</returns>
    internal virtual long KeepValues() => 0;

    /// <summary>Whether it has a span that has not ended.</summary>
    internal virtual bool IsTraced => false;

    /// <summary>Ends the span of a command whose result nobody has read to its end: the pipeline has ended.</summary>
    internal virtual void EndTrace()
    {
    }

    /// <summary>It could not be written, or did not arrive.</summary>
    internal virtual void Fail(Exception error)
    {
        _error = ExceptionDispatchInfo.Capture(error);
        Volatile.Write(ref _state, State.Arrived);
    }

    private protected abstract void GiveUp();

    private protected abstract void Receive();

    private protected abstract ValueTask ReceiveAsync(CancellationToken token);

    /// <summary>What the error means for this result; null if the error says it.</summary>
    private protected virtual Exception? Explain(Exception error) => null;

    // The result has failed. The error to throw in the place of that one; null for itself.
    private Exception? TryExplain(Exception error, bool isCancelled)
    {
        var explained = Explain(error);
        if (error is OperationCanceledException && !isCancelled && Pipeline.Queue.HasEnded && !Volatile.Read(ref _isCancelled))
            explained ??= new InvalidOperationException(PipelineQueue.Disposed, error);
        Fail(explained ?? error);
        return explained;
    }

    // False if it has arrived already.
    private bool TryBegin()
    {
        Pipeline.Queue.CheckNotHandling();
        switch (Interlocked.CompareExchange(ref _state, State.Running, State.Waiting))
        {
            case State.Waiting:
                return true;
            case State.Running:
                throw new InvalidOperationException("Another caller is waiting for this result.");
            default:
                _error?.Throw();
                return false;
        }
    }

    private static class State
    {
        public const int Waiting = 0;
        public const int Running = 1;
        public const int Arrived = 2;
    }
}

/// <summary>The result of a command that was added to a <see cref="PgPipeline"/>. One caller at a time waits for it.</summary>
/// <typeparam name="T">The result's type.</typeparam>
public abstract class PgPipelineResult<T> : PgPipelineResult
{
    private protected PgPipelineResult(PgPipeline pipeline)
        : base(pipeline)
    {
    }

    private protected T Value { get; set; } = default!;

    /// <summary>Blocks until the result has arrived. Later calls return the same one.</summary>
    /// <inheritdoc cref="PgPipelineResult.Wait"/>
    public T GetResult()
    {
        Wait();
        return Value;
    }

    /// <inheritdoc cref="GetResult"/>
    /// <param name="cancellationToken">Has the effect of <see cref="PgPipelineResult.Cancel"/>.</param>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    public async Task<T> GetResultAsync(CancellationToken cancellationToken = default)
    {
        await WaitAsync(cancellationToken).ConfigureAwait(false);
        return Value;
    }
}
