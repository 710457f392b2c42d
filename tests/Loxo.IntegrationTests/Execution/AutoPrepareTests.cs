namespace Loxo.IntegrationTests.Execution;

/// <summary>Statements that are prepared because they are used, not because anybody asks.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class AutoPrepareTests(WaitMode mode) : DatabaseTest(mode)
{
    protected override string ConnectionString => base.ConnectionString + ";Pooling=false";

    [Test]
    public async Task A_text_is_prepared_with_its_second_use()
    {
        await Scalar<int>("SELECT 100 + $1", 1);
        Assert.That(await Prepared(), Is.Empty);

        await Scalar<int>("SELECT 100 + $1", 2);

        Assert.That(await Prepared(), Is.EqualTo(new[] { "SELECT 100 + $1" }));
        for (var i = 0; i < 8; i++)
            Assert.That(await Scalar<int>("SELECT 100 + $1", i), Is.EqualTo(100 + i));
        Assert.That(await Prepared(), Has.Count.EqualTo(1));
    }

    [Test]
    public async Task The_number_of_uses_is_the_users_to_choose()
    {
        await Reopen("Auto Prepare Min Usages=1");
        await Scalar<int>("SELECT 1");
        Assert.That(await Prepared(), Has.Count.EqualTo(1));

        await Reopen("Auto Prepare Min Usages=4");
        for (var i = 0; i < 3; i++)
            await Scalar<int>("SELECT 1");
        Assert.That(await Prepared(), Is.Empty);
        await Scalar<int>("SELECT 1");
        Assert.That(await Prepared(), Has.Count.EqualTo(1));
    }

    [Test]
    public async Task Nothing_is_prepared_when_there_is_no_place_for_it()
    {
        await Reopen("Max Auto Prepare=0");
        for (var i = 0; i < 5; i++)
            await Scalar<int>("SELECT 1");
        Assert.That(await Prepared(), Is.Empty);
    }

    [Test]
    public async Task What_was_used_longest_ago_makes_room()
    {
        await Reopen("Max Auto Prepare=2;Auto Prepare Min Usages=1");

        await Scalar<int>("SELECT 1");
        await Scalar<int>("SELECT 2");
        await Scalar<int>("SELECT 1");
        await Scalar<int>("SELECT 3");

        Assert.That(await Prepared(), Is.EquivalentTo(new[] { "SELECT 1", "SELECT 3" }));
        Assert.That(await Scalar<int>("SELECT 2"), Is.EqualTo(2));
        Assert.That(await Prepared(), Is.EquivalentTo(new[] { "SELECT 3", "SELECT 2" }));
    }

    [Test]
    public async Task Each_combination_of_types_is_a_statement_of_its_own()
    {
        for (var i = 0; i < 3; i++)
        {
            Assert.That(await Scalar<string>("SELECT pg_typeof($1)::text", 1), Is.EqualTo("integer"));
            Assert.That(await Scalar<string>("SELECT pg_typeof($1)::text", "x"), Is.EqualTo("text"));
            Assert.That(await Scalar<string>("SELECT pg_typeof($1)::text", 1L), Is.EqualTo("bigint"));
        }
        Assert.That(await Prepared(), Has.Count.EqualTo(3));
    }

    [Test]
    public async Task The_server_chooses_the_type_of_a_NULL_without_one_whatever_has_run_before([Values] bool isPrepared)
    {
        const string sql = "SELECT pg_temp.chosen($1)";
        await Execute("CREATE FUNCTION pg_temp.chosen(int) RETURNS text LANGUAGE sql AS $$ SELECT 'int' $$");
        await Execute("CREATE FUNCTION pg_temp.chosen(text) RETURNS text LANGUAGE sql AS $$ SELECT 'text' $$");
        await using var another = Command(sql);
        another.Parameters.Add(new PgParameter { Value = 1 });
        if (isPrepared)
            await Mode.Run(another.Prepare, () => another.PrepareAsync());
        for (var i = 0; i < 3; i++)
            Assert.That(await Mode.ExecuteScalar(another), Is.EqualTo("int"));

        for (var i = 0; i < 3; i++)
            Assert.That(await Scalar<string>(sql, DBNull.Value), Is.EqualTo("text"));

        another.Parameters[0].Value = DBNull.Value;
        Assert.That(await Mode.ExecuteScalar(another), Is.EqualTo(isPrepared ? "int" : "text"), "what a command was prepared for is its own");
        Assert.That(await Prepared(), Has.Count.EqualTo(2));
    }

    [Test]
    public async Task A_command_can_opt_out()
    {
        for (var i = 0; i < 4; i++)
        {
            await using var command = Command("SELECT 1");
            command.AutoPrepare = false;
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
        }
        Assert.That(await Prepared(), Is.Empty);
    }

    [Test]
    public async Task What_the_server_does_not_plan_is_not_prepared()
    {
        for (var i = 0; i < 3; i++)
        {
            await Execute("CREATE TEMP TABLE IF NOT EXISTS unplanned (id int)");
            await Execute("SET LOCAL work_mem = '8MB'");
        }
        Assert.That(await Prepared(), Is.Empty);
    }

    [Test]
    public async Task Explicit_preparation_finds_what_is_prepared_already()
    {
        await Scalar<int>("SELECT 10");
        await Scalar<int>("SELECT 10");
        await using var command = Command("SELECT 10");

        await Mode.Prepare(command);

        Assert.That(command.IsPrepared, Is.True);
        Assert.That(await Prepared(), Has.Count.EqualTo(1));
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(10));
    }

    [Test]
    public async Task What_was_prepared_explicitly_never_makes_room()
    {
        await Reopen("Max Auto Prepare=1;Auto Prepare Min Usages=1");
        await using var command = Command("SELECT 10");
        await Mode.Prepare(command);
        for (var i = 0; i < 5; i++)
            await Scalar<int>("SELECT " + i);

        Assert.That(await Prepared(), Is.EquivalentTo(new[] { "SELECT 10", "SELECT 4" }));
        Assert.That(command.IsPrepared, Is.True);
    }

    [Test]
    public async Task Statements_of_a_batch_are_prepared()
    {
        for (var i = 0; i < 4; i++)
        {
            await using var batch = new PgBatch(Connection);
            for (var k = 0; k < 3; k++)
                batch.BatchCommands.Add(new PgBatchCommand("SELECT $1 + 1") { Parameters = { new PgParameter { Value = i + k } } });
            await using var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
            for (var k = 0; k < 3; k++)
            {
                Assert.That(await Mode.Read(reader), Is.True);
                Assert.That(reader.GetInt32(0), Is.EqualTo(i + k + 1));
                Assert.That(await Mode.NextResult(reader), Is.EqualTo(k < 2));
            }
        }
        Assert.That(await Prepared(), Is.EqualTo(new[] { "SELECT $1 + 1" }));
    }

    [Test]
    public async Task A_batch_of_more_texts_than_there_is_room_for_runs()
    {
        await Reopen("Max Auto Prepare=2;Auto Prepare Min Usages=1");
        for (var i = 0; i < 3; i++)
            Assert.That(await Rows("SELECT 1; SELECT 2; SELECT 3; SELECT 4; SELECT 1"), Has.Count.EqualTo(5));
        Assert.That(await Prepared(), Has.Count.EqualTo(2));
        await AssertUsable();
    }

    [Test]
    public async Task Columns_asked_for_as_text_come_as_text_and_those_that_were_not_do_not()
    {
        for (var i = 0; i < 6; i++)
        {
            await using var command = Command("SELECT 1 AS a, now() AS b, 'x'::bytea AS c");
            command.UnknownResultTypeList = (i % 3) switch { 0 => null, 1 => [true, false, true], _ => [false, true, false] };
            await using var reader = await Mode.ExecuteReader(command);
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetValue(0), i % 3 == 1 ? Is.EqualTo("1") : Is.EqualTo(1));
            Assert.That(reader.GetValue(1), i % 3 == 2 ? Is.InstanceOf<string>() : Is.InstanceOf<DateTime>());
            Assert.That(reader.GetValue(2), i % 3 == 1 ? Is.InstanceOf<string>() : Is.InstanceOf<byte[]>());
        }
    }

    [Test]
    public async Task A_column_without_a_binary_format_is_text_in_every_run()
    {
        for (var i = 0; i < 5; i++)
            Assert.That((await Rows("SELECT 'postgres=r/postgres'::aclitem, 2"))[0], Is.EqualTo(new object[] { "postgres=r/postgres", 2 }));
    }

    [Test]
    public async Task A_text_that_fails_takes_no_place()
    {
        await Reopen("Max Auto Prepare=2;Auto Prepare Min Usages=1");
        await Scalar<int>("SELECT 1");
        for (var i = 0; i < 4; i++)
            await Catch<PostgresException>(() => Scalar<int>("SELECT nothing" + i));
        Assert.That(Connection.Session!.Statements.Count, Is.EqualTo(1));
        Assert.That(await Prepared(), Is.EqualTo(new[] { "SELECT 1" }));
    }

    [Test]
    public async Task What_is_believed_to_be_prepared_is_prepared_whatever_fails_in_between([Values(1, 2)] int room)
    {
        await Reopen($"Max Auto Prepare={room};Auto Prepare Min Usages=1");
        var random = new Random(room);
        for (var i = 0; i < 300; i++)
        {
            await using var batch = new PgBatch(Connection) { EnableErrorBarriers = random.Next(3) == 0 };
            var expected = new List<int>();
            for (var k = random.Next(1, 5); k > 0; k--)
                Append(batch, random.Next(6), expected);
            Assert.That(await Results(batch), Is.EqualTo(expected));
            if (random.Next(10) == 0)
                await Execute("DEALLOCATE ALL");
        }
        await Execute("SELECT 1");
        Assert.That((await Prepared()).Count, Is.LessThanOrEqualTo(room + 1));
        await AssertUsable();
    }

    private static void Append(PgBatch batch, int which, List<int> expected)
    {
        var fails = expected.Count > 0 && expected[^1] < 0;
        batch.BatchCommands.Add(new PgBatchCommand(which switch
        {
            0 => "SELECT 1 / 0",
            1 => "SELECT nothing",
            _ => $"SELECT {which}",
        }));
        if (!fails || batch.EnableErrorBarriers)
            expected.Add(which < 2 ? -1 : which);
    }

    // What was read, and -1 for an error; without barriers nothing comes behind one, with them the errors come at the end.
    private async Task<List<int>> Results(PgBatch batch)
    {
        var seen = new List<int>();
        if (batch.EnableErrorBarriers)
        {
            var error = await Failure(() => Mode.Run(() => batch.ExecuteNonQuery(), () => batch.ExecuteNonQueryAsync()));
            var failed = error is null ? 0 : error.InnerException is AggregateException all ? all.InnerExceptions.Count : 1;
            foreach (PgBatchCommand command in batch.BatchCommands)
                seen.Add(command.CommandText.Contains("SELECT 1 /", StringComparison.Ordinal) || command.CommandText.Contains("nothing", StringComparison.Ordinal)
                    ? -1 : int.Parse(command.CommandText[7..], System.Globalization.CultureInfo.InvariantCulture));
            Assert.That(failed, Is.EqualTo(seen.Count(value => value < 0)));
            return seen;
        }
        var problem = await Failure(async () =>
        {
            var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
            do
            {
                while (await Mode.Read(reader))
                    seen.Add(reader.GetInt32(0));
            }
            while (await Mode.NextResult(reader));
            await Mode.Close(reader);
        });
        if (problem is not null)
            seen.Add(-1);
        return seen;
    }

    private static async Task<PgException?> Failure(Func<Task> action)
    {
        try
        {
            await action();
            return null;
        }
        catch (PgException error)
        {
            return error;
        }
    }

    private async Task Reopen(string more)
    {
        await Connection.DisposeAsync();
        Connection = new PgConnection(ConnectionString + ";" + more);
        await Mode.Open(Connection);
    }

    private async Task<List<string>> Prepared()
    {
        await using var command = Command("SELECT statement FROM pg_prepared_statements ORDER BY prepare_time");
        command.AutoPrepare = false;
        await using var reader = await Mode.ExecuteReader(command);
        var texts = new List<string>();
        while (await Mode.Read(reader))
            texts.Add(reader.GetString(0));
        return texts;
    }
}
