using Loxo.IntegrationTests.UserTypes;

namespace Loxo.IntegrationTests.Pipelines;

/// <summary>Types that have to be looked up before their values can be written, or read.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PipelineTypeTests(WaitMode mode) : UserTypeTest(mode)
{
    [Test]
    public async Task A_type_is_looked_up_before_its_first_value_is_sent([Values] bool inTransaction, [Values] bool isFirst)
    {
        await Execute("CREATE TYPE shade AS ENUM ('light', 'dark')");
        await using var source = PgDataSource.Create(ConnectionString);
        await using var connection = source.CreateConnection();
        await Mode.Open(connection);
        await using var transaction = inTransaction ? connection.BeginTransaction() : null;
        await using var pipeline = connection.CreatePipeline();
        var before = isFirst ? null : pipeline.AddScalar<int>(new PgCommand("SELECT 1"));
        var command = new PgCommand("SELECT $1::text || 'er'");
        command.Parameters.Add(new PgParameter { Value = "light", DataTypeName = "shade" });
        var first = pipeline.AddScalar<string>(command);
        command.Parameters[0].Value = "dark";
        var second = pipeline.AddScalar<string>(command);
        var sync = pipeline.Sync();
        var third = pipeline.AddReader(new PgCommand("SELECT 'dark'::shade"));
        Assert.That(await Mode.Run(second.GetResult, () => second.GetResultAsync()), Is.EqualTo("darker"));
        Assert.That(await Mode.Run(first.GetResult, () => first.GetResultAsync()), Is.EqualTo("lighter"));
        if (before is not null)
            Assert.That(await Mode.Run(before.GetResult, () => before.GetResultAsync()), Is.EqualTo(1));
        await Mode.Run(sync.Wait, () => sync.WaitAsync());
        var reader = await Mode.Run(third.GetResult, () => third.GetResultAsync());
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetString(0), Is.EqualTo("dark"));
        await Mode.Close(reader);
    }

    [Test]
    public async Task The_types_of_each_result_of_a_text_are_looked_up([Values] bool arrivesFirst)
    {
        await Execute("CREATE TYPE shade AS ENUM ('light', 'dark'); CREATE TYPE taste AS ENUM ('sour', 'sweet')");
        await using var source = PgDataSource.Create(ConnectionString);
        await using var connection = source.CreateConnection();
        await Mode.Open(connection);
        await using var pipeline = connection.CreatePipeline();
        var both = pipeline.AddReader(new PgCommand("SELECT 'dark'::shade; SELECT 'sweet'::taste"));
        if (arrivesFirst)
        {
            var last = pipeline.AddScalar<int>(new PgCommand("SELECT 1"));
            Assert.That(await Mode.Run(last.GetResult, () => last.GetResultAsync()), Is.EqualTo(1));
        }
        var reader = await Mode.Run(both.GetResult, () => both.GetResultAsync());
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetFieldValue<string>(0), Is.EqualTo("dark"));
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetFieldValue<string>(0), Is.EqualTo("sweet"));
        await Mode.Close(reader);
    }

    [Test]
    public async Task Values_that_change_after_they_were_added_are_sent_as_they_were([Values] bool isTyped)
    {
        await Execute("CREATE TYPE shade AS ENUM ('light', 'dark')");
        await using var source = PgDataSource.Create(ConnectionString);
        await using var connection = source.CreateConnection();
        await Mode.Open(connection);
        await using var pipeline = connection.CreatePipeline();
        byte[] bytes = [1, 2];
        List<int> list = [1, 2];
        byte[][] nested = [[1], [2]];
        var command = new PgCommand("SELECT concat_ws(' ', $1, $2, $3, $4)");
        command.Parameters.Add(new PgParameter { Value = "light", DataTypeName = "shade" });
        command.Parameters.Add(isTyped ? new PgParameter<byte[]>(bytes) : new PgParameter { Value = bytes });
        command.Parameters.Add(isTyped ? new PgParameter<List<int>>(list) : new PgParameter { Value = list });
        command.Parameters.Add(isTyped ? new PgParameter<byte[][]>(nested) : new PgParameter { Value = nested });
        var first = pipeline.AddScalar<string>(command);
        (bytes[0], list[0], nested[1][0]) = (7, 7, 7);
        list.Add(8);
        var second = pipeline.AddScalar<string>(command);
        (bytes[0], list[0], nested[1][0]) = (9, 9, 9);
        Assert.That(await Mode.Run(first.GetResult, () => first.GetResultAsync()), Is.EqualTo("""light \x0102 {1,2} {"\\x01","\\x02"}"""));
        Assert.That(await Mode.Run(second.GetResult, () => second.GetResultAsync()), Is.EqualTo("""light \x0702 {7,2,8} {"\\x01","\\x07"}"""));
    }

    [Test]
    public async Task A_result_that_is_read_late_does_not_bring_back_columns_that_have_changed_meanwhile()
    {
        await Execute("CREATE TYPE shade AS ENUM ('light', 'dark')");
        await Execute("CREATE TABLE of_shades AS SELECT 1 AS n, 'dark'::shade AS shade");
        await using var source = PgDataSource.Create(ConnectionString + ";Auto Prepare Min Usages=1;Max Auto Prepare=10");
        await using var connection = source.CreateConnection();
        await Mode.Open(connection);
        await using var pipeline = connection.CreatePipeline();
        var first = pipeline.AddReader(new PgCommand("SELECT * FROM of_shades"));
        pipeline.Sync();
        pipeline.AddNonQuery("ALTER TABLE of_shades ADD COLUMN more int DEFAULT 5");
        var altered = pipeline.Sync();
        await Mode.Run(altered.Wait, () => altered.WaitAsync());
        // Its formats are those of the columns before.
        var outdated = pipeline.AddReader(new PgCommand("SELECT * FROM of_shades"));
        pipeline.Sync();
        await Catch<PgException>(() => Row(outdated));
        var second = pipeline.AddReader(new PgCommand("SELECT * FROM of_shades"));
        Assert.That(await Row(second), Is.EqualTo("1 dark 5"));
        Assert.That(await Row(first), Is.EqualTo("1 dark"));
        var third = pipeline.AddReader(new PgCommand("SELECT * FROM of_shades"));
        Assert.That(await Row(third), Is.EqualTo("1 dark 5"));
    }

    [Test]
    public async Task A_type_that_does_not_exist_fails_its_group_only()
    {
        await using (var pipeline = Connection.CreatePipeline())
        {
            var before = pipeline.AddScalar<int>(Command("SELECT 1"));
            pipeline.Sync();
            var wrong = pipeline.AddScalar<string>(Command("SELECT $1::text", new PgParameter { Value = "x", DataTypeName = "no_such_type" }));
            pipeline.Sync();
            var after = pipeline.AddScalar<int>(Command("SELECT 2"));
            Assert.That(await Mode.Run(after.GetResult, () => after.GetResultAsync()), Is.EqualTo(2));
            await Catch<PgException>(() => Mode.Run(wrong.GetResult, () => wrong.GetResultAsync()));
            Assert.That(await Mode.Run(before.GetResult, () => before.GetResultAsync()), Is.EqualTo(1));
        }
        await AssertUsable();
    }

    [Test]
    public async Task A_type_that_does_not_exist_is_reported_to_the_caller_that_waits_for_the_command()
    {
        await using (var pipeline = Connection.CreatePipeline())
        {
            pipeline.AddScalar<int>(Command("SELECT 1"));
            var wrong = pipeline.AddScalar<string>(Command("SELECT $1::text", new PgParameter { Value = "x", DataTypeName = "no_such_type" }));
            var error = await Catch<PgException>(() => Mode.Run(wrong.GetResult, () => wrong.GetResultAsync()));
            Assert.That(error.Message, Does.Contain("no_such_type"));
        }
        await AssertUsable();
    }

    [Test]
    public async Task A_command_that_is_cancelled_before_it_could_be_written_is_never_sent()
    {
        await Execute("CREATE TEMP TABLE dropped (id int)");
        await Execute("CREATE TYPE tint AS ENUM ('light', 'dark')");
        await using (var pipeline = Connection.CreatePipeline())
        {
            pipeline.AddScalar<int>(Command("SELECT 1"));
            var insert = pipeline.AddNonQuery(
                Command("INSERT INTO dropped SELECT 1 WHERE $1 = 'light'", new PgParameter { Value = "light", DataTypeName = "tint" }));
            pipeline.Sync();
            var after = pipeline.AddScalar<int>(Command("SELECT 2"));
            insert.Cancel();
            Assert.That(await Mode.Run(after.GetResult, () => after.GetResultAsync()), Is.EqualTo(2));
            await Catch<OperationCanceledException>(() => Mode.Run(insert.GetResult, () => insert.GetResultAsync()));
        }
        Assert.That(await Scalar<long>("SELECT count(*) FROM dropped"), Is.Zero);
    }

    [Test]
    public async Task Commands_that_wait_for_a_lookup_are_refused_when_there_are_too_many([Values(0, 1024 * 1024)] int length)
    {
        await using (var pipeline = Connection.CreatePipeline())
        {
            pipeline.AddScalar<string>(Command("SELECT $1::text", new PgParameter { Value = "x", DataTypeName = "no_such_type" }));
            var command = Command("SELECT $1::text", new string('x', length));
            var error = Assert.Throws<InvalidOperationException>(() =>
            {
                for (var i = 0; i < 200_000; i++)
                    pipeline.AddNonQuery(command);
            });
            Assert.That(error!.Message, Does.Contain("64 MiB"));
        }
        await AssertUsable();
    }

    [Test]
    public async Task Commands_wait_until_an_earlier_cancel_request_can_no_longer_hit_them()
    {
        for (var i = 0; i < 20; i++)
        {
            await using (var cancelled = Command("SELECT pg_sleep(600)"))
            {
                var running = Task.Run(() => Mode.ExecuteNonQuery(cancelled));
                while (!running.IsCompleted)
                {
                    cancelled.Cancel();
                    await Task.Delay(1);
                }
                await Catch<OperationCanceledException>(() => running);
            }
            await using var pipeline = Connection.CreatePipeline();
            var results = Enumerable.Range(0, 10).Select(n => pipeline.AddScalar<int>(Command("SELECT $1::int", n))).ToList();
            for (var n = 0; n < 10; n++)
                Assert.That(await Mode.Run(results[n].GetResult, () => results[n].GetResultAsync()), Is.EqualTo(n));
        }
    }

    private async Task<string> Row(PgPipelineResult<PgDataReader> result)
    {
        var reader = await Mode.Run(result.GetResult, () => result.GetResultAsync());
        Assert.That(await Mode.Read(reader), Is.True);
        var row = string.Join(' ', Enumerable.Range(0, reader.FieldCount).Select(i => i == 1 ? reader.GetString(i) : $"{reader.GetInt32(i)}"));
        await Mode.Close(reader);
        return row;
    }
}
