using System.Threading.Tasks.Sources;

namespace Loxo.Benchmarks.Peers.Floor;

/// <summary>A caller's query under way, awaited without an allocation: one for each caller, used again for its next query.</summary>
/// <param name="hops">Whether the caller goes on in the thread pool; else it goes on inside <see cref="Complete"/>.</param>
internal sealed class FloorOperation(bool hops) : IValueTaskSource<long>
{
    private ManualResetValueTaskSourceCore<long> _source = new() { RunContinuationsAsynchronously = hops };

    /// <summary>Begins the next query.</summary>
    public ValueTask<long> Start()
    {
        _source.Reset();
        return new ValueTask<long>(this, _source.Version);
    }

    public void Complete(long sum) => _source.SetResult(sum);

    public void Fail(Exception exception) => _source.SetException(exception);

    public long GetResult(short token) => _source.GetResult(token);

    public ValueTaskSourceStatus GetStatus(short token) => _source.GetStatus(token);

    public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);
}
