using System.Globalization;
using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Notifications;

/// <summary>A session that only listens: outside the pool, and for one caller.</summary>
internal sealed class ListeningSession : IDisposable, ISessionListener
{
    private static readonly TimeSpan _shortestLimit = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan _longestLimit = TimeSpan.FromSeconds(15);

    private readonly ServerSession _session;
    private readonly ISessionListener? _listener;
    private TimeSpan _limit = _longestLimit;
    private string? _echoChannel;
    private bool _heardEcho;

    private ListeningSession(ServerSession session, ISessionListener? listener)
    {
        _session = session;
        _listener = listener;
        session.Owner.HandOver(this);
    }

    /// <summary>The server process that has answered.</summary>
    public int ProcessId { get; private set; }

    /// <summary>Opens the session and makes sure that it has a server process of its own.</summary>
    /// <exception cref="PgException">It could not be opened, or it has none.</exception>
    public static async Task<ListeningSession> OpenAsync(
        Func<CancellationToken, ValueTask<ServerSession>> open, ISessionListener listener, CancellationToken token)
    {
        var session = new ListeningSession(await open(token).ConfigureAwait(false), listener);
        try
        {
            session.ProcessId = await session.AskAsync([]).ConfigureAwait(false);
            if (session.ProcessId != session._session.ProcessId)
                await session.CheckPoolerAsync(token).ConfigureAwait(false);
            return session;
        }
        catch
        {
            session.Dispose();
            throw;
        }
    }

    /// <summary>The error for a pooler that gives each transaction another server process.</summary>
    public static PgException NeedsOwnProcess(string reason) => new(
        "Notifications come only to a connection that has a server process of its own, and a pooler is in between that gives each "
        + $"transaction another one: {reason}. Listen with a data source whose connection string leads past the pooler.",
        PgErrorCode.NotSupported);

    /// <summary>Runs LISTEN and UNLISTEN, or nothing, and checks that the session is alive and its server process the same.</summary>
    /// <exception cref="PgException">The server refused one, the session is lost, or another server process answered.</exception>
    public async Task RunAsync(IReadOnlyCollection<string> statements)
    {
        if (await AskAsync(statements).ConfigureAwait(false) != ProcessId)
            throw NeedsOwnProcess("another server process has answered");
    }

    /// <summary>Passes notifications on until the turn has ended, or the interval is over.</summary>
    /// <exception cref="PgException">The session is lost.</exception>
    public async Task ListenAsync(Turn turn, TimeSpan interval)
    {
        _limit = interval == Timeout.InfiniteTimeSpan || interval > _longestLimit ? _longestLimit
            : interval < _shortestLimit ? _shortestLimit : interval;
        var messages = await _session.BeginAsync(this, static (session, _) => new IdleMessages(session), 0).ConfigureAwait(false);
        using (_session.Context.Time.CreateTimer(static turn => ((Turn)turn!).End(), turn, interval, Timeout.InfiniteTimeSpan))
            await _session.Wire.PumpAsync(messages, Deadline.None, CancellationToken.None, turn).ConfigureAwait(false);
        if (messages.OnEndOfStream() is { } error)
            throw _session.Failed(error);
        _session.End();
    }

    public void Dispose() => _session.Dispose();

    void ISessionListener.Notice(ServerErrorFields notice) => _listener?.Notice(notice);

    void ISessionListener.Notification(PgNotificationEventArgs notification)
    {
        if (notification.Channel == _echoChannel)
            _heardEcho = true;
        else
            _listener?.Notification(notification);
    }

    private static async Task<ListeningSession> OpenUncheckedAsync(SessionContext context, CancellationToken token) =>
        new(await SessionOpener.OpenAsync(context, context.Settings.OpenTimeout, token).ConfigureAwait(false), listener: null);

    // The server process that has run the statements.
    private async Task<int> AskAsync(IReadOnlyCollection<string> statements)
    {
        ServerErrorFields? error = null;
        var process = "";
        await _session.BeginAsync(this, (session, _) =>
        {
            foreach (var statement in statements)
                session.Deferred.Write(statement, (_, refused) => error ??= refused);
            session.Deferred.Write(
                "SELECT pg_catalog.pg_backend_pid()", (row, refused) => (process, error) = (row?[0] ?? "", error ?? refused));
            return 0;
        }, 0).ConfigureAwait(false);
        await _session.Deferred.TakeAsync(Deadline.In(_limit, _session.Context.Time), CancellationToken.None).ConfigureAwait(false);
        _session.End();
        return error is null
            ? int.Parse(process, CultureInfo.InvariantCulture)
            : throw SessionErrors.FromServer(error, _session.Context);
    }

    // Somebody is in between who has made up the process id of the login. If the session keeps its server process, a notification of
    // another session reaches it; a pooler drops what an idle server process of its own says. The server process sends what it was notified
    // of before it becomes idle again (ProcessNotifyInterrupt in PostgresMain, postgres.c), so it has come with the next answer. If both
    // share a server process, it comes to the other session, which does not count.
    private async Task CheckPoolerAsync(CancellationToken token)
    {
        // Before LISTEN, which would stay behind in that process.
        await RunAsync([]).ConfigureAwait(false);
        _echoChannel = "loxo_" + Guid.NewGuid().ToString("N");
        await RunAsync(["LISTEN " + _echoChannel]).ConfigureAwait(false);
        using (var other = await OpenUncheckedAsync(_session.Context, token).ConfigureAwait(false))
            await other.AskAsync(["NOTIFY " + _echoChannel]).ConfigureAwait(false);
        await RunAsync(["UNLISTEN " + _echoChannel]).ConfigureAwait(false);
        if (!_heardEcho)
            throw NeedsOwnProcess("a notification of another connection did not arrive");
    }
}
