using System.Data.Common;
using System.Text.RegularExpressions;
using Loxo.Embedded;

namespace Loxo.Docs.Tests;

/// <summary>
/// The code of the pages runs: each block, in the order of the page, on a database of its own that <see cref="PageList"/> and the page's
/// SQL have set up.
/// </summary>
public partial class PageRunTests
{
    private const string Settings = "appsettings.json";

    private PgEmbeddedServer _server = null!;
    private PgEmbeddedServer? _postgis;

    [OneTimeSetUp]
    public async Task Start()
    {
        _server = await PgEmbeddedServer.StartAsync(new PgEmbeddedServerOptions
        {
            Acquire = PgAcquire.All,
            WalLevel = PgWalLevel.Logical,
            Settings = { ["max_connections"] = "300" },
        });
        await File.WriteAllBytesAsync(PageList.Film, new byte[3_000_000]);
    }

    [OneTimeTearDown]
    public async Task Stop()
    {
        File.Delete(PageList.Film);
        await _server.DisposeAsync();
        if (_postgis is not null)
            await _postgis.DisposeAsync();
    }

    [TearDown]
    public void RemoveSettings() => File.Delete(Settings);

    [TestCaseSource(typeof(PageList), nameof(PageList.Running))]
    public async Task Each_block_runs_and_prints_what_the_page_says(string page)
    {
        var lines = await File.ReadAllLinesAsync(Repository.PathOf(page));
        await using var dataSource = PgDataSource.Create(await CreateDatabase(page));
        string[] setUp = [PageList.Databases[page], .. CodeBlock.Of(page, lines, "sql").Select(block => block.Code)];
        foreach (var sql in setUp.Where(sql => sql.Length > 0))
            await Execute(dataSource, sql);
        if (CodeBlock.Of(page, lines, "json").SingleOrDefault() is { } json)
            await File.WriteAllTextAsync(Settings, OnServer(json.Code, dataSource.ConnectionString));

        var (blocks, outputs) = (CodeBlock.Of(page, lines).ToArray(), CodeBlock.Of(page, lines, "text").ToArray());
        foreach (var (index, block) in blocks.Index())
        {
            var end = index + 1 < blocks.Length ? blocks[index + 1].Line : int.MaxValue;
            var expected = outputs.SingleOrDefault(output => output.Line > block.Line && output.Line < end)?.Code;
            var comments = Comments(block.Code).ToArray();

            var printed = await Run(block with { Code = OnServer(block.Code, dataSource.ConnectionString) }, dataSource, comments);

            if (expected is not null)
                Assert.That(printed.TrimEnd(), Is.EqualTo(expected), block.ToString());
            foreach (var comment in comments)
                Assert.That(printed, Does.Match(comment), block.ToString());
        }
    }

    [Test]
    public void Every_page_with_code_runs_or_is_listed_with_the_reason_why_not()
    {
        var pages = CodeBlock.All().Select(block => block.Page).Distinct();

        Assert.That(PageList.Running.Append(TransactionsPageTests.Page).Concat(PageList.OnlyCompiled.Keys), Is.EquivalentTo(pages));
        Assert.That(PageList.Meanwhile.Keys, Is.SubsetOf(PageList.Running));
    }

    // Blocks that listen until their token is cancelled get what they listen for until they have printed what the page says.
    private static async Task<string> Run(CodeBlock block, PgDataSource dataSource, string[] comments)
    {
        var listens = PageList.Meanwhile.TryGetValue(block.Page, out var meanwhile);
        Assert.That(listens && comments.Length == 0, Is.False, $"{block} ends when it has printed what a comment says, and there is none.");
        using var stop = new CancellationTokenSource(TimeSpan.FromMinutes(1)); // a hang
        await using var output = new ConsoleOutput();
        var run = Compiler.Run(block, dataSource, stop.Token);
        if (listens)
        {
            while (!run.IsCompleted && !comments.All(comment => Regex.IsMatch(output.Text, comment)))
            {
                await Execute(dataSource, meanwhile!);
                await Task.WhenAny(run, Task.Delay(TimeSpan.FromMilliseconds(10)));
            }
            await stop.CancelAsync();
        }
        try
        {
            await run;
        }
        catch (OperationCanceledException) when (listens && stop.IsCancellationRequested)
        {
        }
        return output.Text;
    }

    // What a line prints, where the page says so behind Console.WriteLine, as a pattern. Something in angle brackets stands for anything.
    private static IEnumerable<string> Comments(string code) =>
        from line in code.Split('\n')
        where line.Contains("Console.WriteLine(", StringComparison.Ordinal)
        let comment = line.Split(" // ")
        where comment.Length == 2 && !comment[1].StartsWith("Npgsql", StringComparison.Ordinal)
        select $"(?m)^{Placeholder().Replace(Regex.Escape(comment[1].Trim()), ".+")}$";

    // The page's connection strings lead to the test's server, those with several hosts too. What else they say stays.
    private static string OnServer(string code, string connectionString)
    {
        var server = new DbConnectionStringBuilder { ConnectionString = connectionString };
        foreach (var literal in code.Split('"').Where(text => text.StartsWith("Host=", StringComparison.Ordinal)).Distinct())
        {
            var builder = new DbConnectionStringBuilder { ConnectionString = literal };
            foreach (string keyword in server.Keys)
                builder[keyword] = server[keyword];
            code = code.Replace($"\"{literal}\"", $"\"{builder.ConnectionString}\"", StringComparison.Ordinal);
        }
        return code;
    }

    private static async Task Execute(PgDataSource dataSource, string sql)
    {
        await using var command = dataSource.CreateCommand(sql);
        await command.ExecuteNonQueryAsync();
    }

    private async Task<string> CreateDatabase(string page)
    {
        var name = NotInName().Replace(page.ToLowerInvariant(), "_");
        var server = PageList.Databases[page].Contains("postgis", StringComparison.Ordinal) ? await StartPostgis() : _server;
        await using var dataSource = PgDataSource.Create(server.ConnectionString);
        await Execute(dataSource, $"CREATE DATABASE {name}");
        return new PgConnectionStringBuilder(server.ConnectionString) { Database = name }.ConnectionString;
    }

    private async Task<PgEmbeddedServer> StartPostgis()
    {
        if (!File.Exists("/usr/share/postgresql/15/extension/postgis.control"))
            Assert.Ignore("There is no PostGIS for PostgreSQL 15. Install it: apt-get install postgresql-15-postgis-3");
        var options = new PgEmbeddedServerOptions { BinaryDirectory = "/usr/lib/postgresql/15/bin" };
        return _postgis ??= await PgEmbeddedServer.StartAsync(options);
    }

    [GeneratedRegex("<[^>]+>")]
    private static partial Regex Placeholder();

    [GeneratedRegex("[^a-z]")]
    private static partial Regex NotInName();
}
