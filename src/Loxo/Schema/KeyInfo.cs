using System.Data;
using Loxo.Session;

namespace Loxo.Schema;

/// <summary>
/// What the catalogue knows of the columns of a command's results, for <see cref="CommandBehavior.KeyInfo"/>. What is not known from an
/// earlier execution is read before the command, on the same session. So it sees what the transaction has made, and needs no second
/// connection.
/// </summary>
/// <param name="connection">Where the command runs.</param>
/// <param name="session">Its session.</param>
/// <param name="isScript">Whether the command has several statements.</param>
internal sealed class KeyInfo(PgConnection connection, ServerSession session, bool isScript)
{
    private readonly Dictionary<(uint Table, short Number), ColumnFacts?> _columns = [];
    private readonly KnownColumns _known = connection.Source!.KnownColumns;
    private readonly long _definitions = session.Context.Database.Definitions;
    private readonly string? _server = connection.Host;
    private readonly string _database = connection.Database;
    // Of the only statement, in order. If it is prepared, the session may know it by a table that was dropped and made anew since.
    private (uint Table, short Number)[] _described = [];

    /// <summary>The columns whose facts have to be read.</summary>
    public (uint Table, short Number)[] Wanted => [.. _columns.Where(column => column.Value is null).Select(column => column.Key)];

    /// <summary>Notes the columns of a result that come from tables.</summary>
    public void Want(PgDataReader reader)
    {
        var columns = reader.GetColumnSchema();
        foreach (var column in columns)
        {
            var key = KeyOf(column);
            if (column.TableOID != 0 && !_columns.ContainsKey(key))
                _columns.Add(key, _known.Find(key, session));
        }
        if (!isScript)
            _described = [.. columns.Select(KeyOf)];
    }

    public void Add(ColumnFacts facts)
    {
        _columns[(facts.Table, facts.Number)] = facts;
        _known.Keep(facts, session, _definitions);
    }

    /// <summary>Completes the columns of a result.</summary>
    /// <remarks>
    /// The columns that are keys must together identify a row of the result (DbColumn.IsKey in .NET's documentation). In a join, the whole
    /// primary keys of all tables do; if a part is missing, several rows of the result may have the same key. A column that is unique in
    /// its table need not be in a join: DbDataAdapter would refuse the rows.
    /// </remarks>
    public void Complete(IReadOnlyCollection<PgDbColumn> columns)
    {
        var tables = columns.Select(FactsOf).OfType<ColumnFacts>().ToLookup(column => column.Table);
        var hasKey = tables.All(HasWholeKey);
        var isJoin = tables.Count > 1 || tables.Any(table => table.DistinctBy(column => column.Number).Count() < table.Count());
        foreach (var column in columns)
            column.Complete(FactsOf(column), hasKey, isJoin, _server, _database);
    }

    private ColumnFacts? FactsOf(PgDbColumn column) =>
        _columns.GetValueOrDefault(column.ColumnOrdinal < _described.Length ? _described[column.ColumnOrdinal.Value] : KeyOf(column));

    private static (uint Table, short Number) KeyOf(PgDbColumn column) => (column.TableOID, column.ColumnAttributeNumber ?? 0);

    private static bool HasWholeKey(IGrouping<uint, ColumnFacts> table) =>
        table.First().KeyColumns is { Length: > 0 } key && key.All(number => table.Any(column => column.Number == number));
}
