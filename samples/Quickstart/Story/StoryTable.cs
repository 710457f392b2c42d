using System.Diagnostics;
using System.Globalization;
using Loxo;

namespace Quickstart.Story;

/// <summary>What makes a program that talks to a database slow or fast, measured where this runs: one line each, in a few seconds.</summary>
internal sealed class StoryTable(TextWriter output)
{
    private const int BestOf = 3;

    public static async Task Tell(ShopDatabase database, TextWriter output, CancellationToken token)
    {
        var table = new StoryTable(output);
        output.WriteLine();
        output.WriteLine("The story on your own machine:");
        output.WriteLine();
        await table.Line(() => ConnectionObjects.Measure(database), token);
        await table.Line(() => PooledOrNot.Measure(database), token);
        await table.Line(() => PreparedOrNot.Measure(database), token);
        await table.Line(() => OverALongLine.Measure(database, token), token);
        await table.Line(() => RowsPerSecond.Measure(database, token), token);
        Hint(output);
    }

    /// <summary>The time that the action takes when it is warm: the best of a few times.</summary>
    public static TimeSpan Best(Action action)
    {
        action();
        var best = TimeSpan.MaxValue;
        for (var i = 0; i < BestOf; i++)
        {
            var start = Stopwatch.GetTimestamp();
            action();
            var time = Stopwatch.GetElapsedTime(start);
            best = time < best ? time : best;
        }
        return best;
    }

    public static string Milliseconds(TimeSpan time) => time.TotalMilliseconds.ToString("N1", CultureInfo.InvariantCulture) + " ms";

    public static string Microseconds(TimeSpan time) => time.TotalMicroseconds.ToString("N0", CultureInfo.InvariantCulture) + " us";

    public static string Times(TimeSpan one, TimeSpan other) => (other / one).ToString("N1", CultureInfo.InvariantCulture) + " times faster";

    // No line is worth the tour: a long line cannot be laid to a server that wants to be called by its name, for one.
    private async Task Line(Func<Task<StoryLine>> measure, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        try
        {
            var line = await measure();
            output.WriteLine($"  {line.What,-46} {line.One,-22} {line.Other,-24} {line.Remark}".TrimEnd());
        }
        catch (Exception e) when (e is PgException or ArgumentException or NotSupportedException)
        {
            output.WriteLine($"  (left out: {e.Message.ReplaceLineEndings(" ")})");
        }
    }

    [Conditional("DEBUG")]
    private static void Hint(TextWriter output)
    {
        output.WriteLine();
        output.WriteLine("  Built for debugging. Truer figures: dotnet run -c Release --project samples/Quickstart");
    }
}

/// <summary>One line of the table: what was done, in one way and in another, and what to make of it.</summary>
internal sealed record StoryLine(string What, string One, string Other, string Remark);
