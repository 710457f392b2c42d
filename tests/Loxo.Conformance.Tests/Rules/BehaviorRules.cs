using System.Data;
using System.Data.Common;

namespace Loxo.Conformance.Rules;

[TestFixtureSource(typeof(Drivers), nameof(Drivers.All))]
public sealed class BehaviorRules(Driver driver, WaitMode mode) : RuleTest(driver, mode)
{
    [Rule(typeof(CommandBehavior))]
    public async Task SingleRow_returns_the_first_row()
    {
        await using var reader = await ReadRow("SELECT 1 AS x UNION ALL SELECT 2", CommandBehavior.SingleRow);

        Assert.That(Convert.ToInt32(reader["x"]), Is.EqualTo(1));
    }

    [Rule(typeof(CommandBehavior))]
    public async Task SingleResult_returns_all_rows_of_the_first_result()
    {
        await using var reader = await Read("SELECT 1 UNION ALL SELECT 2; SELECT 3", CommandBehavior.SingleResult);
        var rows = 0;
        while (await Mode.Read(reader))
            rows++;

        Assert.That(rows, Is.EqualTo(2));
    }

    [Rule(typeof(CommandBehavior))]
    public async Task SchemaOnly_tells_the_columns_and_runs_nothing()
    {
        await Execute("CREATE TEMP TABLE described (x int, y text); INSERT INTO described VALUES (1, 'a')");
        await using (var reader = await Read("SELECT x, y FROM described", CommandBehavior.SchemaOnly))
        {
            Assert.That((reader.FieldCount, reader.GetName(1), reader.HasRows), Is.EqualTo((2, "y", false)));
            Assert.That(await Mode.Read(reader), Is.False);
        }
        await using (await Read("DELETE FROM described", CommandBehavior.SchemaOnly))
        {
        }
        Assert.That(await Number("SELECT count(*) FROM described"), Is.EqualTo(1));
    }

    [Rule(typeof(CommandBehavior))]
    public async Task KeyInfo_tells_the_key()
    {
        await Execute("CREATE TEMP TABLE keyed (id int NOT NULL PRIMARY KEY, y text)");
        await using var reader = await Read("SELECT id, y FROM keyed", CommandBehavior.KeyInfo);
        var columns = reader.GetColumnSchema();

        Assert.That(columns.Select(column => column.IsKey == true), Is.EqualTo(new[] { true, false }));
        Assert.That(columns.Select(column => column.BaseTableName), Is.All.EqualTo("keyed"));
    }

    [Rule(typeof(CommandBehavior))]
    public async Task CloseConnection_closes_the_connection_with_its_reader()
    {
        var reader = await Read("SELECT 1 AS x", CommandBehavior.CloseConnection);
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Open));
        await Mode.Close(reader);
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [TestCase("SELECT * FROM no_such_table")]
    [TestCase("SELEC")]
    [Rule(typeof(CommandBehavior))]
    public void CloseConnection_holds_when_the_reader_could_not_be_opened(string sql)
    {
        Refused<DbException>(() => Read(sql, CommandBehavior.CloseConnection));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Rule(typeof(CommandBehavior))]
    public async Task CloseConnection_holds_when_a_value_could_not_be_sent()
    {
        await using var command = Command("SELECT @p", ("p", new object()));

        Refused<Exception>(() => Read(command, CommandBehavior.CloseConnection));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Rule(typeof(CommandBehavior))]
    public async Task SequentialAccess_reads_columns_in_their_order()
    {
        await using var reader = await ReadRow("SELECT 1 AS a, 'text' AS b, 3 AS c", CommandBehavior.SequentialAccess);

        Assert.That(Convert.ToInt32(reader.GetValue(0)), Is.EqualTo(1));
        Assert.That(reader.GetString(1), Is.EqualTo("text"));
        Assert.That(Convert.ToInt32(reader.GetValue(2)), Is.EqualTo(3));
        Assert.That(await Mode.Read(reader), Is.False);
    }

    [Rule(typeof(CommandBehavior))]
    public async Task Behaviors_are_combined()
    {
        const CommandBehavior All = CommandBehavior.SingleRow | CommandBehavior.SingleResult | CommandBehavior.SequentialAccess
            | CommandBehavior.KeyInfo | CommandBehavior.CloseConnection;
        await using (var reader = await ReadRow("SELECT 7 AS x", All))
            Assert.That(Convert.ToInt32(reader.GetValue(0)), Is.EqualTo(7));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Rule(typeof(DbCommand), nameof(DbCommand.ExecuteReader))]
    public async Task An_undefined_behavior_is_a_wrong_argument()
    {
        Refused<ArgumentException>(() => Read("SELECT 1", (CommandBehavior)1024));
        Refused<ArgumentException>(() => Read("SELECT 1", (CommandBehavior)(-1)));
        await AssertUsable();
    }
}
