using System.Data;
using System.Data.Common;
using System.Reflection;
using Npgsql;

namespace Loxo.IntegrationTests.Metadata;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class KeyInfoTests(WaitMode mode) : MetadataTest(mode)
{
    private static readonly string[] Facts =
    [
        "AllowDBNull", "BaseCatalogName", "BaseColumnName", "BaseSchemaName", "BaseTableName", "ColumnName", "ColumnOrdinal", "IsAliased",
        "IsAutoIncrement", "IsIdentity", "IsKey", "IsReadOnly", "IsUnique", "DefaultValue", "TableOID",
    ];

    /// <summary>Queries, and where Loxo differs from Npgsql on purpose: column, fact and value.</summary>
    private static readonly TestCaseData[] Queries =
    [
        // A domain can be NOT NULL. A generated column cannot be written, and its expression is no default.
        Query("SELECT * FROM metadata.parent", "d.AllowDBNull=False", "h.IsReadOnly=True", "h.DefaultValue=NULL"),
        Query("SELECT * FROM metadata.fixed"),
        Query($"SELECT id AS x, pid, \"Mixed Col\" AS \"B\" FROM {Child}"),
        Query($"SELECT id, \"Mixed Col\" FROM {Child}", "id.IsKey=False"), // a part of the key is no key
        Query($"SELECT p.id, c.id AS cid, c.pid, c.\"Mixed Col\" FROM metadata.parent p JOIN {Child} c ON c.pid = p.id", "id.IsUnique=False"),
        // Several rows of the result may have the same parent.
        Query($"SELECT p.id, c.\"Mixed Col\" FROM metadata.parent p JOIN {Child} c ON c.pid = p.id", "id.IsKey=False", "id.IsUnique=False"),
        Query("SELECT l.id, r.id AS other FROM metadata.parent l CROSS JOIN metadata.parent r", "id.IsUnique=False", "other.IsUnique=False"),
        // A partial index leaves rows out.
        Query("SELECT * FROM metadata.keyless", "k.IsUnique=False"),
        Query("SELECT * FROM metadata.named"),
        Query("SELECT * FROM metadata.counted"),
        Query("SELECT * FROM metadata.kept"),
        Query("SELECT * FROM metadata.parts1"),
        Query("SELECT a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u FROM metadata.shapes"),
        // An expression is neither.
        Query("SELECT id, a || b AS ab FROM metadata.parent", "ab.IsKey=False", "ab.IsUnique=False", "ab.IsAutoIncrement=False"),
    ];

    [TestCaseSource(nameof(Queries))]
    public async Task Facts_are_those_of_Npgsql_but_for_the_intended_differences(string sql, string[] intended)
    {
        foreach (var behavior in new[] { CommandBehavior.KeyInfo, CommandBehavior.KeyInfo | CommandBehavior.SchemaOnly })
        {
            var (ours, theirs) = (Describe(await ColumnsOf(sql, behavior)), Describe(OtherColumnsOf(sql, behavior)));
            var differences = ours.Where(fact => theirs[fact.Key] != fact.Value).Select(fact => $"{fact.Key}={fact.Value}");
            Assert.That(differences, Is.EquivalentTo(intended));
        }
    }

    [Test]
    public async Task A_partitioned_table_is_a_table()
    {
        var columns = await ColumnsOf("SELECT id, t, xmin FROM metadata.parts", CommandBehavior.KeyInfo);

        Assert.That(columns.Select(column => (column.BaseTableName, column.BaseColumnName, column.IsKey, column.AllowDBNull, column.IsReadOnly)),
            Is.EqualTo(new (string?, string?, bool?, bool?, bool?)[]
            {
                ("parts", "id", true, false, false), ("parts", "t", false, true, false), ("parts", "xmin", false, false, true),
            }));
    }

    [Test]
    public async Task Facts_of_the_schema_table_are_those_of_the_column_schema()
    {
        await using var command = Command("SELECT id AS key, a, h, 1 AS one FROM metadata.parent");
        var reader = await Mode.ExecuteReader(command, CommandBehavior.KeyInfo);
        var table = reader.GetSchemaTable()!;
        var columns = reader.GetColumnSchema();
        await Mode.Close(reader);

        foreach (var name in Facts.Except(["DefaultValue", "TableOID"]).Append("IsExpression"))
            Assert.That(table.Rows.Cast<DataRow>().Select(row => Text(row[name])), Is.EqualTo(columns.Select(column => Text(column[name]))), name);
        Assert.That(table.Rows.Cast<DataRow>().Select(row => row["BaseServerName"]), Is.All.EqualTo(DBNull.Value));
        Assert.That(columns[0].BaseServerName, Is.EqualTo(Connection.Host));
        Assert.That(columns[1].DefaultValue, Is.EqualTo("'x'::text"));
        Assert.That(columns[1]["DefaultValue"], Is.EqualTo("'x'::text"));
    }

    [Test]
    public async Task Without_KeyInfo_the_catalogue_is_not_asked()
    {
        var column = (await ColumnsOf("SELECT id FROM metadata.parent", CommandBehavior.Default)).Single();

        Assert.That((column.BaseTableName, column.IsKey, column.AllowDBNull), Is.EqualTo(((string?)null, (bool?)null, (bool?)null)));
    }

    [Test]
    public async Task The_rows_come_as_without_KeyInfo()
    {
        await Execute("INSERT INTO metadata.parts SELECT g, 'row ' || g FROM generate_series(1, 500) g");
        await using var command = Command("SELECT t FROM metadata.parts WHERE id > $1 ORDER BY id", 490);
        var reader = await Mode.ExecuteReader(command, CommandBehavior.KeyInfo | CommandBehavior.SequentialAccess);
        var rows = new List<string>();
        while (await Mode.Read(reader))
            rows.Add(reader.GetString(0));
        await Mode.Close(reader);
        await Execute("TRUNCATE metadata.parts");

        Assert.That(rows, Is.EqualTo(Enumerable.Range(491, 10).Select(i => $"row {i}")));
    }

    [Test]
    public async Task A_statement_that_changes_rows_runs_once()
    {
        await using var command = Command("INSERT INTO metadata.parts VALUES (1, 'one') RETURNING id, t");
        var reader = await Mode.ExecuteReader(command, CommandBehavior.KeyInfo);
        Assert.That(reader.GetColumnSchema().Select(column => column.IsKey), Is.EqualTo(new bool?[] { true, false }));
        await Mode.Close(reader);

        Assert.That(await Scalar<long>("SELECT count(*) FROM metadata.parts"), Is.EqualTo(1));
        await Execute("TRUNCATE metadata.parts");
    }

    [Test]
    public async Task The_catalogue_is_asked_once_for_all_results()
    {
        await Execute("LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET client_min_messages = log");
        var asked = 0;
        Connection.Notice += (_, e) => asked += e.Notice.MessageText.Contains("pg_attrdef", StringComparison.Ordinal) ? 1 : 0;
        await using var command = Command("SELECT id FROM metadata.parent; SELECT t FROM metadata.parts");
        var reader = await Mode.ExecuteReader(command, CommandBehavior.KeyInfo);

        Assert.That(reader.GetColumnSchema().Single().BaseTableName, Is.EqualTo("parent"));
        Assert.That(reader.GetSchemaTable()!.Rows[0]["BaseTableName"], Is.EqualTo("parent"));
        await Mode.NextResult(reader);
        Assert.That(reader.GetColumnSchema().Single().BaseTableName, Is.EqualTo("parts"));
        await Mode.Close(reader);
        Assert.That(asked, Is.EqualTo(1));
    }

    [Test]
    public async Task Tables_of_the_open_transaction_and_temporary_ones_have_facts()
    {
        await using var transaction = await Connection.BeginTransactionAsync();
        await Execute("CREATE TABLE metadata.made (id int PRIMARY KEY); CREATE TEMP TABLE mine (name text UNIQUE) ON COMMIT DROP");

        Assert.That((await ColumnsOf("SELECT id FROM metadata.made", CommandBehavior.KeyInfo)).Single().IsKey, Is.True);
        Assert.That((await ColumnsOf("SELECT name FROM mine", CommandBehavior.KeyInfo)).Single().IsUnique, Is.True);
        await Mode.Rollback(transaction);
    }

    // Another program has done it, so the session describes the statement as it was.
    [Test]
    public async Task A_prepared_statement_of_a_table_that_was_made_anew_has_the_facts_of_today()
    {
        await using var other = Other.CreateCommand();
        other.CommandText = $"DROP TABLE IF EXISTS metadata.anew_{Mode}; CREATE TABLE metadata.anew_{Mode} (id int PRIMARY KEY)";
        await other.ExecuteNonQueryAsync();
        await using var prepared = Command($"SELECT id FROM metadata.anew_{Mode}");
        await Mode.Prepare(prepared);
        await AssertKey(await Mode.ExecuteReader(prepared, CommandBehavior.KeyInfo));
        await other.ExecuteNonQueryAsync();

        await AssertKey(await Mode.ExecuteReader(prepared, CommandBehavior.KeyInfo));
    }

    [Test]
    public async Task A_text_whose_statements_need_each_other_runs_as_without_KeyInfo([Values] bool inTransaction)
    {
        await using var transaction = inTransaction ? await Connection.BeginTransactionAsync() : null;
        await using var command = Command("SELECT id FROM metadata.parent; CREATE TEMP TABLE later AS SELECT 5 AS five; SELECT five FROM later");
        var reader = await Mode.ExecuteReader(command, CommandBehavior.KeyInfo);
        Assert.That(reader.GetColumnSchema().Single().IsKey, Is.True);
        await Mode.NextResult(reader);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(5));
        Assert.That(reader.GetColumnSchema().Single().BaseTableName, Is.Null);
        await Mode.Close(reader);
        if (transaction is not null)
            await Mode.Commit(transaction);
        await Execute("DROP TABLE later");
        await AssertUsable();
    }

    [Test]
    public async Task A_statement_that_is_wrong_is_the_same_error_as_without_KeyInfo()
    {
        await using var command = Command("SELECT nothing FROM metadata.parent");
        var error = await Catch<PostgresException>(() => Mode.ExecuteReader(command, CommandBehavior.KeyInfo));

        Assert.That((error.SqlState, error.Position), Is.EqualTo(("42703", 8)));
        await AssertUsable();
    }

    [Test]
    public async Task Commands_of_a_data_source_batches_and_prepared_commands_have_facts()
    {
        await using var source = PgDataSource.Create(ConnectionString);
        await using var lent = source.CreateCommand("SELECT id FROM metadata.parent");
        await AssertKey(await Mode.ExecuteReader(lent, CommandBehavior.KeyInfo));
        Assert.That(source.GetPoolStatistics()!.Busy, Is.Zero);

        await using var batch = new PgBatch(Connection);
        batch.BatchCommands.Add(new PgBatchCommand("SELECT id FROM metadata.parent"));
        await AssertKey(await Mode.Run(() => batch.ExecuteReader(CommandBehavior.KeyInfo), () => batch.ExecuteReaderAsync(CommandBehavior.KeyInfo)));

        await using var prepared = Command("SELECT id FROM metadata.parent");
        await Mode.Prepare(prepared);
        await AssertKey(await Mode.ExecuteReader(prepared, CommandBehavior.KeyInfo));
        Assert.That(prepared.IsPrepared, Is.True);
    }

    [Test]
    public async Task With_multiplexing_metadata_is_the_same()
    {
        await using var source = PgDataSource.Create(TestServer.Default.ConnectionString + ";Multiplexing=true");
        await using var connection = await source.OpenConnectionAsync();
        await using var command = new PgCommand("SELECT id FROM metadata.parent WHERE a = @a", connection);
        await Mode.Run(() => PgCommandBuilder.DeriveParameters(command), () => PgCommandBuilder.DeriveParametersAsync(command));
        command.Parameters["a"].Value = "x";
        await AssertKey(await Mode.ExecuteReader(command, CommandBehavior.KeyInfo));
        var tables = await Mode.Run(() => connection.GetSchema("Tables", [null, Schema]), () => connection.GetSchemaAsync("Tables", [null, Schema]));
        Assert.That(tables.Rows, Is.Not.Empty);
    }

    [Test]
    public async Task A_cancelled_token_stops_before_anything_is_sent()
    {
        var cancelled = new CancellationToken(canceled: true);
        await using var command = Command("SELECT id FROM metadata.parent");

        await Catch<OperationCanceledException>(() => command.ExecuteReaderAsync(CommandBehavior.KeyInfo, cancelled));
        await Catch<OperationCanceledException>(() => Connection.GetSchemaAsync("Tables", cancelled));
        await Catch<OperationCanceledException>(() => PgCommandBuilder.DeriveParametersAsync(command, cancelled));
        await AssertUsable();
    }

    [Test]
    public void A_column_of_which_nothing_is_known_can_be_made()
    {
        var column = new PgDbColumn();

        Assert.That((column.ColumnName, column.PgDbType, column.DefaultValue, column.TypeOID), Is.EqualTo(("", (PgDbType?)null, (string?)null, 0u)));
        Assert.That(column.PostgresType, Is.Not.Null);
    }

    private async Task AssertKey(PgDataReader reader)
    {
        Assert.That(reader.GetColumnSchema().Single().IsKey, Is.True);
        await Mode.Close(reader);
    }

    private static TestCaseData Query(string sql, params string[] intended) => new TestCaseData(sql, intended).SetArgDisplayNames(sql);

    private async Task<IReadOnlyList<PgDbColumn>> ColumnsOf(string sql, CommandBehavior behavior)
    {
        await using var command = Command(sql);
        var reader = await Mode.ExecuteReader(command, behavior);
        var columns = await Mode.Run(reader.GetColumnSchema, () => reader.GetColumnSchemaAsync());
        await Mode.Close(reader);
        return columns;
    }

    private IReadOnlyList<DbColumn> OtherColumnsOf(string sql, CommandBehavior behavior)
    {
        using var command = new NpgsqlCommand(sql, Other);
        using var reader = command.ExecuteReader(behavior);
        return [.. reader.GetColumnSchema()];
    }

    private static Dictionary<string, string> Describe(IReadOnlyList<DbColumn> columns) => (
        from column in columns
        from name in Facts
        let value = column.GetType().GetProperty(name, BindingFlags.Instance | BindingFlags.Public | BindingFlags.DeclaredOnly)
            ?? column.GetType().GetProperty(name)
        select KeyValuePair.Create($"{column.ColumnName}.{name}", Text(value.GetValue(column)))).ToDictionary();
}
