using Npgsql;

namespace Loxo.IntegrationTests.Copy;

/// <summary>Random programs of calls of an importer beside a list of the rows that they should make; Npgsql reads the table.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class CopyModelTests(WaitMode mode) : CopyTest(mode)
{
    private static readonly string[] _columns = ["a bigint", "b text", "c numeric", "d timestamptz", "e bytea", "f int[]"];

    [Test]
    public async Task A_table_holds_what_the_calls_have_written([Range(1, 12)] int seed)
    {
        var random = new Random(seed);
        for (var run = 0; run < 6; run++)
        {
            var table = "model_" + Guid.NewGuid().ToString("N")[..10];
            var columns = _columns[..random.Next(1, _columns.Length + 1)];
            await Execute($"CREATE TABLE {table} (n serial, {string.Join(", ", columns)})");
            try
            {
                var names = string.Join(", ", columns.Select(column => column[..1]));
                var rows = new List<object?[]>();
                var importer = await BeginImport($"COPY {table} ({names}) FROM STDIN (FORMAT binary)");
                var completes = await Play(random, importer, columns.Length, rows);
                if (completes)
                    Assert.That(await Complete(importer), Is.EqualTo((ulong)rows.Count), $"seed {seed}, run {run}");
                await Mode.Dispose(importer);
                Assert.That(await Read($"SELECT {names} FROM {table} ORDER BY n"), Is.EqualTo(completes ? rows : []), $"seed {seed}, run {run}");
                await AssertUsable();
            }
            finally
            {
                await Execute($"DROP TABLE {table}");
            }
        }
    }

    // False if the import is to be left without being completed.
    private async Task<bool> Play(Random random, PgBinaryImporter importer, int columns, List<object?[]> rows)
    {
        var steps = random.Next(1, 2000);
        object?[]? open = null;
        var at = 0;
        for (var step = 0; step < steps || open is not null; step++)
        {
            switch (random.Next(12))
            {
                case 0 when open is null:
                    var values = Enumerable.Range(0, columns).Select(i => Value(random, i)).ToArray();
                    await WriteRow(importer, values);
                    rows.Add(values);
                    break;
                case 1 when open is null:
                    var spoilt = Enumerable.Range(0, columns).Select(i => Value(random, i)).ToArray();
                    spoilt[random.Next(columns)] = new Version(1, 2);
                    await Catch<InvalidCastException>(() => WriteRow(importer, spoilt));
                    break;
                case 2 when open is null:
                    await Catch<ArgumentException>(() => WriteRow(importer, new object?[columns + random.Next(1, 3)]));
                    break;
                case 3 when open is null:
                    await Catch<InvalidOperationException>(() => Write(importer, 1));
                    break;
                case 4 when open is not null:
                    await Catch<InvalidOperationException>(() => StartRow(importer));
                    break;
                case 5 when open is not null:
                    await Catch<InvalidCastException>(() => Write(importer, new Version(3, 4)));
                    break;
                case 6 when random.Next(500) == 0:
                    return false;
                case > 6 when open is null:
                    await StartRow(importer);
                    (open, at) = (new object?[columns], 0);
                    break;
                case > 5 when open is not null:
                    open[at] = Value(random, at);
                    await WriteTyped(importer, open[at]);
                    if (++at < columns)
                        break;
                    rows.Add(open);
                    open = null;
                    break;
            }
        }
        return true;
    }

    private Task WriteTyped(PgBinaryImporter importer, object? value) => value switch
    {
        null => Mode.Run(importer.WriteNull, () => importer.WriteNullAsync()),
        long number => number is > int.MinValue and < int.MaxValue ? Write(importer, (int)number) : Write(importer, number),
        string text => Write(importer, text),
        decimal number => Write<decimal?>(importer, number),
        DateTime time => Write(importer, time),
        byte[] bytes => bytes.Length % 2 == 0 ? Write(importer, bytes) : Write<Stream>(importer, new MemoryStream(bytes)),
        _ => Write(importer, value),
    };

    private static object? Value(Random random, int column) => random.Next(5) == 0 ? null : column switch
    {
        0 => random.Next(2) == 0 ? random.Next() : random.NextInt64(),
        1 => new string((char)random.Next('a', 'ÿ'), random.Next(20) == 0 ? random.Next(100_000) : random.Next(20)),
        2 => new decimal(random.Next(), random.Next(), 0, random.Next(2) == 0, (byte)random.Next(10)),
        3 => DateTime.UnixEpoch.AddSeconds(random.Next()),
        4 => Bytes(random, random.Next(20) == 0 ? random.Next(200_000) : random.Next(20)),
        _ => Enumerable.Range(0, random.Next(1, 5)).ToArray(),
    };

    private static byte[] Bytes(Random random, int count)
    {
        var bytes = new byte[count];
        random.NextBytes(bytes);
        return bytes;
    }

    private static async Task<List<object?[]>> Read(string sql)
    {
        await using var connection = new NpgsqlConnection(TestServer.Default.ConnectionString);
        await connection.OpenAsync();
        await using var command = new NpgsqlCommand(sql, connection);
        await using var reader = await command.ExecuteReaderAsync();
        var rows = new List<object?[]>();
        while (await reader.ReadAsync())
        {
            var row = new object[reader.FieldCount];
            reader.GetValues(row);
            rows.Add(Array.ConvertAll(row, value => value is DBNull ? null : value));
        }
        return rows;
    }
}
