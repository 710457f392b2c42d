namespace Loxo.Session;

/// <summary>
/// Exchanges of pipelined commands that are over, for later commands of the session: with all its parts an exchange is ten objects. Used
/// under the gate of the wire.
/// </summary>
internal sealed class SpareExchanges(ServerSession session)
{
    // About 30 KiB. One that has run more statements takes more.
    private const int Most = 32;
    private const int MostStatements = 4;

    private readonly Stack<CommandExchange> _exchanges = [];

    /// <summary>An exchange that nobody uses.</summary>
    public CommandExchange Take() => _exchanges.TryPop(out var exchange) ? exchange : new CommandExchange(session);

    /// <summary>Nobody uses the exchange from here on.</summary>
    public void Add(CommandExchange exchange)
    {
        if (_exchanges.Count < Most && exchange.Query.Runs.Length <= MostStatements)
            _exchanges.Push(exchange);
    }
}
