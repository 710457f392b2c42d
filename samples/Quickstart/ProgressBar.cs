using System.Globalization;

namespace Quickstart;

/// <summary>A line that grows with the rows that are done, on a terminal; elsewhere nothing.</summary>
internal sealed class ProgressBar(string doing, long total) : IProgress<long>, IDisposable
{
    private const int Width = 30;

    private int _longest;

    public void Report(long value)
    {
        if (Console.IsOutputRedirected)
            return;
        var done = (int)(Width * Math.Min(value, total) / total);
        var line = string.Create(CultureInfo.InvariantCulture, $"\r    {doing} [{new string('#', done)}{new string('.', Width - done)}] {value:N0} of {total:N0}");
        _longest = Math.Max(_longest, line.Length);
        Console.Write(line);
    }

    /// <summary>Leaves an empty line.</summary>
    public void Dispose()
    {
        if (_longest > 0)
            Console.Write("\r" + new string(' ', _longest) + "\r");
    }
}
