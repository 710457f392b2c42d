namespace Loxo.IntegrationTests.Exactness;

/// <summary>What a renter does with a connection, step by step; each step says what it has read.</summary>
/// <param name="Name">A short name, unique.</param>
/// <param name="Steps">They depend on nothing but the connection, and send the same requests in every run.</param>
internal sealed record RecordedSession(string Name, params RecordedSession.Step[] Steps)
{
    public delegate Task<string> Step(PgConnection connection, Executor executor);

    /// <summary>Everything that the steps need, in an empty database.</summary>
    public const string Schema = """
        CREATE TABLE m_item (id int, name text);
        INSERT INTO m_item SELECT i, 'name ' || i FROM generate_series(1, 3) i;
        CREATE TABLE m_log (id int);
        CREATE TABLE m_ruled AS SELECT i AS id FROM generate_series(1, 2) i;
        CREATE RULE r_insert AS ON INSERT TO m_ruled DO INSTEAD INSERT INTO m_log SELECT new.id FROM generate_series(1, 2) RETURNING id;
        CREATE RULE r_update AS ON UPDATE TO m_ruled DO INSTEAD UPDATE m_item SET id = id RETURNING id;
        CREATE RULE r_delete AS ON DELETE TO m_ruled DO INSTEAD INSERT INTO m_log VALUES (1), (2), (3) RETURNING id;
        CREATE TABLE m_small (id int CHECK (id < 3))
        """;

    // In a pipeline: not a command.
    private const string Sync = "";

    private const string Rows = "SELECT id, name FROM m_item ORDER BY id";

    // Sends two rows that fill the server's buffer, and waits to be cancelled.
    private const string Endless = "SELECT CASE WHEN i = 3 THEN pg_sleep(600)::text ELSE repeat('x', 9000) END FROM generate_series(1, 3) i";

    public static readonly RecordedSession[] All =
    [
        new("rows", Read(Rows)) { HasOwnReset = true },
        new("one column", Read("SELECT id FROM m_item ORDER BY id")),
        new("no rows", Read("SELECT id FROM m_item WHERE false")),
        new("scalar", Value("SELECT 42"), Value("SELECT id FROM m_item ORDER BY id")),
        new("parameters", Read("SELECT $1 + i FROM generate_series(1, 2) i", 10)),
        new("prepared by itself", Value("SELECT 7"), Value("SELECT 7"), Value("SELECT 7"), Value("SELECT 7")),
        new("rows of a statement prepared by itself", Read(Rows), Read(Rows), Read(Rows), Read(Rows)),
        new("prepared", Prepared(Rows)),
        new("prepared change", Prepared("UPDATE m_item SET name = name")),
        new("changes", Do("INSERT INTO m_log VALUES (1), (2)"), Do("UPDATE m_log SET id = 3"), Do("DELETE FROM m_log")),
        new("changes again", Do("INSERT INTO m_log VALUES (1)"), Do("INSERT INTO m_log VALUES (1)"), Do("INSERT INTO m_log VALUES (1)")),
        new("RETURNING", Read("INSERT INTO m_log VALUES (1), (2) RETURNING id"), Read("DELETE FROM m_log RETURNING id")),
        new("RETURNING of a rule", Read("INSERT INTO m_ruled VALUES (1), (2) RETURNING id"), Read("UPDATE m_ruled SET id = 5 RETURNING id"), Read("DELETE FROM m_ruled RETURNING id")),
        new("RETURNING prepared by itself", Read("UPDATE m_item SET name = name RETURNING id"), Read("UPDATE m_item SET name = name RETURNING id"), Read("UPDATE m_item SET name = name RETURNING id"), Read("UPDATE m_item SET name = name RETURNING id")),
        new("several statements", Read("SELECT 1; SELECT id FROM m_item ORDER BY id; SELECT 3")),
        new("several changes", Do("INSERT INTO m_log VALUES (1); INSERT INTO m_log VALUES (1), (2); SELECT 1; DELETE FROM m_log")),
        new("batch", Batch(false, "SELECT 1", "INSERT INTO m_log VALUES (1)", "SELECT 3")),
        new("batch again", Batch(false, "SELECT 1", "SELECT 2"), Batch(false, "SELECT 1", "SELECT 2"), Batch(false, "SELECT 1", "SELECT 2")),
        new("batch with barriers", Batch(true, "SELECT 1", "INSERT INTO m_log VALUES (1)", "SELECT 3")),
        new("error", Read("SELECT 1 / 0"), Value("SELECT 5")),
        new("error at Parse", Read("SELECT nothing"), Value("SELECT 5")),
        new("error behind rows", Read("SELECT 6 / (3 - i) FROM generate_series(1, 5) i"), Value("SELECT 5")),
        new("error in a batch", Batch(false, "SELECT 1", "SELECT 1 / 0", "SELECT 3"), Value("SELECT 5")),
        new("error behind a barrier", Batch(true, "SELECT 1", "SELECT 1 / 0", "SELECT 3"), Value("SELECT 5")),
        new("transaction", Begin, Value("SELECT 1"), Do("INSERT INTO m_log VALUES (1)"), Commit, Value("SELECT 5")),
        new("transaction rolled back", Begin, Read(Rows), Rollback, Value("SELECT 5")),
        new("transaction failed", Begin, Value("SELECT 1"), Read("SELECT 1 / 0"), Rollback, Value("SELECT 5")),
        new("transaction left open", Begin, Value("SELECT 1")) { HasOwnReset = true },
        new("DDL", Do("CREATE TEMP TABLE m_temp (id int)"), Do("DROP TABLE m_temp")),
        new("CREATE TABLE AS", Do("CREATE TEMP TABLE m_temp AS SELECT 1 AS id")),
        new("SHOW", Value("SHOW standard_conforming_strings")) { HasUncountedRows = true },
        new("EXPLAIN", Read("EXPLAIN (COSTS OFF) SELECT id FROM m_item WHERE id = 1")) { HasUncountedRows = true },
        new("cursor", Begin, Do("DECLARE m_cursor CURSOR FOR SELECT id FROM m_item ORDER BY id"), Read("FETCH 2 FROM m_cursor"), Do("MOVE 1 IN m_cursor"), Commit),
        new("notices", Do("DO $$ BEGIN RAISE NOTICE 'one'; RAISE NOTICE 'two'; END $$"), Value("SELECT 5")),
        new("notification", Do("LISTEN m_channel"), Do("NOTIFY m_channel, 'x'"), Value("SELECT 5")),
        new("reported setting", Do("SET application_name = 'm'"), Value("SELECT 5")),
        new("nothing", Do("/* nothing */"), Value("SELECT 5")),
        new("half read", HalfRead(Rows), Value("SELECT 5")),
        new("cancelled", Cancelled(Endless), Value("SELECT 5")) { ReadsRowsBeforeError = true },
        new("cancelled in a transaction", Begin, Cancelled(Endless), Rollback, Value("SELECT 5")) { ReadsRowsBeforeError = true },
        new("cancelled and given back", Value("SELECT 5"), Cancelled(Endless)) { HasOwnReset = true, ReadsRowsBeforeError = true },
        new("rows in portions", Portions(Rows, 2), Value("SELECT 5")),
        new("rows in portions of one", Portions(Rows, 1), Portions(Rows, 1), Portions(Rows, 1)),
        new("rows in portions in a transaction", Begin, Value("SELECT 1"), Portions(Rows, 2), Portions("SELECT id FROM m_item", 3), Rollback),
        new("half read in portions", HalfRead(Rows, 2), Value("SELECT 5")),
        new("error in portions", Portions("SELECT 6 / (3 - i) FROM generate_series(1, 5) i", 2), Value("SELECT 5")),
        new("COPY from the client", Do("COPY m_log FROM STDIN"), Value("SELECT 5")),
        new("COPY to the client", Do("COPY m_item TO STDOUT"), Value("SELECT 5")),
        new("COPY in a transaction", Begin, Do("COPY m_log FROM STDIN"), Rollback, Value("SELECT 5")),
        new("import", Import("m_log", 2), Value("SELECT 5")),
        new("import again", Import("m_log", 1), Import("m_log", 1)),
        new("import given up", Import("m_log", 2, isCompleted: false), Value("SELECT 5")),
        new("import in a transaction", Begin, Import("m_log", 1), Commit, Value("SELECT 5")),
        new("import that is refused", Import("m_small", 3), Value("SELECT 5")),
        new("import of text", ImportText("1\n2\n"), Value("SELECT 5")),
        new("import behind a pooler", Import("m_log", 2), Value("SELECT 5")) { IsBehindPooler = true },
        new("import again behind a pooler", Import("m_log", 1), Import("m_log", 1)) { IsBehindPooler = true },
        new("import given up behind a pooler", Import("m_log", 2, isCompleted: false), Value("SELECT 5")) { IsBehindPooler = true },
        new("import in a transaction behind a pooler", Begin, Import("m_log", 1), Commit, Value("SELECT 5")) { IsBehindPooler = true },
        new("import that is refused behind a pooler", Import("m_small", 3), Value("SELECT 5")) { IsBehindPooler = true },
        new("export", Export("COPY m_item TO STDOUT (FORMAT binary)"), Value("SELECT 5")),
        new("export of a query", Export("COPY (SELECT id FROM m_item ORDER BY id) TO STDOUT (FORMAT binary)"), Value("SELECT 5")),
        new("export of nothing", Export("COPY (SELECT id FROM m_item WHERE false) TO STDOUT (FORMAT binary)"), Value("SELECT 5")),
        new("export that fails", Export("COPY (SELECT 6 / (3 - i) FROM generate_series(1, 5) i) TO STDOUT (FORMAT binary)"), Value("SELECT 5")),
        new("export given up", Export("COPY m_item TO STDOUT (FORMAT binary)", rows: 1), Value("SELECT 5")),
        new("export of text", ExportText("COPY m_item TO STDOUT"), Value("SELECT 5")) { ReadsTextOfCopy = true },
        new("many", Many("INSERT INTO m_log VALUES ($1)", 3), Value("SELECT 5")),
        new("many again", Many("INSERT INTO m_log VALUES ($1)", 2), Many("INSERT INTO m_log VALUES ($1)", 2)),
        new("many that are refused", Many("INSERT INTO m_small VALUES ($1)", 4), Value("SELECT 5")),
        new("pipeline", Pipeline("SELECT 1", "INSERT INTO m_log VALUES (1)", Rows), Value("SELECT 5")) { IsPipeline = true },
        new("pipeline with Syncs", Pipeline("SELECT 1", Sync, "INSERT INTO m_log VALUES (1)", Sync, Rows), Value("SELECT 5")) { IsPipeline = true },
        new("pipeline again", Pipeline(Rows, "SELECT 7"), Pipeline(Rows, "SELECT 7"), Pipeline(Rows, "SELECT 7")) { IsPipeline = true },
        new("error in a pipeline", Pipeline("SELECT 1", "SELECT 1 / 0", "SELECT 3", Sync, "SELECT 4"), Value("SELECT 5")) { IsPipeline = true },
    ];

    /// <summary>Whether it reads rows that no tag counts.</summary>
    public bool HasUncountedRows { get; private init; }

    /// <summary>Whether it reads rows of a statement that then fails, so that no tag counts them.</summary>
    public bool ReadsRowsBeforeError { get; private init; }

    /// <summary>Whether it reads the text of a COPY, whose lines the driver does not look into.</summary>
    public bool ReadsTextOfCopy { get; private init; }

    /// <summary>Whether it reads answers that no Sync ends yet.</summary>
    public bool IsPipeline { get; private init; }

    /// <summary>Whether the reset behind it differs from that behind the others.</summary>
    public bool HasOwnReset
    {
        get => field || IsBehindPooler;
        private init;
    }

    /// <summary>Whether it is recorded with <c>Pooler=Transaction</c>, and so without a reset.</summary>
    public bool IsBehindPooler { get; private init; }

    public override string ToString() => Name;

    private static Step Do(string sql) => async (connection, executor) =>
    {
        await using var command = new PgCommand(sql, connection);
        return $"{await executor.Run(command, Call.NonQuery)} rows";
    };

    private static Step Value(string sql) => async (connection, executor) =>
    {
        await using var command = new PgCommand(sql, connection);
        return $"{await executor.Run(command, Call.Scalar)}";
    };

    private static Step Read(string sql, params object[] parameters) => async (connection, executor) =>
    {
        await using var command = new PgCommand(sql, connection);
        foreach (var value in parameters)
            command.Parameters.Add(new PgParameter(null, value));
        return await executor.ReadAll(command);
    };

    private static Step Prepared(string sql) => async (connection, executor) =>
    {
        await using var command = new PgCommand(sql, connection);
        await executor.Prepare(command);
        return $"{await executor.ReadAll(command)}, then {await executor.ReadAll(command)}";
    };

    private static Step Batch(bool hasBarriers, params string[] texts) => async (connection, executor) =>
    {
        await using var batch = new PgBatch(connection) { EnableErrorBarriers = hasBarriers };
        foreach (var text in texts)
            batch.BatchCommands.Add(new PgBatchCommand(text));
        return await executor.ReadAll(batch);
    };

    private static Step Portions(string sql, int fetchSize) => async (connection, executor) =>
    {
        await using var command = new PgCommand(sql, connection) { FetchSize = fetchSize };
        return await executor.ReadAll(command);
    };

    private static Step HalfRead(string sql, int fetchSize = 0) => async (connection, executor) =>
    {
        await using var command = new PgCommand(sql, connection) { FetchSize = fetchSize };
        return await executor.ReadOne(command);
    };

    // The request is on its way before the answer has been read, so that what follows has to settle it: one Sync absorbs the signal.
    private static Step Cancelled(string sql) => async (connection, executor) =>
    {
        await using var command = new PgCommand(sql, connection);
        return await executor.ReadCancelled(command);
    };

    private static Step Import(string table, int rows, bool isCompleted = true) =>
        (connection, executor) => executor.Import(connection, $"COPY {table} FROM STDIN (FORMAT binary)", rows, isCompleted);

    private static Step ImportText(string text) => (connection, executor) => executor.ImportText(connection, "COPY m_log FROM STDIN", text);

    private static Step Export(string sql, int rows = int.MaxValue) => (connection, executor) => executor.Export(connection, sql, rows);

    private static Step ExportText(string sql) => (connection, executor) => executor.ExportText(connection, sql);

    private static Step Many(string sql, int rows) => async (connection, executor) =>
    {
        await using var command = new PgCommand(sql, connection);
        command.Parameters.Add(new PgParameter<int>());
        return await executor.Many(command, rows);
    };

    private static Step Pipeline(params string[] texts) => (connection, executor) => executor.Pipeline(connection, texts);

    private static Step Begin => async (connection, executor) =>
    {
        await executor.Begin(connection);
        return "begun";
    };

    private static Step Commit => async (connection, executor) =>
    {
        await executor.Commit();
        return "committed";
    };

    private static Step Rollback => async (connection, executor) =>
    {
        await executor.Rollback();
        return "rolled back";
    };
}
