using System.Collections.Concurrent;

namespace Loxo.Pool;

/// <summary>The verdicts on the databases in use, shared by all pools of the same database. It runs no audit itself.</summary>
internal sealed class DatabaseAudits(TimeProvider time)
{
    private readonly ConcurrentDictionary<(string Server, string Database), AuditedDatabase> _databases = new();

    /// <summary>
    /// The one object for a database. Names are compared exactly; two names of one server only mean that it is asked twice.
    /// </summary>
    public AuditedDatabase Of(string server, string database) =>
        _databases.GetOrAdd((server, database), static (_, time) => new AuditedDatabase(time), time);
}
