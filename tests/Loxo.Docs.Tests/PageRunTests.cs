using Loxo.Embedded;

namespace Loxo.Docs.Tests;

/// <summary>
/// The pages that a newcomer starts from: each block of code runs, in the order of the page, on a database that the page's own SQL has set up.
/// </summary>
public class PageRunTests
{
    private static readonly string[] _pages = ["docs/getting-started.md", "docs/connections.md", "docs/commands.md", "docs/migration.md"];
    private PgEmbeddedServer _server = null!;

    [OneTimeSetUp]
    public async Task Start() => _server = await PgEmbeddedServer.StartAsync(new PgEmbeddedServerOptions { Acquire = PgAcquire.All });

    [OneTimeTearDown]
    public async Task Stop() => await _server.DisposeAsync();

    [TestCaseSource(nameof(_pages))]
    public async Task Each_block_runs_and_prints_what_the_page_says(string page)
    {
        await using var dataSource = PgDataSource.Create(await CreateDatabase(Path.GetFileNameWithoutExtension(page)));
        var lines = await File.ReadAllLinesAsync(Repository.PathOf(page));
        foreach (var sql in CodeBlock.Of(page, lines, "sql"))
        {
            await using var command = dataSource.CreateCommand(sql.Code);
            await command.ExecuteNonQueryAsync();
        }

        var (blocks, outputs) = (CodeBlock.Of(page, lines).ToArray(), CodeBlock.Of(page, lines, "text").ToArray());
        Assert.That(blocks, Is.Not.Empty);
        foreach (var (index, block) in blocks.Index())
        {
            var printed = await Compiler.Run(block with { Code = OnServer(block.Code, dataSource.ConnectionString) }, dataSource);
            var end = index + 1 < blocks.Length ? blocks[index + 1].Line : int.MaxValue;
            if (outputs.SingleOrDefault(output => output.Line > block.Line && output.Line < end) is { } expected)
                Assert.That(printed.TrimEnd(), Is.EqualTo(expected.Code), block.ToString());
            foreach (var comment in Comments(block.Code))
                Assert.That(printed, Does.Contain(comment), block.ToString());
        }
    }

    // What a line prints, where the page says so behind Console.WriteLine: the part in front of a comma that explains it.
    private static IEnumerable<string> Comments(string code) =>
        from line in code.Split('\n')
        where line.Contains("Console.WriteLine(", StringComparison.Ordinal)
        let comment = line.Split(" // ")
        where comment.Length == 2 && !comment[1].StartsWith("Npgsql", StringComparison.Ordinal)
        select comment[1].Split(", on every")[0].Trim();

    private static string OnServer(string code, string connectionString)
    {
        foreach (var literal in code.Split('"').Where(text => text.StartsWith("Host=", StringComparison.Ordinal)))
            code = code.Replace(literal, connectionString, StringComparison.Ordinal);
        return code;
    }

    private async Task<string> CreateDatabase(string page)
    {
        var name = page.Replace('-', '_');
        await using var dataSource = PgDataSource.Create(_server.ConnectionString);
        await using var command = dataSource.CreateCommand($"CREATE DATABASE {name}");
        await command.ExecuteNonQueryAsync();
        return new PgConnectionStringBuilder(_server.ConnectionString) { Database = name }.ConnectionString;
    }
}
