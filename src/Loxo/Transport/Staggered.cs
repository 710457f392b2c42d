using System.Runtime.ExceptionServices;

namespace Loxo.Transport;

/// <summary>
/// Runs attempts of which one has to succeed. The next one begins when the one before has failed, or has not ended after 250 ms, which is
/// the pause that RFC 8305 recommends between addresses. An attempt returns null when it has failed, and has a deadline of its own.
/// </summary>
internal static class Staggered
{
    public static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(250);

    /// <summary>Runs them on threads of their own, and blocks until one has succeeded or all have failed.</summary>
    /// <param name="attempts">The attempts.</param>
    /// <param name="time">The clock of the pauses.</param>
    /// <returns>The result of the first that has succeeded; null if none has.</returns>
    public static T? Run<T>(IAttempts<T> attempts, TimeProvider time)
        where T : class
    {
        if (attempts.Count == 1)
            return attempts.Try(0);
        var race = new Race<T>(attempts);
        try
        {
            for (var next = 0; next < attempts.Count; next++)
            {
                race.Start(next);
                if (next == attempts.Count - 1 ? race.AwaitWinner() : race.AwaitWinnerOrPause(time))
                    return race.Winner;
                if (!race.HasFailed(next))
                    attempts.IsSlow(next);
            }
            return null;
        }
        finally
        {
            race.End();
        }
    }

    /// <summary>Awaits until one has succeeded or all have failed. The others are cancelled.</summary>
    /// <inheritdoc cref="Run"/>
    public static async ValueTask<T?> RunAsync<T>(IAttempts<T> attempts, TimeProvider time, CancellationToken token)
        where T : class
    {
        if (attempts.Count == 1)
            return await attempts.TryAsync(0, token).ConfigureAwait(false);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(token);
        var running = new List<Task<T?>>();
        try
        {
            for (var next = 0; next < attempts.Count;)
            {
                running.Add(attempts.TryAsync(next++, stop.Token).AsTask());
                while (running.Count > 0)
                {
                    if (next < attempts.Count && !await EndsWithinPause(running, time).ConfigureAwait(false))
                    {
                        attempts.IsSlow(next - 1);
                        break;
                    }
                    var ended = await Task.WhenAny(running).ConfigureAwait(false);
                    running.Remove(ended);
                    if (await ended.ConfigureAwait(false) is { } winner)
                        return winner;
                    if (next < attempts.Count)
                        break;
                }
            }
            return null;
        }
        finally
        {
            await stop.CancelAsync().ConfigureAwait(false);
            foreach (var loser in running)
                _ = LoseAsync(loser, attempts);
        }
    }

    private static async ValueTask<bool> EndsWithinPause<T>(List<Task<T?>> running, TimeProvider time)
        where T : class
    {
        using var ended = new CancellationTokenSource();
        var pause = Task.Delay(Pause, time, ended.Token);
        var first = await Task.WhenAny([.. running, pause]).ConfigureAwait(false);
        await ended.CancelAsync().ConfigureAwait(false);
        return first != pause;
    }

    private static async Task LoseAsync<T>(Task<T?> loser, IAttempts<T> attempts)
        where T : class
    {
        try
        {
            if (await loser.ConfigureAwait(false) is { } late)
                attempts.Lose(late);
        }
        catch (Exception)
        {
            // It was cancelled, or has failed: nobody waits for it any more.
        }
    }

    /// <summary>Attempts on threads of their own, and the caller that waits for them.</summary>
    private sealed class Race<T>(IAttempts<T> attempts)
        where T : class
    {
        // An object and not a Lock, which cannot be waited on.
        private readonly object _monitor = new();
        private readonly bool[] _failed = new bool[attempts.Count];
        private int _running;
        private int _ended;
        private int _endedBefore; // when the last one was started
        private bool _isOver;
        private ExceptionDispatchInfo? _error;

        public T? Winner { get; private set; }

        public bool HasFailed(int index)
        {
            lock (_monitor)
                return _failed[index];
        }

        public void Start(int index)
        {
            lock (_monitor)
            {
                _running++;
                _endedBefore = _ended;
            }
            new Thread(() => Run(index)) { IsBackground = true, Name = "Loxo opening" }.Start();
        }

        /// <summary>Blocks until one has succeeded; false if all have failed.</summary>
        public bool AwaitWinner()
        {
            lock (_monitor)
            {
                while (!HasWinner && _running > 0)
                    Monitor.Wait(_monitor);
                return HasWinner;
            }
        }

        /// <summary>Blocks until one has succeeded; false if another one has failed first, or nothing has happened for the pause.</summary>
        public bool AwaitWinnerOrPause(TimeProvider time)
        {
            var isOver = false;
            lock (_monitor)
            {
                // The system's clock needs no timer, which would need a thread of the pool.
                using var timer = time == TimeProvider.System ? null : time.CreateTimer(_ =>
                {
                    lock (_monitor)
                    {
                        isOver = true;
                        Monitor.PulseAll(_monitor);
                    }
                }, null, Pause, Timeout.InfiniteTimeSpan);
                var end = Environment.TickCount64 + (long)Pause.TotalMilliseconds;
                while (!HasWinner && _ended == _endedBefore && !isOver)
                {
                    if (timer is not null)
                        Monitor.Wait(_monitor);
                    else if (end - Environment.TickCount64 is > 0 and var left)
                        Monitor.Wait(_monitor, (int)left);
                    else
                        break;
                }
                return HasWinner;
            }
        }

        /// <summary>Whoever succeeds later has lost.</summary>
        public void End()
        {
            lock (_monitor)
                _isOver = true;
        }

        // Under the lock. An attempt throws only what ends all of them.
        private bool HasWinner
        {
            get
            {
                if (Winner is null && _error is not null)
                {
                    _isOver = true;
                    _error.Throw();
                }
                return Winner is not null;
            }
        }

        private void Run(int index)
        {
            T? result = null;
            ExceptionDispatchInfo? error = null;
            try
            {
                result = attempts.Try(index);
            }
            catch (Exception e)
            {
                error = ExceptionDispatchInfo.Capture(e);
            }
            lock (_monitor)
            {
                _running--;
                _ended++;
                _failed[index] = result is null;
                _error ??= error;
                if (!_isOver && Winner is null)
                    (Winner, result) = (result, null);
                Monitor.PulseAll(_monitor);
            }
            if (result is not null)
                attempts.Lose(result);
        }
    }
}

/// <summary>The attempts of <see cref="Staggered"/>, by number.</summary>
internal interface IAttempts<T>
    where T : class
{
    int Count { get; }

    /// <summary>Runs one, blocking. Null if it has failed; what it throws ends all of them.</summary>
    T? Try(int index);

    /// <inheritdoc cref="Try"/>
    ValueTask<T?> TryAsync(int index, CancellationToken token);

    /// <summary>The attempt has not ended, and another one begins.</summary>
    void IsSlow(int index);

    /// <summary>Takes a result that comes too late.</summary>
    void Lose(T late);
}
