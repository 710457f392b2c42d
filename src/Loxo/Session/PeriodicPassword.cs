using Loxo.Transport;

namespace Loxo.Session;

/// <summary>
/// A password that a function of the program supplies now and then, as tokens that expire. Logins take the last one; only where there is
/// none yet, or the server has refused it, they wait for the function.
/// </summary>
internal sealed class PeriodicPassword : PasswordSource
{
    private readonly Func<CancellationToken, ValueTask<string>> _provider;
    private readonly TimeSpan _afterSuccess;
    private readonly TimeSpan _afterFailure;
    private readonly ITimer _timer;
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _starting = new();
    private Task<string>? _running;
    private volatile string? _password;

    public PeriodicPassword(
        Func<CancellationToken, ValueTask<string>> provider, TimeSpan afterSuccess, TimeSpan afterFailure, TimeProvider time)
    {
        (_provider, _afterSuccess, _afterFailure) = (provider, afterSuccess, afterFailure);
        // The timer must not keep the caller's AsyncLocals alive.
        using (AsyncFlowControl? suppressed = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow())
        {
            _timer = time.CreateTimer(static self => _ = ((PeriodicPassword)self!).Refresh(), this, Timeout.InfiniteTimeSpan,
                Timeout.InfiniteTimeSpan);
        }
        _ = Refresh();
    }

    public override PgCredential? Get(SessionContext context, PgCredential? refused, Deadline limit)
    {
        if (refused is null && _password is { } password)
            return Of(password);
        // The function is asynchronous only: it runs on another thread, and this one waits for its end, not for a continuation of its own.
        var refresh = Refresh();
        using var ended = new ManualResetEventSlim();
        _ = refresh.ContinueWith(
            _ => ended.Set(), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        if (!ended.Wait(limit.NextWait))
            throw HandshakeErrors.NoPasswordInTime();
        return refresh.IsCompletedSuccessfully
            ? Of(_password)
            : throw HandshakeErrors.PasswordProviderFailed(refresh.Exception?.InnerException ?? new TaskCanceledException(refresh));
    }

    public override async ValueTask<PgCredential?> GetAsync(
        SessionContext context, PgCredential? refused, Deadline limit, CancellationToken token)
    {
        if (refused is null && _password is { } password)
            return Of(password);
        try
        {
            return Of(await Refresh().WaitAsync(limit.Left, token).ConfigureAwait(false));
        }
        catch (TimeoutException)
        {
            throw HandshakeErrors.NoPasswordInTime();
        }
        catch (Exception e) when (!token.IsCancellationRequested)
        {
            throw HandshakeErrors.PasswordProviderFailed(e);
        }
    }

    public override void Stop()
    {
        _timer.Dispose();
        _stop.Cancel();
    }

    // One call of the function at a time; those who come meanwhile share its answer.
    private Task<string> Refresh()
    {
        lock (_starting)
        {
            if (_running is { IsCompleted: false })
                return _running;
            _running = Task.Run(AskAsync);
            // A failure is reported to the login that waits for it, and to nobody if there is none.
            _ = _running.ContinueWith(static failed => _ = failed.Exception, CancellationToken.None,
                TaskContinuationOptions.OnlyOnFaulted | TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
            return _running;
        }
    }

    private async Task<string> AskAsync()
    {
        var next = _afterFailure;
        try
        {
            var password = await _provider(_stop.Token).ConfigureAwait(false);
            _password = password;
            next = _afterSuccess;
            return password;
        }
        finally
        {
            if (!_stop.IsCancellationRequested)
                _timer.Change(next, Timeout.InfiniteTimeSpan);
        }
    }
}
