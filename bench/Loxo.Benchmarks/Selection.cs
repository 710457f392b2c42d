using Loxo.Benchmarks.RoundTrips;

namespace Loxo.Benchmarks;

/// <summary>What was asked for by <c>--rows</c>.</summary>
/// <param name="Rows">The rows.</param>
/// <param name="RoundTrips">Whether round trips are counted too.</param>
internal sealed record Selection(Row[] Rows, bool RoundTrips)
{
    /// <summary>Those that run on one core.</summary>
    public Row[] Pinned => [.. Rows.Where(row => row.Threads == 0)];

    /// <summary>Those that run on all cores.</summary>
    public Row[] Unpinned => [.. Rows.Where(row => row.Threads > 0)];

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
        {
            writer.WriteLine($"{row.Id,-24} {row.Title}");
            writer.WriteLine($"{"",-24} {string.Join(", ", row.Entrants.Select(entrant => entrant.Kind.Name))}");
        }
        if (RoundTrips)
            writer.WriteLine($"{Scenarios.Name,-24} round trips over a slowed link, counted: {string.Join("; ", Scenarios.All.Select(scenario => scenario.Title))}");
    }
}
