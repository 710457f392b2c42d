using Loxo.Types;

namespace Loxo.Session;

/// <summary>
/// Looks up types on a second session, for a command whose result is too large to be kept in memory during a lookup, or that others
/// follow. If no second session can be opened, reading and writing values of these types throws.
/// </summary>
internal static class SpareSession
{
    /// <summary>Looks up the types of the current result, blocking.</summary>
    /// <param name="command">The command that has the result.</param>
    /// <param name="timeout">Milliseconds that each wait may last.</param>
    public static void LookUp(CommandExchange command, int timeout)
    {
        Run(command.Session.Context, new Wanted([.. command.Result!.Shape!.UnknownTypes], []), timeout);
        command.OnLookedUpElsewhere();
    }

    /// <inheritdoc cref="LookUp(CommandExchange, int)"/>
    public static async ValueTask LookUpAsync(CommandExchange command, int timeout, CancellationToken token)
    {
        var wanted = new Wanted([.. command.Result!.Shape!.UnknownTypes], []);
        await RunAsync(command.Session.Context, wanted, timeout, token).ConfigureAwait(false);
        command.OnLookedUpElsewhere();
    }

    /// <summary>
    /// Looks up types by name, blocking, for a session that cannot do it now. Types that are not found count as absent there.
    /// </summary>
    /// <param name="session">The session.</param>
    /// <param name="names">The types.</param>
    /// <param name="timeout">Milliseconds that each wait may last.</param>
    public static void LookUp(ServerSession session, IReadOnlyCollection<TypeName> names, int timeout)
    {
        Run(session.Context, new Wanted([], names), timeout);
        session.Types.LookUpSucceeded([], names);
    }

    /// <inheritdoc cref="LookUp(ServerSession, IReadOnlyCollection{TypeName}, int)"/>
    public static async ValueTask LookUpAsync(
        ServerSession session, IReadOnlyCollection<TypeName> names, int timeout, CancellationToken token)
    {
        await RunAsync(session.Context, new Wanted([], names), timeout, token).ConfigureAwait(false);
        token.ThrowIfCancellationRequested();
        session.Types.LookUpSucceeded([], names);
    }

    /// <summary>Looks up types by OID, for values of a session that runs no queries.</summary>
    /// <param name="context">Where they are added to the known types.</param>
    /// <param name="oids">The types.</param>
    /// <param name="timeout">Milliseconds that each wait may last.</param>
    /// <param name="token">Ends the lookup; the types stay unknown then.</param>
    public static ValueTask LookUpAsync(SessionContext context, IReadOnlyCollection<uint> oids, int timeout, CancellationToken token) =>
        RunAsync(context, new Wanted(oids, []), timeout, token);

    private static void Run(SessionContext context, Wanted wanted, int timeout)
    {
        try
        {
            using var spare = SessionOpener.Open(context, context.Settings.OpenTimeout);
            spare.Pump(spare.Begin(owner: null, Lookup, wanted), timeout);
            spare.End();
        }
        catch (Exception e) when (e is PgException or OperationCanceledException)
        {
            // The types stay unknown.
        }
    }

    private static async ValueTask RunAsync(SessionContext context, Wanted wanted, int timeout, CancellationToken token)
    {
        try
        {
            using var spare = await SessionOpener.OpenAsync(context, context.Settings.OpenTimeout, token).ConfigureAwait(false);
            var lookup = await spare.BeginAsync(owner: null, Lookup, wanted).ConfigureAwait(false);
            await spare.PumpAsync(lookup, timeout, token).ConfigureAwait(false);
            spare.End();
        }
        catch (Exception e) when (e is PgException or OperationCanceledException)
        {
            // The types stay unknown.
        }
    }

    private static TypeLookup Lookup(ServerSession spare, Wanted wanted) => new(spare, spare.TransactionStatus, wanted.Oids, wanted.Names);

    private readonly record struct Wanted(IReadOnlyCollection<uint> Oids, IReadOnlyCollection<TypeName> Names);
}
