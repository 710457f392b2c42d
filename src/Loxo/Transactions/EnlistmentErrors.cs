namespace Loxo.Transactions;

/// <summary>The errors of a connection that takes part in an ambient transaction.</summary>
internal static class EnlistmentErrors
{
    public static PgException RolledBack() => new(
        "The ambient transaction has been rolled back: its time is over, or it was given up. No command runs on the connection until the "
        + "transaction has been disposed, or the connection takes part in another.",
        PgErrorCode.TransactionRolledBack);

    public static InvalidOperationException IsEnding() => new(
        "The ambient transaction is being committed or rolled back by another thread; the connection cannot be used "
        + "before that has ended.");

    public static InvalidOperationException EndedBySql() => new(
        "A statement has ended the server's transaction behind the ambient one (COMMIT, ROLLBACK), or its BEGIN was refused, so "
        + "nothing more runs in it. Leave the end to the ambient transaction: complete its scope, or dispose it.");

    public static PgException Lost(Exception? cause) => new(
        "A connection of the ambient transaction was lost, so the server has rolled its part back. " + cause?.Message,
        PgErrorCode.ConnectionClosed, cause);

    public static InvalidOperationException OtherTransaction(string identifier) => new(
        $"The connection takes part in another ambient transaction ({identifier}), which has not ended. Open another connection, or end "
        + "that transaction first.");

    public static InvalidOperationException TransactionInProgress() => new(
        "A transaction is in progress on this connection. Commit it or roll it back before the connection takes part in an ambient one.");

    public static InvalidOperationException IsEnlisted() => new(
        "The connection takes part in an ambient transaction, and PostgreSQL has no nested ones: run the commands without "
        + "BeginTransaction, or open the connection with 'Enlist=false' or within TransactionScopeOption.Suppress.");

    public static PgException NoPreparedTransactions(PostgresException cause) => new(
        "More than one session takes part in the ambient transaction, so it needs two-phase commit, which the server has turned off "
        + "('max_prepared_transactions' is 0). The transaction was rolled back. Use one connection at a time, of one data source, or set "
        + "'max_prepared_transactions' to the number of such transactions at the same time and restart the server.",
        PgErrorCode.NotSupported, cause);
}
