using Dapper;

namespace Loxo.DapperTests;

/// <summary>The programs that run on both drivers.</summary>
internal static class Programs
{
    private const string People = "(VALUES (1, 'Ada'), (2, 'Bob'), (3, 'Cy')) AS person (id, name)";
    private const string PeopleByIds = $"SELECT name FROM {People} WHERE id = ANY(@ids) ORDER BY id";
    private static readonly int[] OneAndThree = [1, 3];
    private static readonly string[] Names = ["Bob", "it's", "{a,b}", ""];

    /// <summary>Dapper runs these on Npgsql without any registration.</summary>
    public static DapperProgram[] WithoutRegistration { get; } =
    [
        new("ANY with an array", async db => await db.Query<string>(PeopleByIds, new { ids = OneAndThree })),
        new("ANY with a list", async db => await db.Query<string>(PeopleByIds, new { ids = new List<int>(OneAndThree) })),
        new("ANY with a list by its interface", async db =>
            await db.Query<string>(PeopleByIds, new { ids = (IReadOnlyList<int>)OneAndThree })),
        new("ANY with an IEnumerable", async db =>
            await db.Query<string>(PeopleByIds, new { ids = (IEnumerable<int>)new List<int> { 2 } })),
        new("ANY with nothing", async db => await db.Query<string>(PeopleByIds, new { ids = Array.Empty<int>() })),
        new("ANY with null", async db => await db.Query<string>(PeopleByIds, new { ids = (int[]?)null })),
        new("ANY with longs", async db => await db.Query<string>(PeopleByIds, new { ids = new long[] { 2, 3 } })),
        new("ANY with nullable elements", async db => await db.Query<string>(PeopleByIds, new { ids = new int?[] { 2, null } })),
        new("ANY with strings", async db =>
            await db.Query<string>($"SELECT name FROM {People} WHERE name = ANY(@names)", new { names = Names })),
        new("ALL with a list", async db => await db.Query<string>(
            $"SELECT name FROM {People} WHERE id <> ALL(@ids)", new { ids = new List<int> { 1 } })),
        new("ANY with GUIDs", async db =>
            await db.Scalar<bool>("SELECT @id = ANY(@ids)", new { id = Guid.Empty, ids = new[] { Guid.Empty } })),
        new("IN is not expanded", async db =>
            await db.Query<string>($"SELECT name FROM {People} WHERE id IN @ids", new { ids = OneAndThree })),
        new("An array in DynamicParameters", async db =>
        {
            var parameters = new DynamicParameters();
            parameters.Add("ids", OneAndThree);
            parameters.Add("@name", "C%");
            return await db.Query<string>($"SELECT name FROM {People} WHERE id = ANY(@ids) AND name LIKE @name", parameters);
        }),
        new("An array twice in a text", async db => await db.Query<int>(
            "SELECT cardinality(@ids) UNION ALL SELECT unnest(@ids)", new { ids = OneAndThree })),
        new("Rows made of arrays", async db => await db.Query<dynamic>(
            "SELECT id, name FROM unnest(@ids, @names) AS t (id, name)", new { ids = OneAndThree, names = new[] { "a", "b" } })),
        new("The types of arrays", async db => await db.Query<string>(
            "SELECT unnest(ARRAY[pg_typeof(@a), pg_typeof(@b), pg_typeof(@c), pg_typeof(@d), pg_typeof(@e), pg_typeof(@f), "
            + "pg_typeof(@g)]::text[])",
            new
            {
                a = new bool[1], b = new short[1], c = new double[1], d = new List<decimal>(), e = new List<string>(),
                f = new[] { DateTime.UnixEpoch }, g = new byte[][] { [1] },
            })),
        new("bytes are bytea", async db => await db.One<byte[]>("SELECT @v", new { v = new byte[] { 1, 2 } })),
        new("An array column", async db => await db.One<int[]>("SELECT '{1,2}'::int[]")),
        new("An array column as a scalar", async db => await db.Scalar<string[]>("SELECT ARRAY['a', 'b']")),
        new("An array column of an object", async db => (await db.One<WithArray>("SELECT 1 AS id, '{a,b}'::text[] AS tags")).Tags),
        new("An array column of a dynamic", async db => await db.Query<dynamic>("SELECT '{1,2}'::bigint[] AS a, NULL::int[] AS b")),
        new("A null array column", async db => (await db.One<WithArray>("SELECT 1 AS id, NULL::text[] AS tags")).Tags),
        new("Enums as numbers", async db => await db.One<Mood>("SELECT @mood", new { mood = Mood.Happy })),
        new("An enum column", async db => (await db.One<WithMood>("SELECT 'happy'::dapper_tests.mood AS mood")).Mood),
        new("Dates are read", async db => await db.One<WithDate>("SELECT date '2024-02-29' AS day, time '01:02:03' AS time")),
        new("Dates of dynamics", async db =>
            await db.Query<dynamic>("SELECT date '2024-02-29' AS a, timestamp '2024-02-29 01:02' AS b, now() > '2024-01-01Z' AS c")),
        new("JSON as text", async db => await db.One<string>("SELECT '{\"a\": [1, 2]}'::jsonb")),
        new("A range as text", async db => await db.One<string>("SELECT int4range(1, 5)::text")),
        new("Several objects of a row", async db => await db.Mode.Run(
            () => db.Connection.Query<Head, Tail, string>(Joined, Join, splitOn: "tail_id").ToList(),
            async () => (await db.Connection.QueryAsync<Head, Tail, string>(Joined, Join, splitOn: "tail_id")).ToList())),
        new("Several results", async db =>
        {
            const string Sql =
                "SELECT unnest(@ids); SELECT name FROM (VALUES (1, 'Ada')) AS t (id, name) WHERE id = ANY(@ids); SELECT 7::bigint";
            using var grid = await db.Mode.Run(
                () => db.Connection.QueryMultiple(Sql, new { ids = OneAndThree }),
                    () => db.Connection.QueryMultipleAsync(Sql, new { ids = OneAndThree }));
            var ids = (await db.Mode.Run(() => grid.Read<int>(), () => grid.ReadAsync<int>())).ToList();
            var name = await db.Mode.Run(() => grid.ReadSingle<string>(), () => grid.ReadSingleAsync<string>());
            var seven = await db.Mode.Run(() => grid.ReadFirst<long>(), () => grid.ReadFirstAsync<long>());
            return new object[] { ids, name, seven, grid.IsConsumed };
        }),
        new("Rows one by one, given up early", async db =>
        {
            const string Sql = "SELECT i FROM generate_series(1, 50000) i WHERE i <> ALL(@ids)";
            var seen = new List<int>();
            if (db.Mode == WaitMode.Blocking)
            {
                seen.AddRange(db.Connection.Query<int>(Sql, new { ids = OneAndThree }, buffered: false).Take(3));
            }
            else
            {
                await foreach (var i in db.Connection.QueryUnbufferedAsync<int>(Sql, new { ids = OneAndThree }))
                {
                    seen.Add(i);
                    if (seen.Count == 3)
                        break;
                }
            }
            return new object[] { seen, await db.Scalar<int>("SELECT 42") };
        }),
        new("A list of objects with arrays", async db =>
        {
            await db.Execute("DELETE FROM dapper_tests.tagged");
            var rows = new[] { new { id = 1, tags = new[] { "a", "b" } }, new { id = 2, tags = Array.Empty<string>() } };
            var added = await db.Execute("INSERT INTO dapper_tests.tagged (id, tags) VALUES (@id, @tags)", rows);
            return new object[] { added, await db.Query<dynamic>("SELECT id, tags FROM dapper_tests.tagged ORDER BY id") };
        }),
        new("A statement that fails", async db => await db.One<int>("SELECT 1 / (cardinality(@ids) - 2)", new { ids = OneAndThree })),
    ];

    /// <summary>Dapper refuses the parameters or members of these on every driver, unless their types are registered.</summary>
    public static DapperProgram[] WithRegistration { get; } =
    [
        new("DateOnly", async db => await db.One<DateOnly>("SELECT @v", new { v = new DateOnly(2024, 2, 29) })),
        new("DateOnly?", async db => await db.One<DateOnly?>("SELECT @v::date", new { v = (DateOnly?)null })),
        new("TimeOnly", async db => await db.One<TimeOnly>("SELECT @v", new { v = new TimeOnly(1, 2, 3, 4) })),
        new("DateOnly in an object", async db => await db.One<WithDate>(
            "SELECT @day AS day, @time AS time", new WithDate(new DateOnly(2024, 2, 29), new TimeOnly(1, 2, 3)))),
        new("Lists of DateOnly", async db =>
            await db.One<List<DateOnly>>("SELECT @v", new { v = new List<DateOnly> { new(2024, 2, 29), DateOnly.MaxValue } })),
        new("A list column", async db => await db.One<List<int>>("SELECT '{1,2}'::int[]")),
        new("A set column", async db => await db.One<HashSet<string>>("SELECT '{a,b,a}'::text[]")),
        new("An interface's column", async db => (await db.One<WithList>("SELECT '{1,2}'::bigint[] AS ids")).Ids),
        new("JsonDocument", async db => await db.Scalar<string>(
            "SELECT pg_typeof(@v)::text || (@v -> 'a')::text", new { v = System.Text.Json.JsonDocument.Parse("""{"a": [1, "x"]}""") })),
        new("IPAddress", async db => await db.One<System.Net.IPAddress>("SELECT @v", new { v = System.Net.IPAddress.Parse("10.1.2.3") })),
    ];

    private const string Joined = "SELECT 1 AS id, 'a' AS name, 2 AS tail_id, '{x,y}'::text[] AS tags UNION ALL SELECT 3, 'b', NULL, NULL";

    private static string Join(Head head, Tail? tail) =>
        $"{head.Id} {head.Name} {tail?.Tail_id} {string.Join('+', tail?.Tags ?? ["none"])}";

    private enum Mood
    {
        Sad,
        Happy,
    }

    // Npgsql's GetFieldType of an array is System.Array, so Dapper finds no constructor that takes a string[].
    private sealed class WithArray
    {
        public int Id { get; set; }

        public string[]? Tags { get; set; }
    }

    private sealed record WithDate(DateOnly Day, TimeOnly Time);

    private sealed class WithMood
    {
        public Mood Mood { get; set; }
    }

    private sealed class WithList
    {
        public IReadOnlyList<long>? Ids { get; set; }
    }

    private sealed class Head
    {
        public int Id { get; set; }

        public string? Name { get; set; }
    }

    private sealed class Tail
    {
        public int Tail_id { get; set; }

        public string[]? Tags { get; set; }
    }
}
