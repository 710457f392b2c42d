using Loxo.Tests.Architecture;

namespace Loxo.Tests.ConnectionStrings;

/// <summary>docs/connection-strings.md has the tables that follow from the driver's.</summary>
public class KeywordPageTests
{
    private const string Write = "LOXO_WRITE_KEYWORDS";

    private static readonly string _page = Path.Combine(Repository.Root, "docs", "connection-strings.md");

    [TestCase("keywords"), TestCase("parameters")]
    public void The_page_has_the_table_of_today(string table)
    {
        var page = File.ReadAllText(_page);
        var (begin, end) = ($"<!-- {table} -->\n", $"<!-- end of {table} -->");
        var from = page.IndexOf(begin, StringComparison.Ordinal) + begin.Length;
        var to = page.IndexOf(end, StringComparison.Ordinal);
        var now = table == "keywords" ? KeywordTable.Keywords() : KeywordTable.Parameters();
        if (Environment.GetEnvironmentVariable(Write) == "1")
            File.WriteAllText(_page, page[..from] + now + page[to..]);
        else
            Assert.That(page[from..to], Is.EqualTo(now), $"Run this test once with {Write}=1 and commit the page.");
    }
}
