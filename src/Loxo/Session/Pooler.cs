namespace Loxo;

/// <summary>The kind of pooler between the driver and the server.</summary>
public enum Pooler
{
    /// <summary>
    /// Nothing, or something that gives each connection a server process of its own (pgbouncer's <c>pool_mode=session</c>). The default.
    /// </summary>
    None,

    /// <summary>
    /// A pooler that gives each transaction another server process. Statements are not prepared, and what would stay behind in a session
    /// (LISTEN, SET, temporary tables, session-level advisory locks) is refused.
    /// </summary>
    Transaction,

    /// <summary>
    /// As <see cref="Transaction"/>, and the pooler keeps track of prepared statements (pgbouncer from 1.21 on, with
    /// <c>max_prepared_statements</c> above 0), so that they are used.
    /// </summary>
    TransactionPrepared,
}
