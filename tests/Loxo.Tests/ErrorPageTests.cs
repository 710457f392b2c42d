using System.Xml.Linq;
using Loxo.Tests.Architecture;

namespace Loxo.Tests;

/// <summary>docs/errors.md has each code, as its documentation explains it.</summary>
public sealed class ErrorPageTests
{
    private const string Write = "LOXO_WRITE_ERRORS";
    private const string Begin = "<!-- codes -->\n";
    private const string End = "<!-- end of codes -->";

    private static readonly string _page = Path.Combine(Repository.Root, "docs", "errors.md");

    [Test]
    public void The_page_has_the_codes_of_today()
    {
        var page = File.ReadAllText(_page);
        var from = page.IndexOf(Begin, StringComparison.Ordinal) + Begin.Length;
        var to = page.IndexOf(End, StringComparison.Ordinal);
        if (Environment.GetEnvironmentVariable(Write) == "1")
            File.WriteAllText(_page, page[..from] + Table() + page[to..]);
        else
            Assert.That(page[from..to], Is.EqualTo(Table()), $"Run this test once with {Write}=1 and commit the page.");
    }

    private static string Table()
    {
        var members = XDocument.Load(Path.ChangeExtension(typeof(PgErrorCode).Assembly.Location, ".xml")).Descendants("member")
            .ToDictionary(static member => (string)member.Attribute("name")!);
        return string.Concat(Enum.GetValues<PgErrorCode>().Select(code =>
        {
            var member = members[$"F:Loxo.PgErrorCode.{code}"];
            return $"| {(int)code} `{code}` | {Text(member.Element("summary"))} | {Text(member.Element("remarks"))} |\n";
        }));
    }

    // A reference is shown by the last part of its name.
    private static string Text(XElement? element)
    {
        Assert.That(element, Is.Not.Null, "each code has a cause (summary) and a remedy (remarks)");
        var text = string.Concat(element!.Nodes().Select(static node => node is XElement one ? $"`{((string)one.Attribute("cref")!).Split('.')[^1]}`" : node.ToString()));
        return string.Join(' ', text.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries));
    }
}
