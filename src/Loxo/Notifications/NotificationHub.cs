using System.Runtime.CompilerServices;
using System.Text;
using Loxo.Diagnostics;
using Loxo.Session;
using Loxo.Sql;
using Loxo.Transport;
using Microsoft.Extensions.Logging;

namespace Loxo.Notifications;

/// <summary>
/// Hands notifications to the readers of a data source. As long as there is a reader, a task keeps one session open for all of them: it
/// listens to what they want, notices when the session is dead, and opens another one.
/// </summary>
/// <param name="context">The settings and the clock.</param>
/// <param name="open">Opens a session outside any pool; each may be on another host.</param>
/// <param name="log">Where losses are reported.</param>
internal sealed class NotificationHub(SessionContext context, Func<CancellationToken, ValueTask<ServerSession>> open, ILogger log)
    : ISessionListener, IDisposable
{
    // NAMEDATALEN - 1: LISTEN cuts a longer name, and notifications would come under a name that nobody asked for.
    private const int LongestName = 63;
    private const string Owner = "PgDataSource";

    private static readonly TimeSpan _firstDelay = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan _longestDelay = TimeSpan.FromSeconds(30);
    // A connection that was lost earlier is no reason to try again at once.
    private static readonly TimeSpan _stable = TimeSpan.FromSeconds(10);

    private readonly Lock _lock = new();
    private readonly Dictionary<string, List<NotificationReader>> _readers = [];
    // What the session listens to, without what it is about to leave.
    private readonly HashSet<string> _listened = [];
    private readonly CancellationTokenSource _stopping = new();
    private Turn _wait = new();
    // When the session began to listen; null while there is none.
    private long? _servesSince;
    private bool _hasChanged;
    private bool _isRunning;
    private bool _hasListened;
    private bool _isDisposed;

    /// <summary>Listens from when the first item is asked for.</summary>
    public IAsyncEnumerable<PgNotification> Listen(IEnumerable<string> channels, PgListenOptions options, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(channels);
        string[] names = [.. channels.Distinct()];
        if (names.Length == 0)
            throw new ArgumentException("There is no channel to listen to: name at least one.", nameof(channels));
        foreach (var name in names)
            Check(name);
        if (context.Settings.Pooler != Pooler.None)
            throw ListeningSession.NeedsOwnProcess($"'Pooler={context.Settings.Pooler}' says so");
        return Read(names, options, token);
    }

    /// <summary>Ends all readers.</summary>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_isDisposed)
                return;
            _isDisposed = true;
            EndReaders(new ObjectDisposedException(Owner));
        }
        _stopping.Cancel();
    }

    void ISessionListener.Notice(ServerErrorFields notice)
    {
    }

    void ISessionListener.Notification(PgNotificationEventArgs notification)
    {
        lock (_lock)
        {
            if (!_readers.TryGetValue(notification.Channel, out var readers))
                return;
            var item = new PgNotification(notification);
            foreach (var reader in readers)
                reader.Add(item);
        }
    }

    private static void Check(string channel)
    {
        SqlIdentifier.Quote(channel);
        if (Encoding.UTF8.GetByteCount(channel) is > LongestName and var bytes)
            throw new ArgumentException(
                $"The name of a channel has at most {LongestName} bytes in UTF-8, but '{channel}' has {bytes}.", nameof(channel));
    }

    private async IAsyncEnumerable<PgNotification> Read(
        string[] channels, PgListenOptions options, [EnumeratorCancellation] CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        var reader = new NotificationReader(channels, options);
        Add(reader);
        try
        {
            while (true)
                yield return await reader.ReadAsync(token).ConfigureAwait(false);
        }
        finally
        {
            Remove(reader);
        }
    }

    private void Add(NotificationReader reader)
    {
        lock (_lock)
        {
            if (_isDisposed)
                throw new ObjectDisposedException(Owner);
            foreach (var channel in reader.Channels)
            {
                if (!_readers.TryGetValue(channel, out var readers))
                    _readers.Add(channel, readers = []);
                readers.Add(reader);
            }
            if (reader.Channels.All(_listened.Contains))
                reader.Start();
            Change();
            if (_isRunning)
                return;
            _isRunning = true;
            _hasListened = false;
        }
        // The first reader's AsyncLocals are not the others'.
        using AsyncFlowControl? suppressed = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
        _ = Task.Run(RunAsync);
    }

    private void Remove(NotificationReader reader)
    {
        lock (_lock)
        {
            foreach (var channel in reader.Channels)
            {
                if (_readers.TryGetValue(channel, out var readers) && readers.Remove(reader) && readers.Count == 0)
                    _readers.Remove(channel);
            }
            Change();
        }
    }

    private void Change()
    {
        _hasChanged = true;
        _wait.End();
    }

    private void EndReaders(Exception error)
    {
        foreach (var reader in _readers.Values.SelectMany(static readers => readers))
            reader.Fail(error);
        _readers.Clear();
        Change();
    }

    // Runs while there is a reader.
    private async Task RunAsync()
    {
        var delay = TimeSpan.Zero;
        while (true)
        {
            try
            {
                await ServeAsync().ConfigureAwait(false);
            }
            catch (Exception e)
            {
                if (_servesSince is { } since && context.Time.GetElapsedTime(since) > _stable)
                    delay = TimeSpan.Zero;
                _servesSince = null;
                if (MayGoOn(e, delay))
                    await WaitAsync(delay * (0.75 + (Random.Shared.NextDouble() / 2))).ConfigureAwait(false);
                delay = delay == TimeSpan.Zero ? _firstDelay : delay * 2 < _longestDelay ? delay * 2 : _longestDelay;
            }
            lock (_lock)
            {
                if (_readers.Count > 0)
                    continue;
                _isRunning = false;
                return;
            }
        }
    }

    // What never worked is an error of the first reader's. What has worked is tried again, unless it cannot help.
    private bool MayGoOn(Exception error, TimeSpan delay)
    {
        lock (_lock)
        {
            _listened.Clear();
            foreach (var reader in _readers.Values.SelectMany(static readers => readers))
                reader.Stop();
            if (_readers.Count == 0)
                return false;
            if (_hasListened && error is PgException { IsTransient: true })
            {
                NotificationLog.Lost(log, delay, error);
                return true;
            }
            NotificationLog.GivenUp(log, error);
            EndReaders(error);
            return false;
        }
    }

    private async Task ServeAsync()
    {
        using var session = await ListeningSession.OpenAsync(open, this, _stopping.Token).ConfigureAwait(false);
        try
        {
            while (true)
            {
                var (statements, wanted, isProbeDue) = TakeChanges();
                if (wanted.Count == 0)
                    return;
                if (statements.Count > 0 || isProbeDue)
                    await session.RunAsync(statements).ConfigureAwait(false);
                if (StartReaders(wanted))
                    NotificationLog.Listening(log, session.ProcessId, wanted.Count);
                await session.ListenAsync(NextWait(out var interval), interval).ConfigureAwait(false);
            }
        }
        finally
        {
            lock (_lock)
                _listened.Clear();
        }
    }

    // A channel that is left counts as left before the server knows: a reader that comes meanwhile makes it listen again.
    private (List<string> Statements, HashSet<string> Wanted, bool IsProbeDue) TakeChanges()
    {
        lock (_lock)
        {
            var isProbeDue = !_hasChanged;
            _hasChanged = false;
            var wanted = _readers.Keys.ToHashSet();
            var statements = wanted.Where(channel => !_listened.Contains(channel)).Select(Listen)
                .Concat(_listened.Where(channel => !wanted.Contains(channel)).Select(Unlisten)).ToList();
            _listened.IntersectWith(wanted);
            return (statements, wanted, isProbeDue);
        }

        static string Listen(string channel) => "LISTEN " + SqlIdentifier.Quote(channel);
        static string Unlisten(string channel) => "UNLISTEN " + SqlIdentifier.Quote(channel);
    }

    // The server listens to these channels. Whether a reader has been waiting for that.
    private bool StartReaders(HashSet<string> channels)
    {
        lock (_lock)
        {
            _listened.UnionWith(channels);
            _hasListened = true;
            _servesSince ??= context.Time.GetTimestamp();
            var waiting = _readers.Values.SelectMany(static readers => readers).Distinct()
                .Where(reader => !reader.IsListening && reader.Channels.All(_listened.Contains)).ToList();
            foreach (var reader in waiting)
                reader.Start();
            return waiting.Count > 0;
        }
    }

    // The turn that ends with the next change of the readers, or has ended if there was one.
    private Turn NextWait(out TimeSpan interval)
    {
        lock (_lock)
        {
            _wait = new Turn();
            if (_hasChanged)
                _wait.End();
            interval = _readers.Values.SelectMany(static readers => readers).Select(static reader => reader.ProbeInterval)
                .Where(static interval => interval != Timeout.InfiniteTimeSpan).DefaultIfEmpty(Timeout.InfiniteTimeSpan).Min();
            return _wait;
        }
    }

    private async Task WaitAsync(TimeSpan delay)
    {
        if (delay == TimeSpan.Zero)
            return;
        var turn = NextWait(out _);
        using var timer = context.Time.CreateTimer(static turn => ((Turn)turn!).End(), turn, delay, Timeout.InfiniteTimeSpan);
        await turn.WaitAsync().ConfigureAwait(false);
    }
}
