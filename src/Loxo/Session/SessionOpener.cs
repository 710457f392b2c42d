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
        var limit = Deadline.In(timeLeft, context.Time);
        var attempts = Attempts(context.Transport);
        for (var i = 0; ; i++)
        {
            try
            {
                return Open(context, attempts[i], limit);
            }
            catch (PgException e) when (i < attempts.Length - 1 && MayTryOtherEncryption(e))
            {
                // The other way is the next attempt.
            }
        }
    }

    /// <inheritdoc cref="Open(SessionContext, TimeSpan)"/>
    public static async ValueTask<ServerSession> OpenAsync(SessionContext context, TimeSpan timeLeft, CancellationToken token)
    {
        var limit = Deadline.In(timeLeft, context.Time);
        var attempts = Attempts(context.Transport);
        for (var i = 0; ; i++)
        {
            try
            {
                return await OpenAsync(context, attempts[i], limit, token).ConfigureAwait(false);
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

    private static ServerSession Open(SessionContext context, Encryption encryption, Deadline limit)
    {
        var session = new ServerSession(context.Dialer.Dial(context.Transport, limit), context);
        try
        {
            if (encryption != Encryption.None && !StartTls(session.Wire, context, limit) && encryption == Encryption.Required)
                throw TransportErrors.TlsRefused(context.Transport.Host, context.Transport.Tls.Mode);
            var handshake = new Handshake(session);
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
        SessionContext context, Encryption encryption, Deadline limit, CancellationToken token)
    {
        var channel = await context.Dialer.DialAsync(context.Transport, limit, token).ConfigureAwait(false);
        var session = new ServerSession(channel, context);
        try
        {
            if (encryption != Encryption.None
                && !await StartTlsAsync(session.Wire, context, limit, token).ConfigureAwait(false) && encryption == Encryption.Required)
                throw TransportErrors.TlsRefused(context.Transport.Host, context.Transport.Tls.Mode);
            var handshake = new Handshake(session);
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
            throw SessionErrors.FromServer(error, session.Context.Settings);
        session.Wire.Input.MaxMessage = Protocol.Backend.MessageReader.DefaultMaxMessage;
        session.Opened();
        return session;
    }
}
