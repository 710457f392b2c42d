namespace Loxo.Benchmarks;

/// <summary>The table that all peers read, and how they ask for it.</summary>
internal static class TestData
{
    public const int Items = 10_000;
    public const int RowsRead = 1_000;

    public const string Lookup = "SELECT id, amount FROM item WHERE id = $1";
    public const string ReadRows = "SELECT id, name, note, amount, price FROM item WHERE id <= 1000 ORDER BY id";
    public const string SelectOne = "SELECT 1";

    /// <summary>Names of 16 characters, notes of 12 to 16.</summary>
    public static readonly string[] Create =
    [
        "CREATE TABLE item (id int4 PRIMARY KEY, name text NOT NULL, note text NOT NULL, amount int8 NOT NULL, price float8 NOT NULL)",
        $"INSERT INTO item SELECT i, 'name-' || lpad(i::text, 11, '0'), 'some note ' || i * 7, i * 3, i / 4.0 FROM generate_series(1, {Items}) i",
        "ANALYZE item",
    ];

    /// <summary>The key of the n-th lookup: the same for all peers, and not in order.</summary>
    public static int Key(int n) => (int)((uint)n * 7919u % Items) + 1;
}
