using System.Text.RegularExpressions;

namespace Loxo.Tests.Architecture;

/// <summary>The reading list of docs/ARCHITECTURE.md is short and leads from SQL text to a value and back.</summary>
public sealed partial class ReadingListTests
{
    private const int MostFiles = 12;
    private const int MostLines = 2200;

    private static readonly string[] _way = ["Commands", "Parameters", "Protocol", "Reading", "Session", "Sql", "Transport", "Types"];

    private static readonly string[] _files = [.. Files(Repository.Read("docs/ARCHITECTURE.md"))];

    [Test]
    public void It_names_at_most_12_files() => Assert.That(_files, Is.Unique.And.Length.InRange(1, MostFiles));

    [Test]
    public void Its_files_have_at_most_2200_lines()
    {
        var lines = _files.ToDictionary(file => file, file => File.ReadLines(Path.Combine(Repository.Root, "src/Loxo", file)).Count());
        Assert.That(lines.Values.Sum(), Is.LessThanOrEqualTo(MostLines), string.Join(", ", lines));
    }

    [Test]
    public void It_visits_each_folder_that_a_command_passes() => Assert.That(_files.Select(file => file.Split('/')[0]).Distinct(), Is.EquivalentTo(_way));

    [Test]
    public void Only_the_list_counts() => Assert.That(
        Files("## Before\n`A/B.cs`\n## What to read, in which order\n1. `C/D.cs`, `C/D.E.cs`: x.\n2. `F`: y.\n\n## After\n`G/H.cs`\n"),
        Is.EqualTo(["C/D.cs", "C/D.E.cs"]));

    private static IEnumerable<string> Files(string page) => QuotedFile().Matches(Section().Match(page).Value).Select(match => match.Groups[1].Value);

    [GeneratedRegex(@"^## What to read, in which order\n(?:(?!## ).*\n?)*", RegexOptions.Multiline)]
    private static partial Regex Section();

    [GeneratedRegex(@"`([\w./]+\.cs)`")]
    private static partial Regex QuotedFile();
}
