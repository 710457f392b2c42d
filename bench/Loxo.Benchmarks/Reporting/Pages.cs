namespace Loxo.Benchmarks.Reporting;

/// <summary>Writes the newest result into README.md, its charts and bench/README.md.</summary>
internal static class Pages
{
    private const string Start = "<!-- bench:start -->";
    private const string End = "<!-- bench:end -->";

    public static int Write()
    {
        if (ResultFiles.Newest(ReadmeNumbers.Covers) is not { } report)
            return Fail("No result in bench/results has all rows of README's chart and table. Run ./bench/run without --rows first.");
        Directory.CreateDirectory(PathOf(ReadmeNumbers.ImageFolder));
        foreach (var theme in ChartTheme.All)
            File.WriteAllText(PathOf(ReadmeNumbers.ImageOf(theme)), Chart.Draw(report, theme));
        return Math.Max(Replace("README.md", ReadmeNumbers.Write(report)), Replace("bench/README.md", FullTables.Write(report)));
    }

    private static int Replace(string page, string content)
    {
        var text = File.ReadAllText(PathOf(page));
        var start = text.IndexOf(Start, StringComparison.Ordinal);
        var end = text.IndexOf(End, StringComparison.Ordinal);
        if (start < 0 || end < start)
            return Fail($"{page} must contain the line '{Start}' and, further down, the line '{End}'; the numbers go between them.");
        File.WriteAllText(PathOf(page), text[..(start + Start.Length)] + "\n" + content + text[end..]);
        return 0;
    }

    private static string PathOf(string file) => Path.Combine(ResultFiles.Root(), file);

    private static int Fail(string message)
    {
        Console.Error.WriteLine(message);
        return 1;
    }
}
