namespace Loxo.Session;

/// <summary>
/// A text that the server cannot parse, for a group that the client cannot complete. It undoes an implicit transaction and makes an
/// explicit one fail, as any failed statement does, and no state of the session makes it succeed. A ROLLBACK would end a transaction that
/// its caller has begun, and outside of one it would raise a warning.
/// </summary>
internal sealed class UndoingText : IStatementSource
{
    /// <summary>The text appears in the server's log, behind its syntax error.</summary>
    public const string Sql = "loxo: the client could not write all of a group, so this text fails to undo the rest";

    private UndoingText()
    {
    }

    /// <summary>Writes it as a statement.</summary>
    public static UndoingText Instance { get; } = new();

    public void Write(CommandExchange exchange) => exchange.Query.AddDescription(Sql, []);
}
