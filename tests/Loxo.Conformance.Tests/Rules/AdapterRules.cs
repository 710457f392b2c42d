using System.Data;
using System.Data.Common;

namespace Loxo.Conformance.Rules;

/// <summary>An adapter has blocking calls only, so both wait modes do the same here but for the statements around them.</summary>
[TestFixtureSource(typeof(Drivers), nameof(Drivers.Postgres))]
public sealed class AdapterRules(Driver driver, WaitMode mode) : RuleTest(driver, mode)
{
    private DbDataAdapter _adapter = null!;

    [SetUp]
    public async Task Create()
    {
        await Execute("CREATE TEMP TABLE adapted (id int NOT NULL PRIMARY KEY, name text)");
        await Execute("INSERT INTO adapted VALUES (1, 'one'), (2, 'two')");
        _adapter = Factory.CreateDataAdapter()!;
        _adapter.SelectCommand = Command("SELECT id, name FROM adapted ORDER BY id");
    }

    [TearDown]
    public void Remove() => _adapter.Dispose();

    [Rule(typeof(DbDataAdapter), nameof(DbDataAdapter.Fill))]
    public async Task A_table_is_filled()
    {
        var table = new DataTable();

        Assert.That(_adapter.Fill(table), Is.EqualTo(2));
        Assert.That(table.Rows.Cast<DataRow>().Select(row => $"{row["id"]} {row["name"]}"), Is.EqualTo(new[] { "1 one", "2 two" }));
        await AssertUsable();
    }

    [Rule(typeof(DbDataAdapter), nameof(DbDataAdapter.Fill))]
    public async Task A_closed_connection_is_opened_and_closed_again()
    {
        await Mode.Close(Connection);
        _adapter.SelectCommand!.CommandText = "SELECT 1 AS id";

        Assert.That(_adapter.Fill(new DataTable()), Is.EqualTo(1));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Rule(typeof(DbDataAdapter), nameof(DbDataAdapter.FillSchema))]
    public void A_schema_has_the_key()
    {
        var table = _adapter.FillSchema(new DataTable(), SchemaType.Source)!;

        Assert.That(table.PrimaryKey.Select(column => column.ColumnName), Is.EqualTo(new[] { "id" }));
        Assert.That((table.Columns["id"]!.AllowDBNull, table.Columns["name"]!.AllowDBNull), Is.EqualTo((false, true)));
    }

    [Rule(typeof(DbDataAdapter), nameof(DbDataAdapter.Update))]
    public async Task Changes_are_written_with_the_commands_of_a_builder()
    {
        var table = new DataTable();
        _adapter.MissingSchemaAction = MissingSchemaAction.AddWithKey;
        _adapter.Fill(table);
        using var builder = Factory.CreateCommandBuilder()!;
        builder.DataAdapter = _adapter;
        table.Rows.Find(1)!["name"] = "changed";
        table.Rows.Find(2)!.Delete();
        table.Rows.Add(3, "three");

        Assert.That(_adapter.Update(table), Is.EqualTo(3));
        Assert.That(await Scalar("SELECT string_agg(id || ' ' || name, ',' ORDER BY id) FROM adapted"), Is.EqualTo("1 changed,3 three"));
    }

    [Rule(typeof(DBConcurrencyException))]
    public async Task A_row_that_somebody_else_has_deleted_is_a_conflict()
    {
        var table = new DataTable();
        _adapter.MissingSchemaAction = MissingSchemaAction.AddWithKey;
        _adapter.Fill(table);
        using var builder = Factory.CreateCommandBuilder()!;
        builder.DataAdapter = _adapter;
        table.Rows.Find(1)!["name"] = "changed";
        await Execute("DELETE FROM adapted");

        Refused<DBConcurrencyException>(() => _adapter.Update(table));
        await AssertUsable();
    }

    [Rule(typeof(DbDataAdapter), nameof(DbDataAdapter.Update))]
    public void Without_a_command_nothing_is_written()
    {
        var table = new DataTable();
        _adapter.Fill(table);
        table.Rows[0]["name"] = "changed";

        Refused<InvalidOperationException>(() => _adapter.Update(table));
    }

    [Rule(typeof(DbCommandBuilder), nameof(DbCommandBuilder.QuoteIdentifier))]
    public void Identifiers_are_quoted_and_unquoted()
    {
        using var builder = Factory.CreateCommandBuilder()!;

        Assert.That(builder.QuoteIdentifier("a \"name\""), Is.EqualTo("\"a \"\"name\"\"\""));
        Assert.That(builder.UnquoteIdentifier("\"a \"\"name\"\"\""), Is.EqualTo("a \"name\""));
        Refused<ArgumentNullException>(() => builder.QuoteIdentifier(null!));
        Refused<ArgumentNullException>(() => builder.UnquoteIdentifier(null!));
    }

    [Rule(typeof(DbCommandBuilder), nameof(DbCommandBuilder.QuotePrefix))]
    public void Quotes_are_not_changed_after_a_command_was_made()
    {
        using var builder = Factory.CreateCommandBuilder()!;
        builder.DataAdapter = _adapter;
        builder.GetInsertCommand();

        Refused<InvalidOperationException>(() => builder.QuotePrefix = "\"");
    }
}
