using System.Data;

namespace Loxo.Schema;

/// <summary>
/// What the catalogue knows of the columns of a command's results, for <see cref="CommandBehavior.KeyInfo"/>: read once for each
/// execution, before it, on the same session. So it sees what the transaction has made, and needs no second connection.
/// </summary>
internal sealed class KeyInfo(PgConnection connection)
{
    private readonly Dictionary<(uint Table, short Number), ColumnFacts?> _columns = [];
    private readonly string? _server = connection.Host;
    private readonly string _database = connection.Database;

    public IEnumerable<(uint Table, short Number)> Wanted => _columns.Keys;

    public bool IsEmpty => _columns.Count == 0;

    /// <summary>Notes the columns of a result that come from tables.</summary>
    public void Want(PgDataReader reader)
    {
        foreach (var column in reader.GetColumnSchema())
        {
            if (column.TableOID != 0)
                _columns.TryAdd((column.TableOID, column.ColumnAttributeNumber ?? 0), null);
        }
    }

    public void Add(ColumnFacts facts) => _columns[(facts.Table, facts.Number)] = facts;

    /// <summary>Completes the columns of a result.</summary>
    public void Complete(IReadOnlyCollection<PgDbColumn> columns)
    {
        var hasKey = HasKey(columns);
        foreach (var column in columns)
            column.Complete(FactsOf(column), hasKey, _server, _database);
    }

    private ColumnFacts? FactsOf(PgDbColumn column) =>
        _columns.GetValueOrDefault((column.TableOID, column.ColumnAttributeNumber ?? 0));

    // Columns that are keys must together identify a row of the result (DbColumn.IsKey in .NET's documentation). In a join, each table's
    // whole primary key does that. If a part of one is missing, rows of the result may have equal keys.
    private bool HasKey(IReadOnlyCollection<PgDbColumn> columns)
    {
        var facts = columns.Select(FactsOf).OfType<ColumnFacts>().ToLookup(column => column.Table);
        return facts.Count > 0 && facts.All(table =>
            table.First().KeyColumns is { Length: > 0 } key && key.All(number => table.Any(column => column.Number == number)));
    }
}
