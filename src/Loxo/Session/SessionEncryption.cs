using Loxo.Protocol;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>Encrypts a connection before the login, in the ways that the settings allow, one after the other.</summary>
internal static class SessionEncryption
{
    /// <summary>How TLS is used.</summary>
    internal enum Tls
    {
        None,
        IfOffered,
        Required,
    }

    /// <summary>The ways to try on connections of their own, in order.</summary>
    public static Way[] Ways(SessionContext context)
    {
        var tls = TlsWays(context);
        var without = Array.ConvertAll(tls, static way => new Way(way, gss: false));
        return context.Transport.GssEncryption switch
        {
            // It does not leave the machine, and has no name that a ticket could be for.
            _ when context.Transport.Host.IsUnixSocket => without,
            GssEncryptionMode.Disable => without,
            GssEncryptionMode.Require => [new Way(Tls.None, gss: true)],
            _ => [new Way(tls[0], gss: true), .. without],
        };
    }

    /// <summary>The way to try after an error, as its index; 0 for none.</summary>
    /// <param name="context">Where the ways lead.</param>
    /// <param name="ways">From <see cref="Ways"/>.</param>
    /// <param name="failed">The one that has failed.</param>
    /// <param name="e">How.</param>
    public static int Next(SessionContext context, Way[] ways, int failed, PgException e)
    {
        // A server that has refused encryption has been asked for the next one on the same connection.
        var reached = Array.FindIndex(ways, failed, way => (way.Tls, way.Gss) == ways[failed].Reached);
        var next = Math.Max(reached, failed) + 1;
        return next < ways.Length && MayTry(context, ways[failed].Reached.Gss, ways[next], e) ? next : 0;
    }

    private static bool MayTry(SessionContext context, bool failedInGss, Way next, PgException e)
    {
        // Not after a wrong password and the like: the other way would end the same, and cost the user a second failed login.
        var isRefused = e is PostgresException { SqlState: SqlStates.InvalidAuthorizationSpecification };
        if (failedInGss)
            return isRefused || (e is not PostgresException && e.Code != PgErrorCode.Timeout);
        return (isRefused || e.Code == PgErrorCode.TlsFailed) && (next.Tls != Tls.None || !context.Tls.MustEncrypt(context.Transport.Host));
    }

    /// <summary>Upgrades the wire as the way says, blocking.</summary>
    /// <param name="wire">A connection on which nothing was sent.</param>
    /// <param name="context">Where it leads.</param>
    /// <param name="way">The way.</param>
    /// <param name="gss">Its ticket; null if it has none.</param>
    /// <param name="limit">When to give up.</param>
    /// <exception cref="PgException">The server does not offer what is required.</exception>
    public static void Begin(Wire wire, SessionContext context, Way way, GssEncryption? gss, Deadline limit)
    {
        way.Reached = (way.Tls, way.Gss);
        if (gss is not null)
        {
            if (gss.Start(wire, limit))
                return;
            CheckMayGoOn(context);
            way.Reached = (way.Tls, false);
        }
        if (way.Tls != Tls.None && !StartTls(wire, context, limit))
            RefusedTls(way, context);
    }

    /// <inheritdoc cref="Begin"/>
    public static async ValueTask BeginAsync(
        Wire wire, SessionContext context, Way way, GssEncryption? gss, Deadline limit, CancellationToken token)
    {
        way.Reached = (way.Tls, way.Gss);
        if (gss is not null)
        {
            if (await gss.StartAsync(wire, limit, token).ConfigureAwait(false))
                return;
            CheckMayGoOn(context);
            way.Reached = (way.Tls, false);
        }
        if (way.Tls != Tls.None && !await StartTlsAsync(wire, context, limit, token).ConfigureAwait(false))
            RefusedTls(way, context);
    }

    /// <summary>Encrypts another connection like that of a session, blocking.</summary>
    /// <returns>False if the server refuses what it has accepted before.</returns>
    public static bool BeginLike(ServerSession session, Wire wire, Deadline limit)
    {
        if (session.Wire.Gss is null)
            return session.Wire.Tls is null || StartTls(wire, session.Context, limit);
        using var gss = GssEncryption.Prepare(session.Context, limit);
        return gss.Start(wire, limit);
    }

    /// <inheritdoc cref="BeginLike"/>
    public static async ValueTask<bool> BeginLikeAsync(ServerSession session, Wire wire, Deadline limit, CancellationToken token)
    {
        if (session.Wire.Gss is null)
            return session.Wire.Tls is null || await StartTlsAsync(wire, session.Context, limit, token).ConfigureAwait(false);
        using var gss = await GssEncryption.PrepareAsync(session.Context, limit, token).ConfigureAwait(false);
        return await gss.StartAsync(wire, limit, token).ConfigureAwait(false);
    }

    // The server has refused GSSAPI encryption. TLS can be asked for on the same connection, but not begun at once.
    private static void CheckMayGoOn(SessionContext context)
    {
        if (context.Transport.GssEncryption == GssEncryptionMode.Require || context.Transport.Tls.Negotiation == SslNegotiation.Direct)
            throw HandshakeErrors.GssEncryptionRefused(context.Transport.Host);
    }

    private static void RefusedTls(Way way, SessionContext context)
    {
        if (way.Tls == Tls.Required)
            throw context.Tls.Refused(context.Transport.Host);
        way.Reached = (Tls.None, false);
    }

    // A Unix socket does not leave the machine, and the server offers no TLS on it: the mode is without effect there, as in libpq.
    private static Tls[] TlsWays(SessionContext context) => context.Transport.Tls.Mode switch
    {
        _ when context.Transport.Host.IsUnixSocket => [Tls.None],
        SslMode.Disable => [Tls.None],
        SslMode.Allow when !context.Transport.Tls.InsistsOnTls => [Tls.None, Tls.Required],
        SslMode.Prefer when !context.Tls.MustEncrypt(context.Transport.Host) => [Tls.IfOffered, Tls.None],
        _ => [Tls.Required],
    };

    /// <summary>Upgrades the wire to TLS, asking first unless TLS is begun directly; blocking. True if the server agreed.</summary>
    private static bool StartTls(Wire wire, SessionContext context, Deadline limit)
    {
        if (context.Transport.Tls.Negotiation == SslNegotiation.Postgres)
        {
            var request = new SslRequest(NullUnsolicitedMessages.Instance, wire.Output);
            if (wire.Pump(request, limit) == Progress.NeedMore)
                throw SessionErrors.OpenTimedOut(context.Transport.Host, "asking for TLS");
            if (!IsAccepted(request, context))
                return false;
        }
        TlsUpgrade.Run(wire, context.Tls, context.Transport, limit);
        return true;
    }

    /// <summary>Upgrades the wire to TLS, asking first unless TLS is begun directly. True if the server agreed.</summary>
    private static async ValueTask<bool> StartTlsAsync(Wire wire, SessionContext context, Deadline limit, CancellationToken token)
    {
        if (context.Transport.Tls.Negotiation == SslNegotiation.Postgres)
        {
            var request = new SslRequest(NullUnsolicitedMessages.Instance, wire.Output);
            await wire.PumpAsync(request, limit, token).ConfigureAwait(false);
            if (!IsAccepted(request, context))
                return false;
        }
        await TlsUpgrade.RunAsync(wire, context.Tls, context.Transport, limit, token).ConfigureAwait(false);
        return true;
    }

    private static bool IsAccepted(SslRequest request, SessionContext context) => request.Answer switch
    {
        (byte)'S' => true,
        (byte)'N' => false,
        var answer => throw TlsErrors.NotAnswered(context.Transport.Host, answer),
    };

    /// <summary>One way to encrypt a connection.</summary>
    /// <param name="tls">How TLS is used, unless GSSAPI encrypts.</param>
    /// <param name="gss">Whether GSSAPI is tried first.</param>
    internal sealed class Way(Tls tls, bool gss)
    {
        public Tls Tls => tls;

        public bool Gss => gss;

        /// <summary>What was tried last on its connection: the server may have refused what comes before.</summary>
        public (Tls Tls, bool Gss) Reached { get; set; } = (tls, gss);
    }
}
