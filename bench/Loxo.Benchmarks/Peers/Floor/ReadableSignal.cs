using System.Threading.Tasks.Sources;

namespace Loxo.Benchmarks.Peers.Floor;

/// <summary>"There is something to receive", for one waiter: set by the reactor, awaited by the caller, without an allocation.</summary>
/// <param name="hops">Whether the waiter goes on in the thread pool; else it goes on inside <see cref="Set"/>, on the reactor's thread.</param>
internal sealed class ReadableSignal(bool hops) : IValueTaskSource
{
    private const int None = 0;
    private const int IsSet = 1;
    private const int IsAwaited = 2;
    private ManualResetValueTaskSourceCore<bool> _source = new() { RunContinuationsAsynchronously = hops };
    private int _state;

    public ValueTask WaitAsync()
    {
        _source.Reset();
        if (Interlocked.CompareExchange(ref _state, IsAwaited, None) == None)
            return new ValueTask(this, _source.Version);
        Volatile.Write(ref _state, None);
        return default;
    }

    public void Set()
    {
        // Once awaited it stays so until it is set here; nobody else sets it.
        if (Interlocked.CompareExchange(ref _state, IsSet, None) != IsAwaited)
            return;
        Volatile.Write(ref _state, None);
        _source.SetResult(true);
    }

    public void GetResult(short token) => _source.GetResult(token);

    public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);
}
