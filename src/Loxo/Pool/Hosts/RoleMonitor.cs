using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Pool.Hosts;

/// <summary>
/// Asks the hosts for their roles in the background, so that opening a connection need not ask. It stops a few rounds after the last
/// connection was opened with a target.
/// </summary>
internal sealed class RoleMonitor : IDisposable
{
    // News is renewed before it is too old to be believed, and a host in doubt is asked soon.
    private const double Renew = 0.6;
    private const int RoundsWithoutNeed = 6;

    private static readonly TimeSpan _soon = TimeSpan.FromMilliseconds(500);

    private readonly HostGroup _group;
    private readonly TimeProvider _time;
    private readonly TimeSpan _interval;
    private readonly CancellationTokenSource _stopping = new();
    private readonly Lock _lock = new();
    private ITimer? _timer;
    private long _neededAt;
    private volatile bool _isRunning;

    public RoleMonitor(HostGroup group, TimeSpan recheckAfter, TimeProvider time) =>
        (_group, _interval, _time) = (group, recheckAfter * Renew, time);

    public bool IsRunning => _isRunning;

    /// <summary>A connection is being opened with a target, so the roles must be known.</summary>
    public void Need()
    {
        Volatile.Write(ref _neededAt, _time.GetTimestamp());
        if (_isRunning)
            return;
        lock (_lock)
        {
            if (_isRunning || _stopping.IsCancellationRequested)
                return;
            _isRunning = true;
            // The timer must not keep the first caller's AsyncLocals.
            using AsyncFlowControl? suppressed = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
            _timer ??= _time.CreateTimer(static monitor => _ = ((RoleMonitor)monitor!).RunAsync(), this, Timeout.InfiniteTimeSpan,
                Timeout.InfiniteTimeSpan);
            Set();
        }
    }

    public void Dispose()
    {
        lock (_lock)
        {
            _stopping.Cancel();
            _timer?.Dispose();
            _isRunning = false;
        }
    }

    private async Task RunAsync()
    {
        await Task.WhenAll(_group.Hosts.Where(IsDue).Select(RenewAsync)).ConfigureAwait(false);
        lock (_lock)
        {
            if (_stopping.IsCancellationRequested)
                return;
            if (_time.GetElapsedTime(Volatile.Read(ref _neededAt)) > _interval * RoundsWithoutNeed)
                _isRunning = false;
            else
                Set();
        }
    }

    // Programs that have begun at the same moment do not ask at the same moment for ever.
    private void Set()
    {
        var wait = _group.Hosts.Any(static host => host.State.News is { IsRoleDoubted: true } or { HasFailed: true }) && _soon < _interval
            ? _soon : _interval;
        _timer!.Change(wait * (0.75 + (Random.Shared.NextDouble() / 2)), Timeout.InfiniteTimeSpan);
    }

    private bool IsDue(HostEndpoint host)
    {
        var news = host.State.News;
        return news.IsRoleDoubted || news.HasFailed || news.Role == PgHostRole.Unknown || host.State.Age(news.Learnt) > _interval / 2;
    }

    // Where a pool is full, its callers already show how the host is.
    private Task RenewAsync(HostEndpoint host)
    {
        var timeout = host.Context.Settings.OpenTimeout;
        var limit = Deadline.In(timeout == Timeout.InfiniteTimeSpan || timeout > _interval ? _interval : timeout, _time);
        return host.HasRoom ? host.AskAsync(limit, _stopping.Token) : Task.CompletedTask;
    }
}
