using System.Data;
using System.Data.Common;
using Npgsql;

namespace Loxo.IntegrationTests.Metadata;

/// <summary>Adapters and builders block: the framework's base classes have no asynchronous members.</summary>
[TestFixture]
public class DataAdapterTests() : MetadataTest(WaitMode.Blocking)
{
    [SetUp]
    public Task CreateTable() => Execute("""
        DROP TABLE IF EXISTS metadata.goods;
        CREATE TABLE metadata.goods (
            id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name varchar(10) NOT NULL, price numeric(10, 2), mood metadata.mood, tags text[],
            doc json, twice numeric GENERATED ALWAYS AS (price * 2) STORED);
        INSERT INTO metadata.goods (name, price, mood, tags, doc) VALUES ('one', 1.5, 'ok', '{a}', '{}'), ('two', NULL, NULL, NULL, NULL), ('three', 3, 'sad', '{}', '[]')
        """);

    [Test]
    public void Fill_with_key_makes_the_table_that_Npgsql_makes()
    {
        using var ours = new PgDataAdapter("SELECT id, name, price FROM metadata.goods ORDER BY id", Connection);
        using var theirs = new NpgsqlDataAdapter("SELECT id, name, price FROM metadata.goods ORDER BY id", Other);

        var (table, expected) = (Fill(ours), Fill(theirs));

        Assert.That(table.PrimaryKey.Select(column => column.ColumnName), Is.EqualTo(new[] { "id" }));
        Assert.That(ColumnsOf(table), Is.EqualTo(ColumnsOf(expected)));
        Assert.That(table.Rows.Cast<DataRow>().Select(Text), Is.EqualTo(expected.Rows.Cast<DataRow>().Select(Text)));
    }

    [Test]
    public async Task Fill_loses_no_row_of_a_join() // Npgsql returns one, as it takes the parent's key for that of the result
    {
        await Execute("CREATE TABLE metadata.line (id int PRIMARY KEY, goods int); INSERT INTO metadata.line VALUES (1, 1), (2, 1), (3, 1)");
        foreach (var columns in new[] { "g.id, l.goods", "g.id, l.id", "g.id, l.id, g.name" })
        {
            using var adapter = new PgDataAdapter($"SELECT {columns} FROM metadata.goods g JOIN metadata.line l ON l.goods = g.id", Connection);
            Assert.That(Fill(adapter).Rows, Has.Count.EqualTo(3), columns);
        }
        await Execute("DROP TABLE metadata.line");
    }

    [Test]
    public void FillSchema_knows_nullability_defaults_and_length()
    {
        using var adapter = new PgDataAdapter("SELECT * FROM metadata.goods", Connection);
        using var table = new DataTable();

        adapter.FillSchema(table, SchemaType.Source);

        Assert.That(table.Columns["name"]!.AllowDBNull, Is.False);
        Assert.That(table.Columns["name"]!.MaxLength, Is.EqualTo(10));
        Assert.That(table.Columns["price"]!.AllowDBNull, Is.True);
        Assert.That(table.Columns["id"]!.AutoIncrement, Is.True);
        Assert.That(table.Columns["twice"]!.ReadOnly, Is.True);
        Assert.That(table.Rows, Is.Empty);
    }

    [Test]
    public async Task A_builder_writes_changes_back([Values(1, 0, 2)] int batchSize)
    {
        using var adapter = new PgDataAdapter("SELECT * FROM metadata.goods ORDER BY id", Connection) { UpdateBatchSize = batchSize };
        using var builder = new PgCommandBuilder(adapter);
        using var table = Fill(adapter);
        table.Rows[0]["name"] = "ONE";
        table.Rows[0]["tags"] = new[] { "x", "y" };
        table.Rows[1]["mood"] = "ok";
        table.Rows[2].Delete();
        table.Rows.Add(null, "four", 4.25m, "sad", DBNull.Value, "[4]", null);

        var changed = adapter.Update(table);

        Assert.That(changed, Is.EqualTo(4));
        Assert.That((await Rows("SELECT name, price, mood::text, tags, doc::text, twice FROM metadata.goods ORDER BY id")), Is.EqualTo(new object?[][]
        {
            ["ONE", 1.5m, "ok", new[] { "x", "y" }, "{}", 3.0m],
            ["two", null, "ok", null, null, null],
            ["four", 4.25m, "sad", null, "[4]", 8.5m],
        }));
    }

    [Test]
    public async Task A_row_that_somebody_else_has_changed_is_not_overwritten([Values(1, 0)] int batchSize, [Values] bool byVersion)
    {
        using var adapter = new PgDataAdapter("SELECT id, name, xmin FROM metadata.goods ORDER BY id", Connection) { UpdateBatchSize = batchSize };
        using var builder = new PgCommandBuilder(adapter)
        {
            ConflictOption = byVersion ? ConflictOption.CompareRowVersion : ConflictOption.CompareAllSearchableValues,
        };
        using var table = Fill(adapter);
        table.Rows[0]["name"] = "mine";
        await Execute("UPDATE metadata.goods SET name = 'theirs' WHERE id = 1");

        Assert.Throws<DBConcurrencyException>(() => adapter.Update(table));
        Assert.That(await Scalar<string>("SELECT name FROM metadata.goods WHERE id = 1"), Is.EqualTo("theirs"));
    }

    [Test]
    public async Task A_batch_with_a_refused_row_writes_nothing_and_says_why()
    {
        using var adapter = new PgDataAdapter("SELECT id, name FROM metadata.goods ORDER BY id", Connection) { UpdateBatchSize = 0 };
        using var builder = new PgCommandBuilder(adapter);
        using var table = Fill(adapter);
        table.Columns["name"]!.MaxLength = -1;
        table.Rows[0]["name"] = "fine";
        table.Rows[1]["name"] = "much too long for it";

        Assert.That(Assert.Throws<PostgresException>(() => adapter.Update(table))!.SqlState, Is.EqualTo("22001"));
        Assert.That(await Scalar<string>("SELECT name FROM metadata.goods WHERE id = 1"), Is.EqualTo("one"));
        await AssertUsable();
    }

    [Test]
    public void Events_are_raised_around_each_row()
    {
        using var adapter = new PgDataAdapter("SELECT id, name FROM metadata.goods ORDER BY id", Connection);
        using var builder = new PgCommandBuilder(adapter);
        var events = new List<string>();
        adapter.RowUpdating += (sender, e) => events.Add($"{ReferenceEquals(sender, adapter)} updating {e.StatementType} {e.Command!.CommandText[..6]}");
        adapter.RowUpdated += (_, e) => events.Add($"updated {e.StatementType} {e.RecordsAffected} {e.Status}");
        using var table = Fill(adapter);
        table.Rows[0]["name"] = "1";
        table.Rows[1].Delete();

        adapter.Update(table);

        Assert.That(events, Is.EqualTo(new[]
            { "True updating Update UPDATE", "updated Update 1 Continue", "True updating Delete DELETE", "updated Delete 1 Continue" }));
    }

    [Test]
    public void A_handler_can_skip_a_row()
    {
        using var adapter = new PgDataAdapter("SELECT id, name FROM metadata.goods ORDER BY id", Connection);
        using var builder = new PgCommandBuilder(adapter);
        adapter.RowUpdating += (_, e) => e.Status = UpdateStatus.SkipCurrentRow;
        using var table = Fill(adapter);
        table.Rows[0]["name"] = "1";

        Assert.That(adapter.Update(table), Is.Zero);
    }

    [Test]
    public async Task An_inserted_row_takes_what_the_command_returns()
    {
        using var adapter = new PgDataAdapter("SELECT id, name FROM metadata.goods ORDER BY id", Connection);
        adapter.InsertCommand = new PgCommand("INSERT INTO metadata.goods (name) VALUES (@name) RETURNING id", Connection)
        {
            UpdatedRowSource = UpdateRowSource.FirstReturnedRecord,
        };
        adapter.InsertCommand.Parameters.Add("name", PgDbType.Varchar, 0, "name");
        using var table = Fill(adapter);
        table.Columns["id"]!.ReadOnly = false;
        var row = table.Rows.Add(null, "new");

        adapter.Update(table);

        Assert.That(row["id"], Is.EqualTo(await Scalar<int>("SELECT max(id) FROM metadata.goods")));
    }

    [Test]
    public void The_commands_are_those_of_Npgsql()
    {
        foreach (var names in new[] { false, true })
        {
            using var ours = new PgCommandBuilder(new PgDataAdapter("SELECT id AS k, name AS \"The Name\", price FROM metadata.goods", Connection));
            using var theirs = new NpgsqlCommandBuilder(new NpgsqlDataAdapter(ours.DataAdapter!.SelectCommand!.CommandText, Other));
            Assert.That(ours.GetInsertCommand(names).CommandText, Is.EqualTo(theirs.GetInsertCommand(names).CommandText));
            Assert.That(ours.GetUpdateCommand(names).CommandText, Is.EqualTo(theirs.GetUpdateCommand(names).CommandText));
            Assert.That(ours.GetDeleteCommand(names).CommandText, Is.EqualTo(theirs.GetDeleteCommand(names).CommandText));
        }
    }

    [Test]
    public void Columns_that_the_server_generates_are_not_written()
    {
        using var builder = new PgCommandBuilder(new PgDataAdapter("SELECT * FROM metadata.goods", Connection));

        Assert.That(builder.GetInsertCommand().CommandText, Does.Contain("""("name", "price", "mood", "tags", "doc")"""));
        Assert.That(builder.GetInsertCommand().Parameters.ToArray().Select(parameter => parameter.DataTypeName),
            Is.EqualTo(new[] { "character varying", "numeric", "metadata.mood", "text[]", "json" }));
    }

    [Test]
    public void Without_the_whole_key_no_update_is_made()
    {
        using var builder = new PgCommandBuilder(new PgDataAdapter("SELECT name, price FROM metadata.goods", Connection));
        Assert.Throws<InvalidOperationException>(() => builder.GetUpdateCommand());

        using var ofPart = new PgCommandBuilder(new PgDataAdapter("SELECT k.pid, k.mark FROM metadata.pairs k", Connection));
        using var create = Command("CREATE TABLE metadata.pairs (id int, pid int, mark text, PRIMARY KEY (id, pid))");
        create.ExecuteNonQuery();
        Assert.Throws<InvalidOperationException>(() => ofPart.GetUpdateCommand());
        create.CommandText = "DROP TABLE metadata.pairs";
        create.ExecuteNonQuery();
    }

    [Test]
    public void Names_are_quoted_as_in_SQL()
    {
        using var builder = new PgCommandBuilder();

        Assert.That(builder.QuoteIdentifier("a \"b"), Is.EqualTo("\"a \"\"b\""));
        Assert.That(builder.UnquoteIdentifier("\"a \"\"b\""), Is.EqualTo("a \"b"));
        Assert.That(builder.UnquoteIdentifier("plain"), Is.EqualTo("plain"));
        Assert.Throws<ArgumentNullException>(() => builder.QuoteIdentifier(null!));
        Assert.Throws<ArgumentNullException>(() => builder.UnquoteIdentifier(null!));
        Assert.Throws<ArgumentException>(() => builder.QuotePrefix = "[");
        Assert.That(builder.QuotePrefix + builder.QuoteSuffix, Is.EqualTo("\"\""));
    }

    [Test]
    public void The_factory_makes_adapters_and_builders()
    {
        DbProviderFactory factory = PgFactory.Instance;

        Assert.That((factory.CanCreateDataAdapter, factory.CanCreateCommandBuilder), Is.EqualTo((true, true)));
        using var adapter = factory.CreateDataAdapter();
        using var builder = factory.CreateCommandBuilder();
        Assert.That((adapter, builder), Is.EqualTo((adapter as PgDataAdapter, builder as PgCommandBuilder)));
        Assert.That(((IServiceProvider)factory).GetService(typeof(string)), Is.Null);
        builder!.DataAdapter = adapter;
        adapter!.SelectCommand = factory.CreateCommand();
        adapter.SelectCommand!.Connection = Connection;
        adapter.SelectCommand.CommandText = "SELECT id, name FROM metadata.goods";
        using var table = new DataTable();
        adapter.Fill(table);
        table.Rows[0]["name"] = "generic";
        Assert.That(adapter.Update(table), Is.EqualTo(1));
        Assert.Throws<ArgumentOutOfRangeException>(() => adapter.UpdateBatchSize = -1);
    }

    [Test]
    public void An_adapter_opens_its_connection_for_each_call()
    {
        using var adapter = new PgDataAdapter("SELECT 1 AS one", TestServer.Default.ConnectionString);
        using var table = new DataTable();

        Assert.That(adapter.Fill(table), Is.EqualTo(1));
        Assert.That(adapter.SelectCommand!.Connection!.State, Is.EqualTo(ConnectionState.Closed));
    }

    private static DataTable Fill(DbDataAdapter adapter)
    {
        adapter.MissingSchemaAction = MissingSchemaAction.AddWithKey;
        var table = new DataTable();
        adapter.Fill(table);
        return table;
    }

    private static IEnumerable<string> ColumnsOf(DataTable table) => table.Columns.Cast<DataColumn>().Select(column =>
        $"{column.ColumnName} {column.DataType} {column.AllowDBNull} {column.AutoIncrement} {column.ReadOnly} {column.MaxLength} {column.Unique}");
}
