using System.Text.RegularExpressions;

namespace Loxo.Docs.Tests;

public partial class LinkTests
{
    [TestCaseSource(nameof(Pages))]
    public void Every_link_to_a_file_of_the_repository_leads_there(string page)
    {
        var folder = Path.GetDirectoryName(Repository.PathOf(page))!;
        var missing = Link().Matches(Repository.Read(page))
            .Select(match => match.Groups["target"].Value)
            .Where(target => !target.Contains("://", StringComparison.Ordinal) && !target.StartsWith('#'))
            .Where(target => !Path.Exists(Path.Combine(folder, target.Split('#')[0])));

        Assert.That(missing, Is.Empty);
    }

    [Test]
    public void Every_page_of_the_documentation_is_linked_from_the_README()
    {
        var targets = Link().Matches(Repository.Read("README.md")).Select(match => match.Groups["target"].Value.Split('#')[0]).ToHashSet();

        Assert.That(Directory.EnumerateFiles(Repository.PathOf("docs"), "*.md").Select(path => "docs/" + Path.GetFileName(path))
            .Where(page => !targets.Contains(page)), Is.Empty);
    }

    private static IEnumerable<string> Pages() => Repository.Pages();

    [GeneratedRegex(@"\]\((?<target>[^)\s]+)\)")]
    private static partial Regex Link();
}
