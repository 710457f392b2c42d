using Loxo.Embedded;

namespace Loxo.Docs.Tests;

public class QuickstartTests
{
    private PgEmbeddedServer _server = null!;

    [OneTimeSetUp]
    public async Task Start() => _server = await PgEmbeddedServer.StartAsync(new PgEmbeddedServerOptions { Acquire = PgAcquire.All });

    [OneTimeTearDown]
    public async Task Stop() => await _server.DisposeAsync();

    [Test]
    public async Task It_works_in_the_readers_own_database_and_leaves_nothing_there()
    {
        await Execute("CREATE TABLE customers (id int); INSERT INTO customers VALUES (1)");

        var (exitCode, output, error) = await Run("--connection", _server.ConnectionString);

        Assert.That(exitCode, Is.Zero, error);
        Assert.That(output, Does.Contain("14. ").And.Contain("Done"));
        Assert.That(output, Does.Contain("4 rows changed and committed, round trips: 1"));
        Assert.That(output, Does.Match("100,000 rows loaded, [0-9,]+ per second").And.Match("100,000 rows exported, [0-9,]+ per second; 29.9 seconds each on average"));
        Assert.That(output, Does.Not.Contain("####"), "no progress bar in a file");
        Assert.That(output, Does.Match("200 callers at the same time in [1-3]?[0-9] sessions"));
        Assert.That(output, Does.Match("1 round trip, not 5"));
        Assert.That(output, Does.Not.Contain("left out"));
        Assert.That(await Scalar("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'loxo%'"), Is.Zero);
        Assert.That(await Scalar("SELECT count(*) FROM public.customers"), Is.EqualTo(1));
    }

    [Test]
    public async Task It_starts_a_server_of_its_own()
    {
        var (exitCode, output, error) = await Run();

        Assert.That(exitCode, Is.Zero, error);
        Assert.That(output, Does.Contain("Starting a PostgreSQL").And.Contain("Done"));
    }

    [TestCase("Host=localhost;Prot=1", "'Prot'")]
    [TestCase("Host=127.0.0.1;Port=1;Username=nobody", "127.0.0.1:1")]
    [TestCase("Host=127.0.0.1;Encoding=latin1", "'Encoding=latin1'")]
    public async Task A_wrong_connection_string_is_one_line_that_names_the_problem(string connectionString, string problem)
    {
        var (exitCode, _, error) = await Run("--connection", connectionString);

        Assert.That(exitCode, Is.EqualTo(1));
        Assert.That(error.TrimEnd().Split('\n'), Has.Length.EqualTo(1));
        Assert.That(error, Does.Contain(problem));
    }

    [Test]
    public async Task A_database_that_does_not_exist_is_one_line_too()
    {
        var (exitCode, _, error) = await Run("--connection", _server.ConnectionString + ";Database=attic");

        Assert.That(exitCode, Is.EqualTo(1));
        Assert.That(error.TrimEnd().Split('\n'), Has.Length.EqualTo(1));
        Assert.That(error, Does.Contain("attic"));
    }

    [Test]
    public async Task Help_is_help()
    {
        var (exitCode, output, _) = await Run("--help");

        Assert.That(exitCode, Is.Zero);
        Assert.That(output, Does.Contain("--connection"));
    }

    private static Task<(int ExitCode, string Output, string Error)> Run(params string[] arguments) =>
        Terminal.Run("dotnet", [Path.Combine(AppContext.BaseDirectory, "Quickstart.dll"), .. arguments]);

    private async Task Execute(string sql)
    {
        await using var connection = new PgConnection(_server.ConnectionString);
        await connection.OpenAsync();
        await using var command = new PgCommand(sql, connection);
        await command.ExecuteNonQueryAsync();
    }

    private async Task<long> Scalar(string sql)
    {
        await using var connection = new PgConnection(_server.ConnectionString);
        await connection.OpenAsync();
        await using var command = new PgCommand(sql, connection);
        return (long)(await command.ExecuteScalarAsync())!;
    }
}
