using System.Data;
using Loxo.IntegrationTests.Poolers;

namespace Loxo.IntegrationTests.Execution;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class CommandTypeTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task A_procedure_is_called_with_positional_arguments()
    {
        await Execute("CREATE TEMP TABLE item (id int, name text)");
        await Create("put(id int, name text) LANGUAGE sql AS $$ INSERT INTO item VALUES (id, name) $$");
        await using var command = Procedure("pg_temp.put");
        command.Parameters.Add(new PgParameter(null, 1));
        command.Parameters.Add(new PgParameter(null, "one"));

        Assert.That(await Mode.ExecuteNonQuery(command), Is.EqualTo(-1));

        Assert.That(await Scalar<string>("SELECT name FROM item WHERE id = 1"), Is.EqualTo("one"));
    }

    [Test]
    public async Task A_procedure_is_called_with_named_arguments_in_any_order()
    {
        await Execute("CREATE TEMP TABLE item (id int, name text)");
        await Create("put(id int, \"The name\" text, suffix text DEFAULT '!') LANGUAGE sql AS $$ INSERT INTO item VALUES (id, \"The name\" || suffix) $$");
        await using var command = Procedure("pg_temp.put");
        command.Parameters.AddWithValue("The name", "two");
        command.Parameters.AddWithValue("id", 2);

        await Mode.ExecuteNonQuery(command);

        Assert.That(await Scalar<string>("SELECT name FROM item WHERE id = 2"), Is.EqualTo("two!"));
    }

    [Test]
    public async Task Out_and_inout_parameters_are_filled([Values] bool named, [Values("NonQuery", "Scalar", "Reader")] string how)
    {
        await Create("swap(a int, INOUT b int, OUT c text) LANGUAGE plpgsql AS $$ BEGIN c := a || '/' || b; b := a + b; END $$");
        await using var command = Procedure("pg_temp.swap");
        command.Parameters.Add(new PgParameter(named ? "a" : null, 10));
        var inOut = command.Parameters.Add(new PgParameter(named ? "b" : null, 5) { Direction = ParameterDirection.InputOutput });
        var output = command.Parameters.Add(new PgParameter(named ? "c" : null, PgDbType.Text) { Direction = ParameterDirection.Output });

        if (how == "NonQuery")
            await Mode.ExecuteNonQuery(command);
        else if (how == "Scalar")
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(15));
        else
            await Mode.Close(await Mode.ExecuteReader(command));

        Assert.That(inOut.Value, Is.EqualTo(15));
        Assert.That(output.Value, Is.EqualTo("10/5"));
        await AssertUsable();
    }

    [Test]
    public async Task A_procedure_called_again_takes_the_inout_value_that_it_returned()
    {
        await Create("next(INOUT n int) LANGUAGE plpgsql AS $$ BEGIN n := n + 1; END $$");
        await using var command = Procedure("pg_temp.next");
        var n = command.Parameters.Add(new PgParameter("n", 1) { Direction = ParameterDirection.InputOutput });

        for (var i = 2; i <= 4; i++)
        {
            await Mode.ExecuteNonQuery(command);
            Assert.That(n.Value, Is.EqualTo(i));
        }
    }

    [Test]
    public async Task The_switch_of_the_process_makes_functions_of_stored_procedures()
    {
        await Execute("CREATE FUNCTION pg_temp.next(a int, OUT b int, OUT c text) LANGUAGE sql AS $$ SELECT a + 1, 'x' || a $$");
        await using var command = Procedure("pg_temp.next");
        command.Parameters.AddWithValue("a", 4);
        command.Parameters.Add(new PgParameter("c", DbType.String) { Direction = ParameterDirection.Output });
        command.Parameters.Add(new PgParameter("b", DbType.Int32) { Direction = ParameterDirection.Output });
        Assert.That((await Catch<PostgresException>(() => Mode.ExecuteNonQuery(command))).SqlState, Is.EqualTo(PostgresErrorCodes.WrongObjectType));

        AppContext.SetSwitch("Loxo.EnableStoredProcedureCompatMode", true);
        try
        {
            await using var function = command.Clone();
            function.Connection = Connection;
            await Mode.ExecuteNonQuery(function);
            Assert.That((function.Parameters["b"].Value, function.Parameters["c"].Value), Is.EqualTo((5, "x4")));

            await using var positional = Procedure("pg_temp.next");
            positional.Parameters.AddWithValue(6);
            Assert.That(await Mode.ExecuteScalar(positional), Is.EqualTo(7));
        }
        finally
        {
            AppContext.SetSwitch("Loxo.EnableStoredProcedureCompatMode", false);
        }
    }

    [Test]
    public async Task A_procedure_that_does_not_exist_is_the_servers_error()
    {
        await using var command = Procedure("public.nobody");

        var error = await Catch<PostgresException>(() => Mode.ExecuteNonQuery(command));

        Assert.That(error.SqlState, Is.EqualTo(SqlStates.UndefinedFunction));
        await AssertUsable();
    }

    [Test]
    public async Task A_procedure_may_end_transactions()
    {
        await Execute("CREATE TEMP TABLE item (id int)");
        await Create("work() LANGUAGE plpgsql AS $$ BEGIN INSERT INTO item VALUES (1); COMMIT; INSERT INTO item VALUES (2); ROLLBACK; END $$");
        await using var command = Procedure("pg_temp.work");

        await Mode.ExecuteNonQuery(command);

        Assert.That((await Rows("SELECT id FROM item")).Select(row => row[0]), Is.EqualTo(new object[] { 1 }));
    }

    [Test]
    public async Task TableDirect_reads_all_rows_of_the_table()
    {
        await Execute("CREATE TEMP TABLE \"An item\" (id int); INSERT INTO \"An item\" VALUES (1), (2)");
        await using var command = new PgCommand(PoolerOfTheRun.Adapt("pg_temp.\"An item\""), Connection) { CommandType = CommandType.TableDirect };
        var reader = await Mode.ExecuteReader(command);
        var ids = new List<int>();
        while (await Mode.Read(reader))
            ids.Add(reader.GetInt32(0));
        await Mode.Close(reader);

        Assert.That(ids, Is.EqualTo(new[] { 1, 2 }));
    }

    [Test]
    public async Task A_command_may_change_its_type_between_runs()
    {
        await Execute("CREATE TEMP TABLE item (id int); INSERT INTO item VALUES (5)");
        await using var command = Command("SELECT 1");
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));

        command.CommandText = "item";
        command.CommandType = CommandType.TableDirect;
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(5));

        command.CommandText = "SELECT 2";
        command.CommandType = CommandType.Text;
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(2));
    }

    [Test]
    public async Task Output_parameters_of_plain_text_take_the_first_row_by_name_then_in_order()
    {
        await using var command = Command("SELECT 1 AS first, 2 AS named, 3 AS last UNION ALL SELECT 4, 5, 6");
        var unnamedOne = command.Parameters.Add(new PgParameter("x", PgDbType.Integer) { Direction = ParameterDirection.Output });
        var named = command.Parameters.Add(new PgParameter("named", PgDbType.Integer) { Direction = ParameterDirection.Output });
        var unnamedTwo = command.Parameters.Add(new PgParameter("y", PgDbType.Integer) { Direction = ParameterDirection.Output });
        var missing = command.Parameters.Add(new PgParameter("z", PgDbType.Integer) { Direction = ParameterDirection.Output, Value = -1 });
        var reader = await Mode.ExecuteReader(command);

        Assert.That((unnamedOne.Value, named.Value, unnamedTwo.Value, missing.Value), Is.EqualTo(((object)1, (object)2, (object)3, (object)-1)));
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(1));
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(4));
        Assert.That(await Mode.Read(reader), Is.False);
        await Mode.Close(reader);
    }

    [Test]
    public async Task An_output_parameter_keeps_its_value_when_there_is_no_row()
    {
        await using var command = Command("SELECT 1 AS a WHERE false");
        var output = command.Parameters.Add(new PgParameter("a", PgDbType.Integer) { Direction = ParameterDirection.Output, Value = 99 });

        await Mode.ExecuteNonQuery(command);

        Assert.That(output.Value, Is.EqualTo(99));
    }

    [Test]
    public async Task Output_parameters_need_a_single_statement()
    {
        await using var command = Command("SELECT 1 AS a; SELECT 2");
        command.Parameters.Add(new PgParameter("a", PgDbType.Integer) { Direction = ParameterDirection.Output });

        var error = await Catch<NotSupportedException>(() => Mode.ExecuteNonQuery(command));

        Assert.That(error.Message, Does.Contain("output parameters"));
        await AssertUsable();
    }

    [Test]
    public void An_unknown_command_type_is_refused()
    {
        using var command = new PgCommand();

        Assert.Throws<ArgumentOutOfRangeException>(() => command.CommandType = (CommandType)3);
    }

    private Task<int> Create(string procedure) => Execute("CREATE PROCEDURE pg_temp." + procedure);

    private PgCommand Procedure(string name) => new(PoolerOfTheRun.Adapt(name), Connection) { CommandType = CommandType.StoredProcedure };
}
