using Loxo.Embedded;

namespace Loxo.Tools.SqlFunctions;

/// <summary>The built-in functions and the keywords of all servers that were asked.</summary>
internal sealed class Catalogue
{
    /// <summary>
    /// The functions that SQL can call, and whether one of the same name is volatile. One that takes or returns a type of the list is for the
    /// server itself: SQL has no value of such a type.
    /// </summary>
    internal const string FunctionsQuery =
        """
        SELECT proname::text, bool_or(provolatile = 'v')
        FROM (SELECT proname, provolatile, proargtypes::oid[] || prorettype && ARRAY(SELECT oid FROM pg_type WHERE typname IN ('internal', 'trigger', 'event_trigger',
                  'language_handler', 'fdw_handler', 'index_am_handler', 'table_am_handler', 'tsm_handler')) AS is_internal
              FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace) f
        WHERE proname = lower(proname)
        GROUP BY proname HAVING bool_or(NOT is_internal)
        """;

    private readonly Dictionary<string, bool> _isVolatile = new(StringComparer.Ordinal);
    private readonly SortedSet<string> _keywords = new(StringComparer.Ordinal);
    private readonly SortedSet<string> _notFunctions = new(StringComparer.Ordinal);

    /// <summary>Functions that leave nothing in a session, sorted by their bytes.</summary>
    public IReadOnlyCollection<string> Plain => Where(isPlain: true);

    /// <summary>All others that SQL can call, sorted by their bytes.</summary>
    public IReadOnlyCollection<string> Others => Where(isPlain: false);

    /// <summary>All keywords, sorted by their bytes.</summary>
    public IReadOnlyCollection<string> Keywords => _keywords;

    /// <summary>The keywords that no function can have for its name, sorted by their bytes.</summary>
    public IReadOnlyCollection<string> NotFunctions => _notFunctions;

    /// <summary>Starts a server and adds what it knows.</summary>
    public void Read(int version)
    {
        using var server = PgEmbeddedServer.Start(new PgEmbeddedServerOptions { Version = version, Acquire = PgAcquire.All });
        using var connection = new PgConnection(server.ConnectionString);
        connection.Open();
        foreach (var row in Rows(connection, FunctionsQuery))
            _isVolatile[(string)row[0]] = _isVolatile.GetValueOrDefault((string)row[0]) | (bool)row[1];
        foreach (var row in Rows(connection, "SELECT word, catcode IN ('R', 'C') FROM pg_get_keywords()"))
        {
            _keywords.Add((string)row[0]);
            if ((bool)row[1])
                _notFunctions.Add((string)row[0]);
        }
    }

    private List<string> Where(bool isPlain) =>
    [
        .. _isVolatile.Where(function => FunctionReview.IsPlain(function.Key, isVolatile: function.Value) == isPlain)
            .Select(function => function.Key).Order(StringComparer.Ordinal),
    ];

    private static IEnumerable<object[]> Rows(PgConnection connection, string sql)
    {
        using var command = new PgCommand(sql, connection);
        using var reader = command.ExecuteReader();
        while (reader.Read())
        {
            var row = new object[reader.FieldCount];
            reader.GetValues(row);
            yield return row;
        }
    }
}
