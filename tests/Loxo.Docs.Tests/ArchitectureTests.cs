using System.Text.RegularExpressions;

namespace Loxo.Docs.Tests;

public partial class ArchitectureTests
{
    private const string Page = "docs/ARCHITECTURE.md";

    [Test]
    public void The_page_has_at_most_120_lines() =>
        Assert.That(File.ReadAllLines(Repository.PathOf(Page)), Has.Length.LessThanOrEqualTo(120));

    [Test]
    public void Every_folder_of_the_driver_has_a_row_in_the_table()
    {
        var table = Repository.Read(Page).Split('\n').Where(line => line.StartsWith("| `", StringComparison.Ordinal)).ToArray();
        var folders = Directory.EnumerateDirectories(Repository.PathOf("src/Loxo"))
            .Select(folder => Path.GetFileName(folder)!)
            .Where(name => name is not ("bin" or "obj"))
            .ToArray();

        Assert.That(folders, Is.Not.Empty);
        Assert.That(folders.Where(folder => !table.Any(row => row.StartsWith($"| `{folder}/`", StringComparison.Ordinal))), Is.Empty);
    }

    [TestCase(Page)]
    [TestCase("CONTRIBUTING.md")]
    public void Every_type_and_member_that_the_page_names_exists(string page)
    {
        var sources = Directory.EnumerateFiles(Repository.PathOf("src"), "*.cs", SearchOption.AllDirectories)
            .Concat(Directory.EnumerateFiles(Repository.PathOf("tests"), "*.cs", SearchOption.AllDirectories))
            .Where(file => !file.Contains($"{Path.DirectorySeparatorChar}obj{Path.DirectorySeparatorChar}", StringComparison.Ordinal));
        var words = sources.SelectMany(file => Word().Matches(Path.GetFileName(file) + " " + File.ReadAllText(file)).Select(match => match.Value)).ToHashSet();
        var named = CodeSpan().Matches(OutsideBlocks(Repository.Read(page)))
            .Select(match => match.Groups["code"].Value)
            .Where(code => TypeOrMember().IsMatch(code))
            .Distinct();

        Assert.That(named.Where(name => name.Split('.').Any(part => !words.Contains(part))), Is.Empty);
    }

    private static string OutsideBlocks(string page) => Block().Replace(page, "");

    [GeneratedRegex(@"\w+")]
    private static partial Regex Word();

    [GeneratedRegex("`(?<code>[^`\n]+)`")]
    private static partial Regex CodeSpan();

    [GeneratedRegex(@"^[A-Z][a-z]\w*(\.[A-Z]\w*)?$")]
    private static partial Regex TypeOrMember();

    [GeneratedRegex("```.*?```", RegexOptions.Singleline)]
    private static partial Regex Block();
}
