namespace Loxo;

/// <summary>
/// A session that came back to the pool with something in it that <see cref="SessionReset.Auto"/> would have left to the next user. Found
/// by <see cref="SessionReset.Verify"/>.
/// </summary>
public sealed class PgSessionLeakEventArgs : EventArgs
{
    internal PgSessionLeakEventArgs(string database, string host, int processId, IReadOnlyList<string> differences,
        IReadOnlyList<string> statements) =>
        (Database, Host, ProcessId, Differences, Statements) = (database, host, processId, differences, statements);

    /// <summary>The database of the session.</summary>
    public string Database { get; }

    /// <summary>The host and port of the server, or the path of its socket.</summary>
    public string Host { get; }

    /// <summary>The server process of the session.</summary>
    public int ProcessId { get; }

    /// <summary>The changes, one each: <c>setting: work_mem = 77 by session</c>, <c>no more cursor: c: SELECT 1</c>.</summary>
    public IReadOnlyList<string> Differences { get; }

    /// <summary>
    /// The different statements that ran since the connection was opened, in the order of their first execution, without the values of
    /// their parameters. At most 100, each cut after 2000 characters; a comment says how many executions were left out.
    /// </summary>
    public IReadOnlyList<string> Statements { get; }
}
