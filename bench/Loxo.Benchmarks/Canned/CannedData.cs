namespace Loxo.Benchmarks.Canned;

/// <summary>What is done with the canned answers.</summary>
internal enum CannedWork
{
    /// <summary>int8, text, timestamptz and float8, by GetInt64, GetString, GetDateTime and GetDouble.</summary>
    Rows,

    /// <summary>The same without the text.</summary>
    RowsWithoutString,

    /// <summary>The columns of <see cref="Rows"/>, by GetFieldValue.</summary>
    RowsGeneric,

    /// <summary>int4, bool, text, uuid, timestamptz, numeric and int4[], by GetFieldValue.</summary>
    ReadValues,

    /// <summary>The same types, as parameters.</summary>
    WriteValues,
}

/// <summary>One row of the seven types. All encode to as many bytes as any other.</summary>
internal sealed record CannedValue(int Number, bool Truth, string Name, Guid Uid, DateTime At, decimal Amount, int[] Parts);

/// <summary>The rows that the canned server knows, and how it is asked for them.</summary>
internal static class CannedData
{
    public const int Rows = 1_000;
    public const int RowsWritten = 100;
    public const int Columns = 7;

    /// <summary>The number of every session's process.</summary>
    public const int ProcessId = 1;

    /// <summary>Asked by Loxo before queries of several callers share a transaction.</summary>
    public const string SharingQuery = "SELECT current_setting('default_transaction_isolation'), pg_backend_pid()";

    /// <summary>Copies rows of int8, text, timestamptz and float8. The server of canned answers has no catalogue to ask for the table.</summary>
    public const string Copy = "COPY canned (id, name, at, price) FROM STDIN (FORMAT binary)";

    /// <summary>The bytes of such a row: the number of columns, and each value behind its length.</summary>
    public const int CopiedRow = 2 + (4 + 8) + (4 + 16) + (4 + 8) + (4 + 8);

    /// <summary>The columns' types: int4, bool, text, uuid, timestamptz, numeric, int4[] (pg_type.dat).</summary>
    public static readonly int[] Types = [23, 16, 25, 2950, 1184, 1700, 1007];

    /// <summary>PostgreSQL's day zero.</summary>
    public static readonly DateTime Epoch = new(2000, 1, 1, 0, 0, 0, DateTimeKind.Utc);

    /// <summary>All values, made beforehand: nothing is allocated for those that are written.</summary>
    public static readonly CannedValue[] Values = [.. Enumerable.Range(0, Rows).Select(Value)];

    public static long Id(int row) => row * 3L;

    public static double Price(int row) => row / 4.0;

    /// <summary>The n-th row of an execution that writes <see cref="RowsWritten"/> of them.</summary>
    public static CannedValue Written(int execution, int n) => Values[(int)((uint)(execution * RowsWritten + n) % Rows)];

    public static string Sql(CannedWork work) => work switch
    {
        CannedWork.RowsWithoutString => "SELECT id, at, price FROM canned",
        CannedWork.ReadValues => "SELECT number, truth, name, uid, at, amount, parts FROM canned",
        CannedWork.WriteValues => "INSERT INTO canned VALUES " + string.Join(", ", Enumerable.Range(0, RowsWritten).Select(Placeholders)),
        _ => "SELECT id, name, at, price FROM canned",
    };

    private static string Placeholders(int row) => $"({string.Join(", ", Enumerable.Range(row * Columns + 1, Columns).Select(n => $"${n}"))})";

    // Names of 16 characters, amounts of one digit of base 10,000 before and one behind the point.
    private static CannedValue Value(int row) => new(
        row, row % 2 == 0, $"name-{row:00000000000}", new Guid(row, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), Epoch.AddYears(26).AddMicroseconds(row * 1_000_003L),
        1_000 + row + 0.25m, [row, row + 1, row + 2]);
}
