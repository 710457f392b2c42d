namespace Loxo.Conformance.BadInput;

/// <summary>States of readers.</summary>
internal static class ReaderStates
{
    public static readonly (string State, Func<Task<Subject>> Make)[] OfReaders =
    [
        ("before the first row", () => Reader("SELECT 1 AS x", 0)),
        ("on a number", () => Reader("SELECT 1 AS x", 1)),
        ("on text", () => Reader("SELECT 'text' AS x", 1)),
        ("on bytes", () => Reader("SELECT '\\x0102'::bytea AS x", 1)),
        ("on NULL", () => Reader("SELECT NULL::int AS x", 1)),
        ("on a record", () => Reader("SELECT ROW(1, 'a') AS x", 1)),
        ("after the last row", () => Reader("SELECT 1 AS x", 2)),
        ("without a result", () => Reader("SET application_name = 'x'", 0)),
        ("behind the last result", () => Reader("SELECT 1 AS x", 0, reader => reader.NextResult())),
        ("closed", () => Reader("SELECT 1 AS x", 1, reader => reader.Close())),
        ("of a closed connection", () => Reader("SELECT 1 AS x", 1, closesConnection: true)),
    ];

    public static readonly (string State, Func<Task<Subject>> Make)[] OfNestedReaders =
    [
        ("before the first row", () => Nested(0, _ => { })),
        ("on a row", () => Nested(1, _ => { })),
        ("after the last row", () => Nested(3, _ => { })),
        ("closed", () => Nested(1, _ => { }, closes: true)),
        ("of a reader that has moved on", () => Nested(1, reader => reader.Read())),
        ("of a closed reader", () => Nested(1, reader => reader.Close())),
    ];

    public static readonly (string State, Func<Task<Subject>> Make)[] OfColumns =
    [
        ("of a result", async () =>
        {
            await using var subject = await Reader("SELECT 1 AS x", 0);
            return new Subject(((PgDataReader)subject.Instance).GetColumnSchema()[0]);
        }),
    ];

    private static Task<Subject> Reader(string sql, int reads, Action<PgDataReader>? then = null, bool closesConnection = false) =>
        ConnectionStates.On(connection =>
        {
            var reader = new PgCommand(sql, connection).ExecuteReader();
            for (var i = 0; i < reads; i++)
                reader.Read();
            then?.Invoke(reader);
            if (closesConnection)
                connection.Close();
            return new Subject(reader, connection);
        });

    private static Task<Subject> Nested(int reads, Action<PgDataReader> then, bool closes = false) => ConnectionStates.On(connection =>
    {
        var reader = new PgCommand("SELECT ARRAY[ROW(1, 'a'), ROW(2, NULL)] UNION ALL SELECT NULL", connection).ExecuteReader();
        reader.Read();
        var nested = reader.GetData(0);
        for (var i = 0; i < reads; i++)
            nested.Read();
        then(reader);
        if (closes)
            nested.Close();
        return new Subject(nested, connection, reader);
    });
}
