using System.Collections.Concurrent;
using System.Globalization;
using System.Text;

namespace Loxo.IntegrationTests.Differential;

/// <summary>Collects what the programs of one run have shown: a failure of each kind, and how often each intended difference was met.</summary>
/// <param name="limit">How many kinds are reported.</param>
internal sealed class DifferenceReport(int limit)
{
    private readonly Dictionary<string, int> _kinds = [];
    private readonly StringBuilder _text = new();
    private readonly Lock _lock = new();
    private int _hangs;

    /// <summary>The intended differences that were met.</summary>
    public ConcurrentBag<IntendedDifference> Used { get; } = [];

    /// <summary>The kinds of failures, with the number of their programs.</summary>
    public IEnumerable<string> Kinds => _kinds.OrderByDescending(one => one.Value).Select(one => $"{one.Value} {one.Key}");

    /// <summary>How many programs were not compared, because Npgsql does not return.</summary>
    public int Hangs => _hangs;

    /// <summary>A program of each kind.</summary>
    public string Text => _text.ToString();

    /// <summary>What was met that is no failure.</summary>
    public string Summary
    {
        get
        {
            var unused = IntendedDifferences.All.Except(Used).Select(one => one.Row).ToArray();
            return string.Create(CultureInfo.InvariantCulture, $"{Used.Count} intended differences; {_hangs} programs in which Npgsql hangs")
                + (unused.Length > 0 ? "; not met: " + string.Join("; ", unused) : "");
        }
    }

    /// <summary>Whether the limit is reached.</summary>
    public bool IsFull
    {
        get
        {
            lock (_lock)
                return _kinds.Count >= limit;
        }
    }

    /// <summary>Counts a difference. False if one of its kind is reported already.</summary>
    public bool IsNew(Difference difference)
    {
        lock (_lock)
            return Count(difference.Kind) == 1;
    }

    public void Add(GeneratedProgram program, IReadOnlyList<Difference> differences)
    {
        lock (_lock)
            _text.Append(CultureInfo.InvariantCulture, $"{program}\n{string.Join("\n", differences.Take(5))}\n\n");
    }

    /// <summary>Adds a call that does not return. It is a failure unless it is Npgsql's.</summary>
    public void Add(HangException hang)
    {
        lock (_lock)
        {
            if (hang.Driver == Driver.Npgsql)
                _hangs++;
            else if (Count("hang") == 1)
                _text.Append(CultureInfo.InvariantCulture, $"{hang.Message}\n\n");
        }
    }

    private int Count(string kind) => _kinds[kind] = _kinds.GetValueOrDefault(kind) + 1;
}
