using System.Collections.Concurrent;
using System.Diagnostics;
using System.Text;
using OpenTelemetry;

namespace WebShop;

/// <summary>The number and durations of spans with the same name, in memory.</summary>
internal sealed class SpanTotals : BaseProcessor<Activity>
{
    private readonly ConcurrentDictionary<(string Source, string Name), Total> _totals = new();

    /// <summary>The name and duration of the slowest span of a source; null if there is none.</summary>
    public (string Name, TimeSpan Duration)? Slowest(string source) => _totals
        .Where(total => total.Key.Source == source)
        .Select(total => ((string Name, TimeSpan Duration)?)(total.Key.Name, total.Value.Read().Slowest))
        .MaxBy(span => span!.Value.Duration);

    public override void OnEnd(Activity data) =>
        _totals.GetOrAdd((data.Source.Name, data.DisplayName), _ => new Total()).Add(data.Duration);

    public string ToText()
    {
        var text = new StringBuilder().AppendLine($"{"Span",-48} {"count",10} {"average ms",12} {"slowest ms",12}");
        foreach (var ((source, name), total) in _totals.OrderBy(total => total.Key))
        {
            var (count, sum, slowest) = total.Read();
            var average = sum.TotalMilliseconds / Math.Max(count, 1); // 0 until the first one is added
            text.AppendLine($"{source + ": " + name,-48} {count,10:N0} {average,12:N2} {slowest.TotalMilliseconds,12:N2}");
        }
        return text.ToString();
    }

    private sealed class Total
    {
        private readonly Lock _lock = new();
        private long _count;
        private TimeSpan _sum;
        private TimeSpan _slowest;

        public void Add(TimeSpan duration)
        {
            lock (_lock)
            {
                _count++;
                _sum += duration;
                if (duration > _slowest)
                    _slowest = duration;
            }
        }

        public (long Count, TimeSpan Sum, TimeSpan Slowest) Read()
        {
            lock (_lock)
                return (_count, _sum, _slowest);
        }
    }
}
