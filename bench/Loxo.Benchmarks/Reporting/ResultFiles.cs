using System.Text.Json;

namespace Loxo.Benchmarks.Reporting;

/// <summary>bench/results: each run as text for people and as JSON for the table in README.</summary>
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
            Console.WriteLine(curve.Draw(file + "-threads.svg") ? "The curve is drawn beside them." : "gnuplot is missing, so the curve was not drawn.");
    }

    /// <summary>The newest result by date and name; null when there is none.</summary>
    public static Report? Newest()
    {
        var file = Directory.Exists(Folder()) ? Directory.GetFiles(Folder(), "*.json").Order(StringComparer.Ordinal).LastOrDefault() : null;
        return file is null ? null : JsonSerializer.Deserialize<Report>(File.ReadAllText(file), Format);
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
