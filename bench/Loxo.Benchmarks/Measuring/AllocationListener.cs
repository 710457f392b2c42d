using System.Collections.Concurrent;
using System.Diagnostics.Tracing;

namespace Loxo.Benchmarks.Measuring;

/// <summary>Which types are allocated: the runtime names the type of about every hundred-thousandth byte (event GCAllocationTick).</summary>
internal sealed class AllocationListener : EventListener
{
    private const string Runtime = "Microsoft-Windows-DotNETRuntime";
    private const EventKeywords Collector = (EventKeywords)1;
    private readonly ConcurrentDictionary<string, int> _ticks = new();

    public void Print(TextWriter writer)
    {
        var all = (double)_ticks.Values.Sum();
        foreach (var (type, count) in _ticks.OrderByDescending(pair => pair.Value).Take(12))
            writer.WriteLine($"{count / all,6:0%}  {type}");
    }

    protected override void OnEventSourceCreated(EventSource eventSource)
    {
        if (eventSource.Name == Runtime)
            EnableEvents(eventSource, EventLevel.Verbose, Collector);
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (eventData.EventName?.StartsWith("GCAllocationTick", StringComparison.Ordinal) != true)
            return;
        var index = eventData.PayloadNames!.IndexOf("TypeName");
        if (index >= 0 && eventData.Payload![index] is string type)
            _ticks.AddOrUpdate(type, 1, static (_, count) => count + 1);
    }
}
