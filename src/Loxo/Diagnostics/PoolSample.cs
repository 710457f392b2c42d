using System.Diagnostics.Metrics;

namespace Loxo.Diagnostics;

/// <summary>A data source at one moment.</summary>
/// <param name="PoolTag">Its name.</param>
internal sealed record PoolSample(KeyValuePair<string, object?> PoolTag)
{
    /// <summary>Null without a pool.</summary>
    public ConnectionSample? Connections { get; init; }

    /// <summary>None without lanes.</summary>
    public required IReadOnlyList<LaneSample> Lanes { get; init; }

    /// <summary>The change streams that are being read, with the bytes that were not acknowledged.</summary>
    public required IReadOnlyList<(string Slot, long BytesBehind)> ChangeStreams { get; init; }

    public required long Executing { get; init; }

    public required long Failed { get; init; }

    public required long ResetsAvoided { get; init; }

    public required IReadOnlyList<(string Reason, long Count)> ResetReasons { get; init; }

    public required long Statements { get; init; }

    public required long Prepared { get; init; }

    public required long Hits { get; init; }

    public required long Evicted { get; init; }

    public required long Healed { get; init; }

    public required long Rows { get; init; }

    public required long BytesSent { get; init; }

    public required long BytesReceived { get; init; }

    /// <summary>A value of the data source; nothing for null.</summary>
    public Measurement<long>[] Measure(long? value) => value is { } known ? [new(known, PoolTag)] : [];

    /// <inheritdoc cref="Measure(long?)"/>
    public Measurement<long>[] Measure(long? value, KeyValuePair<string, object?> attribute) =>
        value is { } known ? [new(known, PoolTag, attribute)] : [];
}

/// <summary>The connections of a pool.</summary>
internal sealed record ConnectionSample(long Idle, long Used, long Minimum, long Maximum, long Waiting, long TimedOut);

/// <summary>The lanes of one number, one after the other.</summary>
internal sealed record LaneSample(string Name, long Depth, long Operations, long Sends, long Receives);
