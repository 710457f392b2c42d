using System.Diagnostics;
using System.Globalization;

namespace Quickstart;

/// <summary>Prints what was done, what came of it and how long it took.</summary>
internal sealed class Account(TextWriter output)
{
    private readonly long _start = Stopwatch.GetTimestamp();
    private int _steps;

    public void Opened(string server, string schema, TimeSpan time)
    {
        output.WriteLine($"{server}, ready after {Milliseconds(time)}. Working in the schema {schema}.");
        output.WriteLine();
    }

    /// <summary>Runs one step; what it returns is its account of itself.</summary>
    public async Task Step(string title, Func<Task<string>> step)
    {
        var start = Stopwatch.GetTimestamp();
        var result = await step();
        var time = Stopwatch.GetElapsedTime(start);
        output.WriteLine($"{++_steps,2}. {title,-52} {Milliseconds(time),12}");
        foreach (var line in result.Split('\n'))
            output.WriteLine($"      {line}");
    }

    public void End()
    {
        output.WriteLine();
        output.WriteLine($"Done: {_steps} steps in {Milliseconds(Stopwatch.GetElapsedTime(_start))}, start included. Removing what was made.");
    }

    private static string Milliseconds(TimeSpan time) => time.TotalMilliseconds.ToString("N1", CultureInfo.InvariantCulture) + " ms";
}
