namespace Loxo.Session;

/// <summary>The statements that a <see cref="CommandExchange"/> runs.</summary>
internal interface IStatementSource
{
    /// <summary>
    /// Writes all statements into <see cref="CommandExchange.Query"/>, without the Sync at the end. It may be called several times.
    /// </summary>
    void Write(CommandExchange exchange);

    /// <summary>
    /// The server has described the columns of the only statement, so they need not be looked up again; or they are no longer those.
    /// </summary>
    void ColumnsAreKnown(bool areKnown)
    {
    }
}
