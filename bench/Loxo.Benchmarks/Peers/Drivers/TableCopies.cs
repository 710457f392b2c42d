using Npgsql;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>What is copied into or out of a real table of five columns.</summary>
internal enum TableCopy
{
    /// <summary>By the importer.</summary>
    In,

    /// <summary>From objects: by PgBulkCopy.</summary>
    Bulk,

    /// <summary>From a reader of the same driver: by PgBulkCopy.</summary>
    Reader,

    /// <summary>By the exporter.</summary>
    Out,
}

/// <summary>A row of the table.</summary>
internal sealed record CopiedItem(int Id, string Name, string Note, long Amount, double Price);

/// <summary>The table and its rows.</summary>
internal static class CopiedItems
{
    public const int Count = 1_000;
    public const string Create = "CREATE TEMP TABLE copied_item (id int4, name text, note text, amount int8, price float8)";
    public const string Empty = "TRUNCATE copied_item";
    public const string In = "COPY copied_item FROM STDIN (FORMAT binary)";
    public const string Query = "SELECT id, name, note, amount, price FROM item WHERE id <= 1000";
    public const string Out = $"COPY ({Query}) TO STDOUT (FORMAT binary)";

    public static readonly CopiedItem[] Rows =
        [.. Enumerable.Range(1, Count).Select(i => new CopiedItem(i, $"name-{i:00000000000}", $"some note {i * 7}", i * 3L, i / 4.0))];
}

/// <summary>Loxo copies.</summary>
internal sealed class LoxoTableCopy : IPeer
{
    private readonly PgConnection _connection;
    private readonly PgCommand _empty;
    private readonly PgCommand _query;
    private readonly TableCopy _work;

    public LoxoTableCopy(Target target, TableCopy work)
    {
        _work = work;
        _connection = new PgConnection(target.With("Pooling=false"));
        _connection.Open();
        using (var create = new PgCommand(CopiedItems.Create, _connection))
            create.ExecuteNonQuery();
        _empty = new PgCommand(CopiedItems.Empty, _connection);
        var source = new PgConnection(target.With("Pooling=false"));
        source.Open();
        _query = new PgCommand(CopiedItems.Query, source);
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            if (_work == TableCopy.Out)
            {
                sum += ReadAll();
                continue;
            }
            _empty.ExecuteNonQuery();
            sum += _work == TableCopy.In ? (long)WriteAll() : WriteInBulk();
        }
        return sum;
    }

    public Task<long> RunAsync(int times) => throw new NotSupportedException("Tables are copied blocking.");

    public void Dispose()
    {
        _connection.Dispose();
        _query.Connection!.Dispose();
    }

    private long WriteInBulk()
    {
        var bulk = new PgBulkCopy(_connection) { DestinationTableName = "copied_item" };
        if (_work == TableCopy.Bulk)
            return bulk.WriteToServer(CopiedItems.Rows).RowsCopied;
        using var reader = _query.ExecuteReader();
        return bulk.WriteToServer(reader).RowsCopied;
    }

    private ulong WriteAll()
    {
        using var importer = _connection.BeginBinaryImport(CopiedItems.In);
        foreach (var item in CopiedItems.Rows)
        {
            importer.StartRow();
            importer.Write(item.Id);
            importer.Write(item.Name);
            importer.Write(item.Note);
            importer.Write(item.Amount);
            importer.Write(item.Price);
        }
        return importer.Complete();
    }

    private long ReadAll()
    {
        long sum = 0;
        using var exporter = _connection.BeginBinaryExport(CopiedItems.Out);
        while (exporter.StartRow() >= 0)
        {
            sum += exporter.Read<int>() + exporter.Read<string>().Length + exporter.Read<string>().Length + exporter.Read<long>();
            sum += (long)exporter.Read<double>();
        }
        return sum;
    }
}

/// <summary>Npgsql copies.</summary>
internal sealed class NpgsqlTableCopy : IPeer
{
    private readonly NpgsqlConnection _connection;
    private readonly NpgsqlCommand _empty;
    private readonly NpgsqlCommand _query;
    private readonly TableCopy _work;

    public NpgsqlTableCopy(Target target, TableCopy work)
    {
        _work = work;
        _connection = new NpgsqlConnection(target.With("Pooling=false"));
        _connection.Open();
        using (var create = new NpgsqlCommand(CopiedItems.Create, _connection))
            create.ExecuteNonQuery();
        _empty = new NpgsqlCommand(CopiedItems.Empty, _connection);
        var source = new NpgsqlConnection(target.With("Pooling=false"));
        source.Open();
        _query = new NpgsqlCommand(CopiedItems.Query, source);
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            if (_work == TableCopy.Out)
            {
                sum += ReadAll();
                continue;
            }
            _empty.ExecuteNonQuery();
            sum += (long)(_work == TableCopy.Reader ? WriteFromReader() : WriteAll());
        }
        return sum;
    }

    public Task<long> RunAsync(int times) => throw new NotSupportedException("Tables are copied blocking.");

    public void Dispose()
    {
        _connection.Dispose();
        _query.Connection!.Dispose();
    }

    private ulong WriteFromReader()
    {
        using var reader = _query.ExecuteReader();
        using var importer = _connection.BeginBinaryImport(CopiedItems.In);
        while (reader.Read())
        {
            importer.StartRow();
            importer.Write(reader.GetInt32(0));
            importer.Write(reader.GetString(1));
            importer.Write(reader.GetString(2));
            importer.Write(reader.GetInt64(3));
            importer.Write(reader.GetDouble(4));
        }
        return importer.Complete();
    }

    private ulong WriteAll()
    {
        using var importer = _connection.BeginBinaryImport(CopiedItems.In);
        foreach (var item in CopiedItems.Rows)
        {
            importer.StartRow();
            importer.Write(item.Id);
            importer.Write(item.Name);
            importer.Write(item.Note);
            importer.Write(item.Amount);
            importer.Write(item.Price);
        }
        return importer.Complete();
    }

    private long ReadAll()
    {
        long sum = 0;
        using var exporter = _connection.BeginBinaryExport(CopiedItems.Out);
        while (exporter.StartRow() >= 0)
        {
            sum += exporter.Read<int>() + exporter.Read<string>().Length + exporter.Read<string>().Length + exporter.Read<long>();
            sum += (long)exporter.Read<double>();
        }
        return sum;
    }
}
