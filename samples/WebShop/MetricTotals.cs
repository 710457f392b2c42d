using System.Text;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace WebShop;

/// <summary>The metrics as lines of text, collected when they are asked for.</summary>
internal sealed class MetricTotals
{
    private readonly Lock _collecting = new();
    private readonly Exporter _exporter = new();

    public MetricTotals() => Reader = new BaseExportingMetricReader(_exporter);

    public MetricReader Reader { get; }

    public string ToText()
    {
        lock (_collecting)
        {
            Reader.Collect();
            return $"Metric{Environment.NewLine}{_exporter.Text}";
        }
    }

    private sealed class Exporter : BaseExporter<Metric>
    {
        // Tags with the same value everywhere in this application are left out.
        private static readonly HashSet<string> Constant =
        [
            "db.system.name", "db.namespace", "server.address", "server.port", "db.client.connection.pool.name",
            "url.scheme", "network.protocol.version",
        ];

        public string Text { get; private set; } = "";

        // The points are valid only in this method.
        public override ExportResult Export(in Batch<Metric> batch)
        {
            var lines = new List<string>();
            foreach (var metric in batch)
            {
                foreach (ref readonly var point in metric.GetMetricPoints())
                    lines.Add($"{metric.Name + Tags(point),-80} {Value(metric, point)} {metric.Unit}");
            }
            lines.Sort(StringComparer.Ordinal);
            Text = string.Join(Environment.NewLine, lines) + Environment.NewLine;
            return ExportResult.Success;
        }

        private static string Tags(in MetricPoint point)
        {
            var text = new StringBuilder();
            foreach (var (key, value) in point.Tags)
            {
                if (!Constant.Contains(key))
                    text.Append(text.Length == 0 ? " " : ", ").Append(key[(key.LastIndexOf('.') + 1)..]).Append('=').Append(value);
            }
            return text.ToString();
        }

        private static string Value(Metric metric, in MetricPoint point) => metric.MetricType switch
        {
            MetricType.Histogram => $"count {point.GetHistogramCount():N0}, sum {point.GetHistogramSum():N3}",
            MetricType.LongGauge => $"{point.GetGaugeLastValueLong():N0}",
            MetricType.DoubleGauge => $"{point.GetGaugeLastValueDouble():N3}",
            MetricType.DoubleSum or MetricType.DoubleSumNonMonotonic => $"{point.GetSumDouble():N3}",
            _ => $"{point.GetSumLong():N0}",
        };
    }
}
