using System.Diagnostics;
using OpenTelemetry;
using OpenTelemetry.Metrics;
using OpenTelemetry.Trace;

namespace Loxo.OpenTelemetry.Tests;

/// <summary>What OpenTelemetry collects of the driver.</summary>
public sealed class CollectionTests
{
    [Test]
    public async Task Spans_and_metrics_arrive()
    {
        var spans = new Kept<Activity>();
        var metrics = new Kept<Metric>();
        using var processor = new SimpleActivityExportProcessor(spans);
        using var reader = new BaseExportingMetricReader(metrics);
        using var tracing = Sdk.CreateTracerProviderBuilder().AddLoxo().AddProcessor(processor).Build();
        using var measuring = Sdk.CreateMeterProviderBuilder().AddLoxo().AddReader(reader).Build();
        await using var source = PgDataSource.Create(TestServer.Default.ConnectionString);
        await using var command = source.CreateCommand("SELECT count(*) FROM pg_class");
        await command.ExecuteScalarAsync();
        measuring.ForceFlush();
        Assert.That(spans.All.Select(static span => span.DisplayName), Does.Contain("SELECT pg_class"));
        Assert.That(metrics.All.Select(static metric => metric.Name),
            Is.SupersetOf(new[] { "db.client.operation.duration", "db.client.connection.count", "db.client.connection.create_time" }));
    }

    [Test]
    public void Nothing_is_added_to_nothing()
    {
        Assert.Throws<ArgumentNullException>(static () => ((TracerProviderBuilder)null!).AddLoxo());
        Assert.Throws<ArgumentNullException>(static () => ((MeterProviderBuilder)null!).AddLoxo());
    }

    private sealed class Kept<T> : BaseExporter<T>
        where T : class
    {
        public List<T> All { get; } = [];

        public override ExportResult Export(in Batch<T> batch)
        {
            foreach (var one in batch)
                All.Add(one);
            return ExportResult.Success;
        }
    }
}
