using Loxo.Diagnostics;
using Loxo.Protocol;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>
/// Opens sessions: dial, TLS as the mode asks, log in. One deadline covers all of it, every attempt included.
/// </summary>
internal static class SessionOpener
{
    // How an attempt uses TLS.
    private enum Encryption
    {
        None,
        IfOffered,
        Required,
    }

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
            context.Host?.LoggedIn(session.Parameters, asked);
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

    /// <inheritdoc cref="Open(SessionContext, TimeSpan)"/>
    public static async ValueTask<ServerSession> OpenAsync(SessionContext context, TimeSpan timeLeft, CancellationToken token)
    {
        var trace = new OpeningTrace(context.Telemetry);
        var asked = context.Host?.Ask() ?? default;
        try
        {
            var session = await OpenUntoldAsync(context, timeLeft, token).ConfigureAwait(false);
            context.Host?.LoggedIn(session.Parameters, asked);
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
        try
        {
            await initializer.Async(session).ConfigureAwait(false);
            return session;
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
        var password = passwords.Get(mustBeNew: false, limit);
        try
        {
            return LogIn(context, password, limit);
        }
        catch (PostgresException e) when (e.SqlState == SqlStates.InvalidPassword)
        {
            if (passwords.Get(mustBeNew: true, limit) is not { } other || other == password)
                throw;
            return LogIn(context, other, limit);
        }
    }

    private static async ValueTask<ServerSession> LogInAsync(SessionContext context, Deadline limit, CancellationToken token)
    {
        if (context.Passwords is not { } passwords)
            return await LogInAsync(context, null, limit, token).ConfigureAwait(false);
        var password = await passwords.GetAsync(mustBeNew: false, limit, token).ConfigureAwait(false);
        try
        {
            return await LogInAsync(context, password, limit, token).ConfigureAwait(false);
        }
        catch (PostgresException e) when (e.SqlState == SqlStates.InvalidPassword)
        {
            var other = await passwords.GetAsync(mustBeNew: true, limit, token).ConfigureAwait(false);
            if (other is null || other == password)
                throw;
            return await LogInAsync(context, other, limit, token).ConfigureAwait(false);
        }
    }

    private static ServerSession LogIn(SessionContext context, string? password, Deadline limit)
    {
        var attempts = Attempts(context.Transport);
        for (var i = 0; ; i++)
        {
            try
            {
                return Open(context, attempts[i], password, limit);
            }
            catch (PgException e) when (i < attempts.Length - 1 && MayTryOtherEncryption(e))
            {
                // The other way is the next attempt.
            }
        }
    }

    private static async ValueTask<ServerSession> LogInAsync(
        SessionContext context, string? password, Deadline limit, CancellationToken token)
    {
        var attempts = Attempts(context.Transport);
        for (var i = 0; ; i++)
        {
            try
            {
                return await OpenAsync(context, attempts[i], password, limit, token).ConfigureAwait(false);
            }
            catch (PgException e) when (i < attempts.Length - 1 && MayTryOtherEncryption(e))
            {
                // The other way is the next attempt.
            }
        }
    }

    /// <summary>Asks for TLS and upgrades the wire, blocking: true if the server agreed.</summary>
    public static bool StartTls(Wire wire, SessionContext context, Deadline limit)
    {
        var request = new SslRequest(NullUnsolicitedMessages.Instance, wire.Output);
        if (wire.Pump(request, limit) == Progress.NeedMore)
            throw SessionErrors.OpenTimedOut(context.Transport.Host, "asking for TLS");
        if (request.Accepted)
            TlsUpgrade.Run(wire, context.Tls, context.Transport, limit);
        return request.Accepted;
    }

    /// <summary>Asks for TLS and upgrades the wire: true if the server agreed.</summary>
    public static async ValueTask<bool> StartTlsAsync(Wire wire, SessionContext context, Deadline limit, CancellationToken token)
    {
        var request = new SslRequest(NullUnsolicitedMessages.Instance, wire.Output);
        await wire.PumpAsync(request, limit, token).ConfigureAwait(false);
        if (request.Accepted)
            await TlsUpgrade.RunAsync(wire, context.Tls, context.Transport, limit, token).ConfigureAwait(false);
        return request.Accepted;
    }

    // A Unix socket does not leave the machine, and the server offers no TLS on it: the mode is without effect there, as in libpq.
    private static Encryption[] Attempts(TransportSettings transport) => transport.Tls.Mode switch
    {
        _ when transport.Host.IsUnixSocket => [Encryption.None],
        SslMode.Disable => [Encryption.None],
        SslMode.Allow => [Encryption.None, Encryption.Required],
        SslMode.Prefer => [Encryption.IfOffered, Encryption.None],
        _ => [Encryption.Required],
    };

    // Not after a wrong password and the like: the other way would end the same, and cost the user a second failed login.
    private static bool MayTryOtherEncryption(PgException e) => e.Code == PgErrorCode.TlsFailed
        || e is PostgresException { SqlState: SqlStates.InvalidAuthorizationSpecification };

    private static ServerSession Open(SessionContext context, Encryption encryption, string? password, Deadline limit)
    {
        var session = new ServerSession(context.Dialer.Dial(context.Transport, limit), context);
        try
        {
            if (encryption != Encryption.None && !StartTls(session.Wire, context, limit) && encryption == Encryption.Required)
                throw TransportErrors.TlsRefused(context.Transport.Host, context.Transport.Tls.Mode);
            var handshake = new Handshake(session, password);
            if (session.Wire.Pump(handshake, limit) == Progress.NeedMore)
                throw SessionErrors.OpenTimedOut(context.Transport.Host, "logging in");
            return Opened(session, handshake);
        }
        catch
        {
            session.Dispose();
            throw;
        }
    }

    private static async ValueTask<ServerSession> OpenAsync(
        SessionContext context, Encryption encryption, string? password, Deadline limit, CancellationToken token)
    {
        var channel = await context.Dialer.DialAsync(context.Transport, limit, token).ConfigureAwait(false);
        var session = new ServerSession(channel, context);
        try
        {
            if (encryption != Encryption.None
                && !await StartTlsAsync(session.Wire, context, limit, token).ConfigureAwait(false) && encryption == Encryption.Required)
                throw TransportErrors.TlsRefused(context.Transport.Host, context.Transport.Tls.Mode);
            var handshake = new Handshake(session, password);
            await session.Wire.PumpAsync(handshake, limit, token).ConfigureAwait(false);
            return Opened(session, handshake);
        }
        catch (Exception e)
        {
            var reason = session.StopReason;
            session.Dispose();
            if (reason == StopReason.Timeout && e is not PostgresException)
                throw SessionErrors.OpenTimedOut(context.Transport.Host, "negotiating TLS or logging in");
            token.ThrowIfCancellationRequested();
            throw;
        }
    }

    private static ServerSession Opened(ServerSession session, Handshake handshake)
    {
        if (handshake.Error is { } error)
            throw SessionErrors.FromServer(error, session.Context);
        session.Wire.Input.MaxMessage = Protocol.Backend.MessageReader.DefaultMaxMessage;
        session.Opened();
        return session;
    }
}
