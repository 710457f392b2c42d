using System.Collections.Concurrent;

namespace Loxo.Pool;

/// <summary>What is known about the databases that are in use, shared by all pools to the same one. It asks nobody itself.</summary>
internal sealed class DatabaseAudits(TimeProvider time)
{
    private readonly ConcurrentDictionary<(string Server, string Database), AuditedDatabase> _databases = new();

    /// <summary>The one object for a database. Names are compared exactly; two names of one server only mean that it is asked twice.</summary>
    public AuditedDatabase Of(string server, string database) =>
        _databases.GetOrAdd((server, database), static (_, time) => new AuditedDatabase(time), time);
}
