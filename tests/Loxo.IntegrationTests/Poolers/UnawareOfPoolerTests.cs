namespace Loxo.IntegrationTests.Poolers;

/// <summary>
/// Why there is a keyword: without it, statements are prepared in a server process that the next transaction does not meet. Data is right all the
/// same, but a transaction may fail, and something is left behind for others.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class UnawareOfPoolerTests(WaitMode mode) : PoolerTest(mode, PgBouncer.Unaware, Pooler.None)
{
    private const string Select = "SELECT pg_backend_pid(), $1 + 1";

    [SetUp]
    public Task StartServers() => StartAll();

    [TearDown]
    public async Task CleanServers()
    {
        var held = await HoldAll();
        foreach (var server in held)
        {
            await new PgCommand("DEALLOCATE ALL; RESET ALL", server.Connection).ExecuteNonQueryAsync();
            await server.Commit();
        }
        await Release(held);
    }

    [Test]
    public async Task Outside_of_transactions_missing_statements_are_healed_and_statements_are_left_behind()
    {
        var processes = new HashSet<int>();
        for (var i = 0; i < 12; i++)
        {
            var row = (await Rows(Select, i))[0];
            Assert.That(row[1], Is.EqualTo(i + 1));
            processes.Add((int)row[0]!);
        }
        Assert.That(processes, Has.Count.EqualTo(PgBouncer.Servers));
        Assert.That(await Leftovers(), Does.Contain("statement " + Select));
    }

    [Test]
    public async Task Two_clients_with_the_same_text_get_each_their_own_answers()
    {
        await using var other = await OpenAnother();
        for (var i = 0; i < 12; i++)
        {
            Assert.That((await Rows(Select, i))[0][1], Is.EqualTo(i + 1));
            await using var command = new PgCommand(Select, other) { Parameters = { new PgParameter { Value = i + 100 } } };
            var reader = await Mode.ExecuteReader(command);
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetInt32(1), Is.EqualTo(i + 101));
            await Mode.Close(reader);
        }
    }

    [Test]
    public async Task In_a_transaction_that_has_done_something_a_missing_statement_is_an_error_that_says_so()
    {
        await Rows(Select, 1);
        var process = (int)(await Rows(Select, 2))[0][0]!;
        await using (await Hold(process))
        {
            await using var transaction = await Begin();
            await Execute("SELECT 1");

            var error = await Catch<PgException>(() => Rows(Select, 3));

            Assert.That(error.Code, Is.EqualTo(PgErrorCode.StatementOutdated));
            Assert.That(error.InnerException, Has.Property(nameof(PostgresException.SqlState)).EqualTo(PostgresErrorCodes.InvalidSqlStatementName));
            await Mode.Rollback(transaction);
        }
        Assert.That((await Rows(Select, 4))[0][1], Is.EqualTo(5));
    }

    [Test]
    public async Task A_statement_of_another_client_is_never_read_by_ones_own_description()
    {
        var table = "unaware_" + Guid.NewGuid().ToString("N");
        var text = $"SELECT value, pg_backend_pid() FROM {table}";
        await Execute($"CREATE TABLE {table} (value int8); INSERT INTO {table} VALUES (7)");
        try
        {
            await Rows(text);
            var process = (int)(await Rows(text))[0][1]!;
            await using (var others = new PgConnection(TestServer.Default.ConnectionString))
            {
                await others.OpenAsync();
                await new PgCommand($"ALTER TABLE {table} ALTER value TYPE float8", others).ExecuteNonQueryAsync();
            }
            await using var held = await Hold(process);
            await using var other = await OpenAnother();
            for (var i = 0; i < 2; i++)
                Assert.That(await Mode.ExecuteScalar(new PgCommand(text, other)), Is.EqualTo(7.0));

            Assert.That((await Rows(text))[0][0], Is.EqualTo(7.0));
        }
        finally
        {
            await Execute($"DROP TABLE {table}");
        }
    }

    [Test]
    public async Task A_setting_reaches_strangers()
    {
        await Execute("SET work_mem = '8765kB'");
        Assert.That(await Leftovers(), Is.EqualTo(new[] { "setting work_mem = 8765" }));
    }
}
