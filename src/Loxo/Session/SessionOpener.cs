using Loxo.Diagnostics;
using Loxo.Protocol;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>
/// Opens sessions: dial, TLS as the mode asks, log in. One deadline covers all of it, every attempt included.
/// </summary>
internal static class SessionOpener
{
    /// <summary>Opens a session, blocking.</summary>
    /// <param name="context">Where to.</param>
    /// <param name="timeLeft">For all of it; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    public static ServerSession Open(SessionContext context, TimeSpan timeLeft)
    {
        var trace = new OpeningTrace(context.Telemetry);
        var asked = context.Host?.Ask() ?? default;
        try
        {
            var session = OpenUntold(context, timeLeft);
            LoggedIn(context, session, asked);
            trace.End(null);
            return session;
        }
        catch (Exception e)
        {
            trace.End(e);
            if (IsOfHost(e))
                context.Host?.Failed(asked, e);
            throw;
        }
    }

    private static void LoggedIn(SessionContext context, ServerSession session, HostQuestion asked)
    {
        if (context.Host is not { } host)
            return;
        host.LoggedIn(session.Parameters, asked);
        session.HostNumber = host.Ask().Number;
    }

    /// <inheritdoc cref="Open(SessionContext, TimeSpan)"/>
    public static async ValueTask<ServerSession> OpenAsync(SessionContext context, TimeSpan timeLeft, CancellationToken token)
    {
        var trace = new OpeningTrace(context.Telemetry);
        var asked = context.Host?.Ask() ?? default;
        try
        {
            var session = await OpenUntoldAsync(context, timeLeft, token).ConfigureAwait(false);
            LoggedIn(context, session, asked);
            trace.End(null);
            return session;
        }
        catch (Exception e)
        {
            trace.End(e);
            if (IsOfHost(e))
                context.Host?.Failed(asked, e);
            throw;
        }
    }

    // The server does not serve now. A refused login, or too many sessions, is no reason to leave out a server for others.
    private static bool IsOfHost(Exception error) => error is PgException
    {
        Code: PgErrorCode.ConnectionRefused or PgErrorCode.ConnectionClosed or PgErrorCode.HostNotFound or PgErrorCode.Timeout
    } or PostgresException { SqlState: SqlStates.CannotConnectNow or SqlStates.AdminShutdown or SqlStates.CrashShutdown };

    private static ServerSession OpenUntold(SessionContext context, TimeSpan timeLeft)
    {
        var limit = Deadline.In(timeLeft, context.Time);
        var session = LogIn(context, limit);
        if (context.Initializer is not { } initializer)
            return session;
        try
        {
            initializer.Blocking(session);
            return session;
        }
        catch
        {
            session.Dispose();
            throw;
        }
    }

    private static async ValueTask<ServerSession> OpenUntoldAsync(SessionContext context, TimeSpan timeLeft, CancellationToken token)
    {
        var limit = Deadline.In(timeLeft, context.Time);
        var session = await LogInAsync(context, limit, token).ConfigureAwait(false);
        if (context.Initializer is not { } initializer)
            return session;
        var initialized = initializer.Async(session).AsTask();
        try
        {
            await initialized.WaitAsync(limit.Left, token).ConfigureAwait(false);
            return session;
        }
        catch (TimeoutException) when (!initialized.IsFaulted)
        {
            // The initializer's next use of its connection fails.
            session.Dispose();
            throw SessionErrors.OpenTimedOut(context.Transport.Host, "running the initializer of physical connections");
        }
        catch
        {
            session.Dispose();
            throw;
        }
    }

    // A password may have been replaced since it was supplied: then a new one is asked for once.
    private static ServerSession LogIn(SessionContext context, Deadline limit)
    {
        if (context.Passwords is not { } passwords)
            return LogIn(context, null, limit);
        var credential = passwords.Get(context, refused: null, limit);
        try
        {
            return LogIn(context, credential, limit);
        }
        catch (PostgresException e) when (MayTryOtherCredential(e) && credential is not null)
        {
            if (passwords.Get(context, credential, limit) is not { } other || IsTheSame(other, credential))
                throw;
            return LogIn(context, other, limit);
        }
    }

    private static async ValueTask<ServerSession> LogInAsync(SessionContext context, Deadline limit, CancellationToken token)
    {
        if (context.Passwords is not { } passwords)
            return await LogInAsync(context, null, limit, token).ConfigureAwait(false);
        var credential = await passwords.GetAsync(context, refused: null, limit, token).ConfigureAwait(false);
        try
        {
            return await LogInAsync(context, credential, limit, token).ConfigureAwait(false);
        }
        catch (PostgresException e) when (MayTryOtherCredential(e) && credential is not null)
        {
            var other = await passwords.GetAsync(context, credential, limit, token).ConfigureAwait(false);
            if (other is null || IsTheSame(other, credential))
                throw;
            return await LogInAsync(context, other, limit, token).ConfigureAwait(false);
        }
    }

    // PAM, such as that of a cloud's tokens, refuses a password with the more general error.
    private static bool MayTryOtherCredential(PostgresException e) =>
        e.SqlState is SqlStates.InvalidPassword or SqlStates.InvalidAuthorizationSpecification;

    private static bool IsTheSame(PgCredential one, PgCredential other) => one.Secret == other.Secret && one.Username == other.Username;

    private static ServerSession LogIn(SessionContext context, PgCredential? credential, Deadline limit)
    {
        var ways = SessionEncryption.Ways(context);
        for (var i = 0; ;)
        {
            try
            {
                return Open(context, ways[i], credential, limit);
            }
            catch (PgException e) when (SessionEncryption.Next(context, ways, i, e) is > 0 and var next)
            {
                i = next;
            }
        }
    }

    private static async ValueTask<ServerSession> LogInAsync(
        SessionContext context, PgCredential? credential, Deadline limit, CancellationToken token)
    {
        var ways = SessionEncryption.Ways(context);
        for (var i = 0; ;)
        {
            try
            {
                return await OpenAsync(context, ways[i], credential, limit, token).ConfigureAwait(false);
            }
            catch (PgException e) when (SessionEncryption.Next(context, ways, i, e) is > 0 and var next)
            {
                i = next;
            }
        }
    }

    // A token that the server refuses is replaced once: by then it has said where it wants tokens from.
    private static ServerSession Open(
        SessionContext context, SessionEncryption.Way way, PgCredential? credential, Deadline limit, RefusedToken? formerToken = null)
    {
        RefusedToken? refused;
        using var gss = way.Gss ? GssEncryption.Prepare(context, limit) : null;
        var session = new ServerSession(context.Dialer.Dial(context.Transport, limit), context);
        try
        {
            SessionEncryption.Begin(session.Wire, context, way, gss, limit);
            var handshake = new Handshake(session, credential, formerToken);
            Run(handshake, session, limit);
            refused = formerToken is null ? handshake.RefusedToken : null;
            if (refused is null)
                return Opened(session, handshake);
        }
        catch
        {
            session.Dispose();
            throw;
        }
        session.Dispose();
        return Open(context, way, credential, limit, refused);
    }

    private static void Run(Handshake handshake, ServerSession session, Deadline limit)
    {
        while (true)
        {
            if (session.Wire.Pump(handshake, limit) == Progress.NeedMore)
                throw SessionErrors.OpenTimedOut(session.Context.Transport.Host, "logging in");
            if (handshake.Request is not { } request)
                return;
            handshake.Supply(request.Get(limit));
        }
    }

    private static async ValueTask RunAsync(Handshake handshake, ServerSession session, Deadline limit, CancellationToken token)
    {
        while (true)
        {
            await session.Wire.PumpAsync(handshake, limit, token).ConfigureAwait(false);
            if (handshake.Request is not { } request)
                return;
            handshake.Supply(await request.GetAsync(limit, token).ConfigureAwait(false));
        }
    }

    private static async ValueTask<ServerSession> OpenAsync(
        SessionContext context, SessionEncryption.Way way, PgCredential? credential, Deadline limit, CancellationToken token,
        RefusedToken? formerToken = null)
    {
        RefusedToken? refused;
        using var gss = way.Gss ? await GssEncryption.PrepareAsync(context, limit, token).ConfigureAwait(false) : null;
        var channel = await context.Dialer.DialAsync(context.Transport, limit, token).ConfigureAwait(false);
        var session = new ServerSession(channel, context);
        try
        {
            await SessionEncryption.BeginAsync(session.Wire, context, way, gss, limit, token).ConfigureAwait(false);
            var handshake = new Handshake(session, credential, formerToken);
            await RunAsync(handshake, session, limit, token).ConfigureAwait(false);
            refused = formerToken is null ? handshake.RefusedToken : null;
            if (refused is null)
            {
                Opened(session, handshake);
                return session.FailIfShutDown() ? throw session.BreakCause! : session;
            }
        }
        catch (Exception e)
        {
            var reason = session.StopReason;
            session.Dispose();
            if (reason == StopReason.Timeout && e is not PostgresException)
                throw SessionErrors.OpenTimedOut(context.Transport.Host, "negotiating encryption or logging in");
            token.ThrowIfCancellationRequested();
            throw;
        }
        session.Dispose();
        return await OpenAsync(context, way, credential, limit, token, refused).ConfigureAwait(false);
    }

    private static ServerSession Opened(ServerSession session, Handshake handshake)
    {
        if (handshake.Error is { } error)
            throw HandshakeErrors.Refused(SessionErrors.FromServer(error, session.Context), session.Context);
        if (session.Wire.Tls is not null)
            session.Context.Tls.RememberEncryption(session.Context.Transport.Host);
        session.Wire.Input.MaxMessage = Protocol.Backend.MessageReader.DefaultMaxMessage;
        session.Opened();
        return session;
    }
}
