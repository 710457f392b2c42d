namespace Loxo.Session;

/// <summary>
/// Looks up types on a second session, for a command whose result is too large to be kept in memory during a lookup. If no second session
/// can be opened, reading values of these types throws.
/// </summary>
internal static class SpareSession
{
    /// <summary>Looks up the types of the current result, blocking.</summary>
    /// <param name="command">The command that has the result.</param>
    /// <param name="timeout">Milliseconds that each wait may last.</param>
    public static void LookUp(CommandExchange command, int timeout)
    {
        var context = command.Session.Context;
        try
        {
            using var spare = SessionOpener.Open(context, context.Settings.OpenTimeout);
            spare.Pump(spare.Begin(owner: null, Lookup, command), timeout);
            spare.End();
        }
        catch (Exception e) when (e is PgException or OperationCanceledException)
        {
            // The types stay unknown.
        }
        command.OnLookedUpElsewhere();
    }

    /// <inheritdoc cref="LookUp"/>
    public static async ValueTask LookUpAsync(CommandExchange command, int timeout, CancellationToken token)
    {
        var context = command.Session.Context;
        try
        {
            using var spare = await SessionOpener.OpenAsync(context, context.Settings.OpenTimeout, token).ConfigureAwait(false);
            var lookup = await spare.BeginAsync(owner: null, Lookup, command).ConfigureAwait(false);
            await spare.PumpAsync(lookup, timeout, token).ConfigureAwait(false);
            spare.End();
        }
        catch (Exception e) when (e is PgException or OperationCanceledException)
        {
            // The types stay unknown.
        }
        command.OnLookedUpElsewhere();
    }

    private static TypeLookup Lookup(ServerSession spare, CommandExchange command) =>
        new(spare, spare.TransactionStatus, [.. command.Query.Result!.Shape!.UnknownTypes], []);
}
