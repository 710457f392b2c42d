using System.Text.Json;

namespace Loxo.Benchmarks.Reporting;

/// <summary>bench/results: each run as text for people and as JSON for the pages.</summary>
internal static class ResultFiles
{
    private static readonly JsonSerializerOptions Format = new() { WriteIndented = true };

    public static void Write(Report report, string text, string name)
    {
        var folder = Directory.CreateDirectory(Folder()).FullName;
        var file = Path.Combine(folder, $"{report.Facts.Date}-{name}");
        File.WriteAllText(file + ".md", text);
        File.WriteAllText(file + ".json", JsonSerializer.Serialize(report, Format) + "\n");
        Console.WriteLine($"Written to bench/results/{Path.GetFileName(file)}.md and .json");
        if (ThreadCurve.Of(report) is { } curve)
        {
            var isDrawn = curve.Draw(file + "-threads.svg");
            Console.WriteLine(isDrawn ? "The curve is drawn beside them." : "gnuplot is missing, so the curve was not drawn.");
        }
    }

    /// <summary>Returns the newest result, by date and name, that satisfies a condition; null if there is none.</summary>
    public static Report? Newest(Func<Report, bool> condition)
    {
        if (!Directory.Exists(Folder()))
            return null;
        return Directory.GetFiles(Folder(), "*.json").OrderDescending(StringComparer.Ordinal)
            .Select(file => JsonSerializer.Deserialize<Report>(File.ReadAllText(file), Format)!).FirstOrDefault(condition);
    }

    /// <summary>The repository: the nearest folder above the program that holds the solution.</summary>
    public static string Root()
    {
        var folder = AppContext.BaseDirectory;
        while (folder is not null && !File.Exists(Path.Combine(folder, "Loxo.slnx")))
            folder = Path.GetDirectoryName(folder);
        return folder ?? throw new InvalidOperationException("The program does not lie in the repository: no folder above it holds Loxo.slnx.");
    }

    private static string Folder() => Path.Combine(Root(), "bench", "results");
}
