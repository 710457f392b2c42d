using Loxo.Benchmarks.Reporting;
using Loxo.Benchmarks.RoundTrips;

namespace Loxo.Benchmarks;

/// <summary>What was asked for by <c>--rows</c>.</summary>
/// <param name="Rows">The rows.</param>
/// <param name="RoundTrips">Whether round trips are counted too.</param>
internal sealed record Selection(Row[] Rows, bool RoundTrips)
{
    /// <summary>Those that run on one core.</summary>
    public Row[] Pinned => [.. Rows.Where(row => !row.HasAllCores)];

    /// <summary>Those that run on all cores.</summary>
    public Row[] Unpinned => [.. Rows.Where(row => row.HasAllCores)];

    /// <summary>The rows or groups of those names, separated by commas; everything when there are none.</summary>
    public static Selection Choose(string names)
    {
        if (names.Length == 0)
            return new Selection(Benchmarks.Rows.All, true);
        var chosen = names.Split(',');
        var known = Benchmarks.Rows.All.SelectMany(row => new[] { row.Id, row.Group }).Append(Scenarios.Name).Distinct().ToArray();
        if (Array.Find(chosen, name => !known.Contains(name)) is { } unknown)
            throw new ArgumentException($"There is no row '{unknown}'. Rows: {string.Join(", ", known)}");
        return new Selection([.. Benchmarks.Rows.All.Where(row => chosen.Contains(row.Id) || chosen.Contains(row.Group))], chosen.Contains(Scenarios.Name));
    }

    /// <summary>Each row with its name, who takes part and what is wanted, for <c>--list</c>.</summary>
    public void Print(TextWriter writer)
    {
        foreach (var row in Rows)
            Print(writer, row.Id, row.Title, string.Join(", ", row.Entrants.Select(entrant => entrant.Kind.Name)), [row.Id, row.Group]);
        if (!RoundTrips)
            return;
        writer.WriteLine($"{Scenarios.Name}: round trips over a slowed link, counted");
        foreach (var scenario in Scenarios.All)
        {
            var libpq = scenario.Libpq is null ? "" : $", {PeerKind.Libpq.Name}";
            Print(writer, $"- {scenario.Id}", scenario.Title, $"{PeerKind.Loxo.Name}, {PeerKind.Npgsql.Name}{libpq}", [scenario.Id]);
        }
    }

    private static void Print(TextWriter writer, string name, string title, string peers, string[] goals)
    {
        writer.WriteLine($"{name,-24} {title}");
        writer.WriteLine($"{"",-24}   {peers}");
        foreach (var goal in Goal.All.Where(goal => goals.Contains(goal.Row)))
            writer.WriteLine($"{"",-24}   goal, {goal.Wanted}");
    }
}
