using Loxo.Pooling.Core;

namespace Loxo.Pooling.Tests.Interleavings;

/// <summary>What came of trying all schedules of a scenario within its bound.</summary>
internal sealed record Exploration(long Schedules, int States, ulong Points, string? Violation);

/// <summary>
/// Tries all schedules of a scenario, depth first: each run follows the choices of the run before up to the last that has an option left. A
/// state that was met before with as many preemptions left is not explored again.
/// </summary>
internal static class Explorer
{
    public static Exploration Explore(Scenario scenario, Point? omitted = null)
    {
        var scheduler = new Scheduler { Preemptions = scenario.Preemptions, Omitted = omitted };
        var schedules = 0L;
        try
        {
            do
            {
                schedules++;
                scheduler.Execute(scenario.Begin());
            }
            while (scheduler.Violation is null && Backtrack(scheduler.Path));
        }
        finally
        {
            scheduler.Stop();
        }
        return new Exploration(schedules, scheduler.StatesVisited, scheduler.PointsReached, scheduler.Violation);
    }

    private static bool Backtrack(List<Choice> path)
    {
        while (path.Count > 0)
        {
            var last = path[^1];
            if (last.Taken + 1 < last.Options)
            {
                path[^1] = last with { Taken = last.Taken + 1 };
                return true;
            }
            path.RemoveAt(path.Count - 1);
        }
        return false;
    }
}
