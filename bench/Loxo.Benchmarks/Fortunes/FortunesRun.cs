using Loxo.Benchmarks.Measuring;
using Loxo.Benchmarks.Reporting;
using Loxo.Fortunes;

namespace Loxo.Benchmarks.Fortunes;

/// <summary>
/// TechEmpower's Fortunes: a web application that reads twelve rows for each request, with each driver and without a database.
/// </summary>
internal static class FortunesRun
{
    /// <summary>The row's name in the results.</summary>
    public const string Id = "fortunes";

    public const int DefaultRounds = 5;
    public const int DefaultSeconds = 5;

    private static readonly Row Row = new(Id, "TechEmpower's Fortunes", IsAsync: true, Batch: 1, Entrants: []);

    private static readonly PeerKind[] Variants =
    [
        PeerKind.NoDatabase, PeerKind.Npgsql, PeerKind.NpgsqlTuned, PeerKind.NpgsqlMultiplexing, PeerKind.Loxo, PeerKind.LoxoMultiplexing,
    ];

    /// <summary>Runs the chosen variants, and the one without a database.</summary>
    public static Report Run(PeerKind[] peers, int rounds, int seconds)
    {
        using var server = new BenchServer();
        server.Execute(FortuneData.Create);
        var chosen = Variants.Where(variant => variant == PeerKind.NoDatabase || peers.Contains(variant));
        var results = new Rounds(_ => [.. chosen.Select(variant => new FortunesApplication(variant, server, seconds))], rounds)
        {
            FewestPasses = 4,
            MostPasses = 6,
        }.Run([Row]);
        return new Report(MachineFacts.Read(server.Version) with { Cores = AllCores.Own }, rounds, results, []);
    }

    /// <summary>The name of the result's files, unless one is given: runs on one core and on several are kept apart.</summary>
    public static string FileName() => Environment.ProcessorCount == 1 ? Id : $"{Id}-{Environment.ProcessorCount}-cores";

    /// <summary>The variants with their settings, for <c>--list</c>.</summary>
    public static void Print(TextWriter writer)
    {
        foreach (var variant in Variants)
        {
            var isLeftOut = variant == PeerKind.LoxoMultiplexing && !PeerKind.IsAccepted(variant);
            var note = isLeftOut ? " (left out: this build of Loxo does not know the setting)" : "";
            writer.WriteLine($"{variant.Name,-24} {variant.Settings}{note}");
        }
    }
}
