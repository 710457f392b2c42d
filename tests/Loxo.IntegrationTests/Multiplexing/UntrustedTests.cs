namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>Commands do not share a session that one of them might change unseen.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class UntrustedTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task Sessions_that_are_always_reset_are_not_shared([Values("Always", "Verify")] string reset)
    {
        await using var source = PgDataSource.Create(TestServer.Default.ConnectionString + $";Multiplexing=true;Session Reset={reset}");
        for (var i = 0; i < 20; i++)
            await Run(source, "SELECT 1");
        Assert.That(source.Lanes!.Count, Is.Zero);
    }

    [Test]
    public async Task Nothing_is_shared_once_the_database_hides_a_change_of_the_session()
    {
        var name = "untrusted_" + Guid.NewGuid().ToString("N")[..12];
        await Execute($"CREATE DATABASE {name}");
        try
        {
            await using var source = PgDataSource.Create(TestServer.Default.ConnectionString + $";Database={name};Multiplexing=true;Session Reset=Auto");
            while (source.Lanes!.Count == 0)
            {
                await Run(source, "SELECT 1");
                await Task.Delay(10);
            }
            await Run(source, "CREATE TABLE kept (id int)");
            await Run(source, "INSERT INTO kept VALUES (1)");
            await Run(source,
                """
                CREATE FUNCTION leak() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN PERFORM set_config('loxo.leak', 'seen', false); RETURN NEW; END $$
                """);
            await Run(source, "CREATE TRIGGER leak BEFORE INSERT ON kept FOR EACH ROW EXECUTE FUNCTION leak()");
            for (var i = 0; i < 200; i++)
            {
                await Run(source, "INSERT INTO kept VALUES (1)");
                Assert.That(await Run(source, "SELECT current_setting('loxo.leak', true)"), Is.EqualTo(DBNull.Value).Or.EqualTo(""));
            }
            for (var end = DateTime.UtcNow.AddMinutes(1); source.Lanes.Count > 0; await Task.Delay(50))
                Assert.That(DateTime.UtcNow, Is.LessThan(end), "A lane was not closed.");
        }
        finally
        {
            await Execute($"DROP DATABASE {name} WITH (FORCE)");
        }
    }

    [Test]
    public async Task A_query_that_writes_unseen_runs_once_however_it_is_executed()
    {
        var name = "writing_" + Guid.NewGuid().ToString("N")[..12];
        await Execute($"CREATE DATABASE {name}");
        try
        {
            await using var source = PgDataSource.Create(TestServer.Default.ConnectionString + $";Database={name};Multiplexing=true;Session Reset=Auto");
            await Run(source, "CREATE TABLE written (id int)");
            await Run(source, "CREATE FUNCTION write() RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO written VALUES (1); RETURN 7; END $$");
            await Run(source, "CREATE VIEW hidden AS SELECT write() AS value");
            while (source.Lanes!.Count == 0)
            {
                await Run(source, "SELECT 1");
                await Task.Delay(10);
            }
            var count = 0;
            foreach (var text in new[] { "SELECT value FROM hidden", "SELECT value + 1 FROM hidden", "SELECT value + 2 FROM hidden" })
            {
                for (var i = 0; i < 4; i++)
                {
                    await using var command = source.CreateCommand(text);
                    if (text.Contains('1'))
                        await Mode.ExecuteNonQuery(command);
                    else if (text.Contains('2'))
                        await ReadAll(command);
                    else
                        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(7));
                    Assert.That(await Run(source, "SELECT count(*) FROM written"), Is.EqualTo(++count));
                }
            }
        }
        finally
        {
            await Execute($"DROP DATABASE {name} WITH (FORCE)");
        }
    }

    private async Task ReadAll(PgCommand command)
    {
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(9));
        Assert.That(await Mode.Read(reader), Is.False);
        await Mode.Close(reader);
    }

    private async Task<object?> Run(PgDataSource source, string sql)
    {
        await using var command = source.CreateCommand(sql);
        return await Mode.ExecuteScalar(command);
    }
}
