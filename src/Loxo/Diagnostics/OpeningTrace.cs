using System.Diagnostics;

namespace Loxo.Diagnostics;

/// <summary>The opening of a physical connection: its span and its duration.</summary>
internal readonly struct OpeningTrace
{
    private readonly TelemetryTarget? _target;
    private readonly Activity? _activity;
    private readonly long _begin;

    /// <summary>It begins.</summary>
    /// <param name="target">Its data source; null to tell nothing.</param>
    public OpeningTrace(TelemetryTarget? target)
    {
        _target = target;
        _begin = Stopwatch.GetTimestamp();
        _activity = target is { TracesOpening: true } ? target.Begin($"CONNECT {target.Database}", target.ServerTags) : null;
    }

    /// <summary>It is over.</summary>
    /// <param name="error">Its error; null for none.</param>
    public void End(Exception? error)
    {
        if (_target is null)
            return;
        try
        {
            if (error is null)
                Telemetry.CreateTime.Record(Stopwatch.GetElapsedTime(_begin).TotalSeconds, _target.PoolTag);
            TelemetryTarget.End(_activity, error);
        }
        catch (Exception)
        {
            // A listener that throws is no error of the connection.
        }
    }
}
