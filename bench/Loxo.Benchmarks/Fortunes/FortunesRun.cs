using Loxo.Benchmarks.Measuring;
using Loxo.Benchmarks.Reporting;
using Loxo.Fortunes;

namespace Loxo.Benchmarks.Fortunes;

/// <summary>
/// TechEmpower's Fortunes: a web application that reads twelve rows for each request, with each driver on each engine, by floors, and
/// without a database.
/// </summary>
internal static class FortunesRun
{
    /// <summary>The row's name in the results.</summary>
    public const string Id = "fortunes";

    public const int DefaultRounds = 5;
    public const int DefaultSeconds = 5;

    private static readonly Row Row = new(Id, "TechEmpower's Fortunes", IsAsync: true, Batch: 1, Entrants: []);

    public static Report Run(FortunesVariant[] variants, int rounds, int seconds)
    {
        using var server = new BenchServer();
        server.Execute(FortuneData.Create);
        var results = new Rounds(_ => [.. variants.Select(variant => new FortunesApplication(variant.Kind, server, seconds))], rounds)
        {
            FewestPasses = 4,
            MostPasses = 6,
        }.Run([Row]);
        return new Report(MachineFacts.Read(server.Version) with { Cores = AllCores.Own }, rounds, results, []);
    }

    /// <summary>The name of the result's files, unless one is given: runs on one core and on several are kept apart.</summary>
    public static string FileName() => Environment.ProcessorCount == 1 ? Id : $"{Id}-{Environment.ProcessorCount}-cores";

    /// <summary>The variants with their settings, and the goals, for <c>--list</c>.</summary>
    public static void Print(TextWriter writer, FortunesVariant[] variants)
    {
        foreach (var variant in variants)
            writer.WriteLine($"{variant.Name,-32} {variant.Kind.Note}".TrimEnd());
        foreach (var goal in Goal.All.Where(goal => goal.Row == Id))
            writer.WriteLine($"goal, {goal.Wanted}");
    }
}
