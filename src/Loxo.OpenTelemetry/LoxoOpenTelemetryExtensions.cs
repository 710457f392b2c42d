using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace Loxo;

/// <summary>Adds the spans and metrics of Loxo to OpenTelemetry: docs/telemetry.md lists them.</summary>
public static class LoxoOpenTelemetryExtensions
{
    // Of the ActivitySource and the Meter.
    private const string Name = "Loxo";

    /// <summary>Collects the spans of all data sources. What they are like is said by a data source's builder.</summary>
    /// <param name="builder">The builder of the tracer provider.</param>
    public static TracerProviderBuilder AddLoxo(this TracerProviderBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.AddSource(Name);
    }

    /// <summary>Collects the metrics of all data sources.</summary>
    /// <param name="builder">The builder of the meter provider.</param>
    public static MeterProviderBuilder AddLoxo(this MeterProviderBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.AddMeter(Name);
    }
}
