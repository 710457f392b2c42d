using Loxo.Embedded;

namespace Loxo.Docs.Tests;

/// <summary>The code of docs/transactions.md runs against a server, as it stands.</summary>
public sealed class TransactionsPageTests
{
    internal const string Page = "docs/transactions.md";

    private const string Around = """
        using System.Data;
        using Loxo;

        await using var dataSource = PgDataSource.Create("Host=localhost");
        await using var connection = await dataSource.OpenConnectionAsync();
        {
        """;

    private PgEmbeddedServer _server = null!;

    [OneTimeSetUp]
    public async Task StartServer()
    {
        _server = await PgEmbeddedServer.StartAsync(new PgEmbeddedServerOptions { Acquire = PgAcquire.All });
        await Execute("CREATE TABLE accounts (id int PRIMARY KEY, balance numeric)");
    }

    [OneTimeTearDown]
    public ValueTask StopServer() => _server.DisposeAsync();

    [SetUp]
    public Task FillTable() => Execute("TRUNCATE accounts; INSERT INTO accounts SELECT id, 100 FROM generate_series(1, 3) id");

    [TestCaseSource(nameof(Blocks))]
    public async Task Every_example_runs(CodeBlock block)
    {
        var program = block.IsProgram ? block.Code : $"{Around}\n{block.Code}\n}}";
        var literal = program.Split('"').First(text => text.StartsWith("Host=", StringComparison.Ordinal));

        await Compiler.Run(block with { Code = program.Replace(literal, _server.ConnectionString, StringComparison.Ordinal) });

        Assert.That(await Scalar("SELECT count(*) FROM accounts"), Is.EqualTo(3L));
        Assert.That(await Scalar("SELECT count(*) FROM pg_prepared_xacts"), Is.Zero);
    }

    [Test]
    public void There_are_examples() => Assert.That(Blocks().Count(), Is.GreaterThanOrEqualTo(5));

    private static IEnumerable<TestCaseData> Blocks() => CodeBlock.Of(Page, File.ReadAllLines(Repository.PathOf(Page)))
        .Select(static block => new TestCaseData(block).SetArgDisplayNames(block.ToString()));

    private Task Execute(string sql) => Scalar(sql);

    private async Task<object?> Scalar(string sql)
    {
        await using var connection = new PgConnection(_server.ConnectionString);
        await connection.OpenAsync();
        await using var command = new PgCommand(sql, connection);
        return await command.ExecuteScalarAsync();
    }
}
