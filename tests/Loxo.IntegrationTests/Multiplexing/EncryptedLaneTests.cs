namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>Lanes over TLS.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class EncryptedLaneTests(WaitMode mode) : LaneTest(mode)
{
    protected override string Lanes => TestServer.Tls.ConnectionString + ";SSL Mode=Require;Trust Server Certificate=true";

    [Test]
    public async Task Every_answer_is_its_callers_own()
    {
        Assert.That(await Run("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"), Is.True);
        await Run("SELECT $1::int, repeat('x', $2::int)", 1, 1);
        var callers = Enumerable.Range(0, 32).Select(caller => Call(async () =>
        {
            var random = new Random(caller);
            for (var i = 0; i < 300; i++)
            {
                var id = (caller * 1000) + i;
                await using var command = Source.CreateCommand("SELECT $1::int, repeat('x', $2::int)");
                command.Parameters.Add(new PgParameter { Value = id });
                var length = random.Next(10) == 0 ? random.Next(60_000) : random.Next(50);
                command.Parameters.Add(new PgParameter { Value = length });
                await using var reader = await Mode.ExecuteReader(command);
                Assert.That(await Mode.Read(reader), Is.True);
                Assert.That(reader.GetInt32(0), Is.EqualTo(id));
                Assert.That(reader.GetString(1), Has.Length.EqualTo(length));
                await Mode.Close(reader);
            }
            return true;
        })).ToList();
        foreach (var caller in callers)
            await caller;
        Assert.That(Source.Lanes!.Count, Is.GreaterThan(0));
    }

    [Test]
    public async Task Values_and_results_of_any_size_pass_in_both_directions()
    {
        await Run("SELECT $1::int, length($2)", 1, "x");
        for (var i = 0; i < 3; i++)
        {
            var neighbours = Enumerable.Range(0, 20).Select(n => Call(() => Run("SELECT $1::int, length($2)", n, new string('x', 200_000)))).ToList();
            await using (var command = Source.CreateCommand("SELECT n, repeat('x', 20) FROM generate_series(1, 100000) n"))
            {
                await using var reader = await Mode.ExecuteReader(command);
                var read = 0;
                while (await Mode.Read(reader))
                    Assert.That(reader.GetInt32(0), Is.EqualTo(++read));
                Assert.That(read, Is.EqualTo(100_000));
                await Mode.Close(reader);
            }
            for (var n = 0; n < neighbours.Count; n++)
                Assert.That(await neighbours[n], Is.EqualTo(n));
        }
    }

    [Test]
    public async Task A_lane_that_is_terminated_fails_what_was_in_flight_and_is_replaced()
    {
        await Run("SELECT pg_sleep($1::float8)::text", 0.0);
        var waiting = Enumerable.Range(0, 4).Select(_ => Call(() => Run("SELECT pg_sleep($1::float8)::text", 30.0))).ToList();
        const string Sleeping = "FROM pg_stat_activity WHERE application_name = 'lanes' AND query LIKE 'SELECT pg_sleep($1%' AND state = 'active'";
        await using var other = PgDataSource.Create(Lanes);
        while (!Equals(await Run(other, $"SELECT count(*) > 0 {Sleeping}"), true))
            await Task.Delay(10);
        await Task.Delay(100);
        while (waiting.Exists(static each => !each.IsCompleted))
        {
            await Run(other, $"SELECT count(pg_terminate_backend(pid)) {Sleeping}");
            await Task.Delay(20);
        }
        foreach (var each in waiting)
            Assert.That((await Catch<PgException>(() => Message(each))).Message, Does.Contain("whether the server has run this command"));
        for (var i = 0; i < 50; i++)
            Assert.That(await Run("SELECT $1::int", i), Is.EqualTo(i));
    }

    // A PostgresException is caught by its base type.
    private static async Task Message(Task<object?> call)
    {
        try
        {
            await call;
        }
        catch (PgException e) when (e.GetType() != typeof(PgException))
        {
            throw new PgException(e.Message, e.Code, e);
        }
    }
}
