using System.Text.RegularExpressions;
using System.Xml.Linq;
using Loxo.Embedded;

namespace Loxo.Docs.Tests;

public partial class ReadmeTests
{
    private const string Page = "README.md";

    [Test]
    public async Task The_ten_line_program_runs_as_it_stands()
    {
        var program = CodeBlock.Of(Page, File.ReadAllLines(Repository.PathOf(Page))).First(block => block.IsProgram);
        var literal = program.Code.Split('"').Single(text => text.StartsWith("Host=", StringComparison.Ordinal));
        await using var server = await PgEmbeddedServer.StartAsync(new PgEmbeddedServerOptions { Acquire = PgAcquire.All });

        var output = await Compiler.Run(program with { Code = program.Code.Replace(literal, server.ConnectionString, StringComparison.Ordinal) });

        Assert.That(program.Code.Split('\n').Count(line => line.Length > 0), Is.LessThanOrEqualTo(10));
        Assert.That(output, Does.Contain("max_connections = "));
    }

    [TestCase(Page)]
    [TestCase("bench/README.md")]
    public void The_numbers_have_their_place(string page)
    {
        var text = Repository.Read(page);
        var (start, end) = (text.IndexOf("<!-- bench:start -->", StringComparison.Ordinal), text.IndexOf("<!-- bench:end -->", StringComparison.Ordinal));

        Assert.That(start, Is.Positive);
        Assert.That(end, Is.GreaterThan(start));
    }

    [Test]
    public void The_comparison_with_Npgsql_has_at_most_ten_rows()
    {
        var text = Repository.Read(Page);
        var numbers = text[text.IndexOf("<!-- bench:start -->", StringComparison.Ordinal)..text.IndexOf("<!-- bench:end -->", StringComparison.Ordinal)];
        var rows = numbers.Split('\n').Where(line => line.StartsWith('|')).Skip(2).ToArray();

        Assert.That(rows, Has.Length.InRange(1, 10));
    }

    [Test]
    public void The_chart_has_an_SVG_file_for_each_theme()
    {
        var files = ImageSource().Matches(Repository.Read(Page)).Select(match => match.Groups["file"].Value).ToArray();

        Assert.That(files, Is.Unique.And.Length.EqualTo(2));
        foreach (var file in files)
            Assert.That(XDocument.Load(Repository.PathOf(file)).Root!.Name.LocalName, Is.EqualTo("svg"), file);
    }

    [GeneratedRegex("src(set)?=\"(?<file>[^\"]+)\"")]
    private static partial Regex ImageSource();
}
