using System.Data;
using System.Data.Common;
using Loxo.IntegrationTests.Poolers;

namespace Loxo.IntegrationTests.Batches;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class BatchTests(WaitMode mode) : BatchTest(mode)
{
    [Test]
    public async Task Each_command_tells_what_became_of_it()
    {
        await using var batch = Batch(
            "INSERT INTO item VALUES (1, 'a'), (2, 'b')", "SELECT * FROM item", "UPDATE item SET name = 'c' WHERE id = 2", "DELETE FROM item WHERE false",
            "CREATE TEMP TABLE other AS SELECT * FROM item", "SET LOCAL work_mem = '5MB'",
            "MERGE INTO item USING (VALUES (1)) n (id) ON item.id = n.id WHEN MATCHED THEN DELETE");

        Assert.That(await NonQuery(batch), Is.EqualTo(4));

        // The server says SELECT of a CREATE TABLE AS that has filled its table.
        Assert.That(Commands(batch).Select(command => command.StatementType), Is.EqualTo(new[]
            { StatementType.Insert, StatementType.Select, StatementType.Update, StatementType.Delete, StatementType.Select, StatementType.Other, StatementType.Merge }));
        Assert.That(Commands(batch).Select(command => command.RecordsAffected), Is.EqualTo(new[] { 2, -1, 1, 0, -1, -1, 1 }));
        Assert.That(Commands(batch).Select(command => command.Rows), Is.EqualTo(new ulong[] { 2, 2, 1, 0, 2, 0, 1 }));
    }

    [Test]
    public async Task A_command_that_has_not_run_tells_nothing()
    {
        var command = new PgBatchCommand("SELECT 1");

        Assert.That((command.StatementType, command.Rows, command.RecordsAffected), Is.EqualTo((StatementType.Unknown, 0ul, -1)));
        await using var batch = new PgBatch(Connection) { BatchCommands = { command } };
        await NonQuery(batch);
        Assert.That((command.StatementType, command.Rows), Is.EqualTo((StatementType.Select, 1ul)));
    }

    [Test]
    public async Task A_reader_closes_the_connection_that_it_was_opened_on([Values] bool readsToEnd, [Values] bool isReadAgain)
    {
        await using var first = await OpenAnother();
        await using var batch = new PgBatch(first) { BatchCommands = { new("SELECT 1"), new("SELECT 2") } };
        var reader = await Reader(batch, CommandBehavior.CloseConnection);
        Assert.That(await Mode.Read(reader), Is.True);
        batch.Connection = Connection;
        var second = isReadAgain ? await Reader(batch) : null;
        while (readsToEnd && (await Mode.Read(reader) || await Mode.NextResult(reader)))
        {
        }

        await Mode.Close(reader);

        Assert.That((first.State, Connection.State), Is.EqualTo((ConnectionState.Closed, ConnectionState.Open)));
        if (second is not null)
        {
            Assert.That(await Mode.Read(second), Is.True);
            Assert.That(second.GetInt32(0), Is.EqualTo(1));
            await Mode.Close(second);
        }
        await AssertUsable();
    }

    [Test]
    public async Task Results_come_one_after_another_and_statements_without_result_are_passed_over()
    {
        await using var batch = Batch("INSERT INTO item VALUES (1, 'a')", "SELECT id, name FROM item", "DELETE FROM item RETURNING name", "SELECT 3 WHERE false");
        var reader = await Reader(batch);

        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That((reader.GetInt32(0), reader.GetString(1)), Is.EqualTo((1, "a")));
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetString(0), Is.EqualTo("a"));
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(reader.HasRows, Is.False);
        Assert.That(await Mode.NextResult(reader), Is.False);
        Assert.That(reader.RecordsAffected, Is.EqualTo(2));
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task Each_command_has_parameters_of_its_own()
    {
        await using var batch = Batch("SELECT @a", "SELECT $1 || $2", "SELECT :a + :a");
        batch.BatchCommands[0].Parameters.AddWithValue("a", "named");
        batch.BatchCommands[1].Parameters.AddWithValue("posi");
        batch.BatchCommands[1].Parameters.AddWithValue("tional");
        batch.BatchCommands[2].Parameters.AddWithValue("a", 4);

        Assert.That(await FirstColumns(batch), Is.EqualTo(new object[] { "named", "positional", 8 }));
    }

    [Test]
    public async Task ExecuteScalar_gives_the_first_value_of_the_first_result()
    {
        await using var batch = Batch("INSERT INTO item VALUES (1, 'a')", "SELECT 5, 6", "SELECT 7");
        Assert.That(await Mode.Run(batch.ExecuteScalar, () => batch.ExecuteScalarAsync()), Is.EqualTo(5));

        await using var none = Batch("DELETE FROM item");
        Assert.That(await Mode.Run(none.ExecuteScalar, () => none.ExecuteScalarAsync()), Is.Null);
    }

    [Test]
    public async Task A_batch_runs_again_with_other_values_and_commands()
    {
        await using var batch = Batch("SELECT $1", "SELECT 2");
        batch.BatchCommands[0].Parameters.Add(new PgParameter { Value = 0 });
        for (var i = 0; i < 3; i++)
        {
            batch.BatchCommands[0].Parameters[0].Value = i;
            Assert.That(await FirstColumns(batch), Is.EqualTo(new object[] { i, 2 }));
        }
        batch.BatchCommands.RemoveAt(0);
        batch.BatchCommands.Add(new PgBatchCommand("SELECT 'x'"));
        Assert.That(await FirstColumns(batch), Is.EqualTo(new object[] { 2, "x" }));
    }

    [Test]
    public async Task Prepared_commands_run_by_name([Values] bool twice)
    {
        // What other tests left prepared does not count.
        Connection.UnprepareAll();
        await using var batch = Batch("SELECT $1::int + 1", "SELECT 'x'", "SELECT 'x'");
        batch.BatchCommands[0].Parameters.Add(new PgParameter { PgDbType = PgDbType.Integer });

        await Mode.Run(batch.Prepare, () => batch.PrepareAsync());
        if (twice)
            await Mode.Run(batch.Prepare, () => batch.PrepareAsync());

        Assert.That(await Unprepared("SELECT count(*) FROM pg_prepared_statements"), Is.EqualTo(2));
        for (var i = 0; i < 3; i++)
        {
            batch.BatchCommands[0].Parameters[0].Value = i;
            Assert.That(await FirstColumns(batch), Is.EqualTo(new object[] { i + 1, "x", "x" }));
        }
        Assert.That(await Unprepared("SELECT sum(generic_plans + custom_plans)::bigint FROM pg_prepared_statements"), Is.EqualTo(9));
    }

    [Test]
    public async Task Prepared_unprepared_and_text_results_mix()
    {
        await using var prepared = Command("SELECT 1, makeaclitem(10, 10, 'SELECT', false)");
        await Mode.Prepare(prepared);
        await using var batch = Batch("SELECT '(1,2)'::point", "SELECT 1, makeaclitem(10, 10, 'SELECT', false)", "SELECT 2");

        var rows = new List<object[]>();
        var reader = await Reader(batch);
        do
        {
            Assert.That(await Mode.Read(reader), Is.True);
            var row = new object[reader.FieldCount];
            reader.GetValues(row);
            rows.Add(row);
        }
        while (await Mode.NextResult(reader));
        await Mode.Close(reader);

        Assert.That(rows[0], Is.EqualTo(new object[] { new PgPoint(1, 2) }));
        Assert.That((rows[1][0], (string)rows[1][1]), Is.EqualTo((1, "postgres=r/postgres")));
        Assert.That(rows[2], Is.EqualTo(new object[] { 2 }));
    }

    [Test]
    public async Task Procedures_and_tables_are_commands_too()
    {
        await Execute("CREATE PROCEDURE pg_temp.put(id int) LANGUAGE sql AS $$ INSERT INTO item VALUES (id, 'p') $$");
        await using var batch = new PgBatch(Connection)
        {
            BatchCommands =
            {
                new PgBatchCommand(PoolerOfTheRun.Adapt("pg_temp.put")) { CommandType = CommandType.StoredProcedure, Parameters = { new PgParameter("id", 9) } },
                new PgBatchCommand("item") { CommandType = CommandType.TableDirect },
            },
        };

        Assert.That(await FirstColumns(batch), Is.EqualTo(new object[] { 9 }));
        Assert.That(batch.BatchCommands[0].StatementType, Is.EqualTo(StatementType.Call));
    }

    [Test]
    public async Task A_command_holds_one_statement()
    {
        await using var batch = Batch("SELECT 1; SELECT 2");

        var error = await Catch<NotSupportedException>(() => NonQuery(batch));

        Assert.That(error.Message, Does.Contain("one statement"));
        await AssertUsable();
    }

    [Test]
    public async Task A_batch_without_connection_says_so()
    {
        await using var batch = new PgBatch { BatchCommands = { new PgBatchCommand("SELECT 1") } };

        Assert.That((await Catch<InvalidOperationException>(() => NonQuery(batch))).Message, Does.Contain("Connection"));
    }

    [Test]
    public async Task The_base_classes_run_the_same_way()
    {
        DbBatch batch = Connection.CreateBatch();
        await using (batch)
        {
            var command = batch.CreateBatchCommand();
            command.CommandText = "SELECT @a";
            var parameter = command.CreateParameter();
            parameter.ParameterName = "a";
            parameter.Value = 3;
            command.Parameters.Add(parameter);
            batch.BatchCommands.Add(command);

            var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetInt32(0), Is.EqualTo(3));
            await Mode.Close(reader);
        }
    }

    [Test]
    public async Task A_thousand_commands_run_in_one_batch()
    {
        await using var batch = new PgBatch(Connection);
        for (var i = 0; i < 1000; i++)
            batch.BatchCommands.Add(new PgBatchCommand("INSERT INTO item VALUES ($1, $2)") { Parameters = { new PgParameter { Value = i }, new PgParameter { Value = "n" + i } } });

        Assert.That(await NonQuery(batch), Is.EqualTo(1000));

        Assert.That(await Scalar<long>("SELECT count(*) FROM item WHERE name = 'n' || id"), Is.EqualTo(1000));
    }

    private async Task<long> Unprepared(string sql)
    {
        await using var command = Command(sql);
        command.AutoPrepare = false;
        return (long)(await Mode.ExecuteScalar(command))!;
    }
}
