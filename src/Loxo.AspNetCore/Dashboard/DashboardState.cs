using System.Buffers;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

namespace Loxo.Dashboard;

/// <summary>Writes what the page shows as JSON. Times are in milliseconds.</summary>
internal static class DashboardState
{
    /// <summary>Writes the state of all data sources and change streams.</summary>
    public static byte[] Write(
        IReadOnlyList<DashboardSource> sources, IReadOnlyList<DashboardStream> streams, PgDashboardOptions options, string title)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using var json = new Utf8JsonWriter(buffer);
        json.WriteStartObject();
        json.WriteString("title", SafeText.Of(title));
        json.WriteNumber("interval", options.Interval.TotalMilliseconds);
        json.WriteNumber("samples", options.Samples);
        json.WriteBoolean("plans", options.AllowPlans);
        json.WriteStartArray("sources");
        foreach (var source in sources)
            Write(json, source, options);
        json.WriteEndArray();
        json.WriteStartArray("streams");
        foreach (var stream in streams)
            Write(json, stream);
        json.WriteEndArray();
        json.WriteEndObject();
        json.Flush();
        return buffer.WrittenSpan.ToArray();
    }

    /// <summary>Names a statement in a request.</summary>
    public static string IdOf(PgStatementCounts statement) =>
        Convert.ToHexStringLower(SHA256.HashData(Encoding.Unicode.GetBytes(statement.Text)).AsSpan(0, 8));

    private static void Write(Utf8JsonWriter json, DashboardSource source, PgDashboardOptions options)
    {
        var dataSource = source.DataSource;
        json.WriteStartObject();
        json.WriteString("name", SafeText.Of(source.Name));
        var settings = new PgConnectionStringBuilder(dataSource.ConnectionString);
        json.WriteString("server", SafeText.Of($"{settings.Database ?? settings.Username} at {settings.Host}:{settings.Port}"));
        WriteHistory(json, source);
        if (dataSource.GetPoolSnapshot() is { } pool)
            PoolState.Write(json, pool);
        PoolState.Write(json, dataSource.GetSessionStatistics());
        if (dataSource.GetStatementStatistics() is { } statements)
            Write(json, statements, options);
        if (dataSource.GetLaneStatistics() is { } lanes)
            Write(json, lanes);
        json.WriteEndObject();
    }

    private static void WriteHistory(Utf8JsonWriter json, DashboardSource source)
    {
        json.WriteStartObject("history");
        Series("ticks", static one => one.Ticks);
        Series("idle", static one => one.Idle);
        Series("busy", static one => one.Busy);
        Series("opening", static one => one.Opening);
        Series("waiting", static one => one.Waiting);
        Series("calls", static one => one.Calls);
        Series("errors", static one => one.Errors);
        Series("time", static one => JsonParts.Milliseconds(one.Time));
        json.WriteEndObject();

        void Series(string name, Func<DashboardSource.Sample, double> value)
        {
            json.WriteStartArray(name);
            foreach (var sample in source.Samples)
                json.WriteNumberValue(value(sample));
            json.WriteEndArray();
        }
    }

    private static void Write(Utf8JsonWriter json, PgStatementStatistics statements, PgDashboardOptions options)
    {
        json.WriteStartObject("statements");
        var known = statements.Statements.Where(static one => !PlanExplainer.IsOwn(one)).ToArray();
        json.WriteNumber("known", known.Length);
        json.WriteNumber("capacity", statements.Capacity);
        json.WriteNumber("evicted", statements.Evicted);
        json.WriteNumber("total", known.Append(statements.Others).Sum(static one => JsonParts.Milliseconds(one.TotalTime)));
        json.WriteStartArray("items");
        foreach (var one in known.Take(options.Statements))
            Write(json, one, options);
        json.WriteEndArray();
        if (statements.Others.Calls > 0)
        {
            json.WritePropertyName("others");
            Write(json, statements.Others, options);
        }
        json.WriteStartArray("errors");
        foreach (var (kind, count) in statements.Errors.OrderByDescending(static one => one.Value))
        {
            json.WriteStartObject();
            json.WriteString("kind", SafeText.Of(kind, JsonParts.LongestText));
            json.WriteOptional("name", SqlStateNames.Of(kind));
            json.WriteNumber("count", count);
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, PgStatementCounts statement, PgDashboardOptions options)
    {
        json.WriteStartObject();
        json.WriteString("id", IdOf(statement));
        json.WriteString("text", SafeText.Of(statement.Text));
        json.WriteNumber("calls", statement.Calls);
        json.WriteNumber("errors", statement.Errors);
        json.WriteNumber("rows", statement.Rows);
        json.WriteNumber("total", JsonParts.Milliseconds(statement.TotalTime));
        json.WriteNumber("mean", JsonParts.Milliseconds(statement.MeanTime));
        json.WriteNumber("median", JsonParts.Milliseconds(statement.MedianTime));
        json.WriteNumber("p99", JsonParts.Milliseconds(statement.Percentile99Time));
        json.WriteNumber("max", JsonParts.Milliseconds(statement.MaxTime));
        json.WriteNumber("ago", Math.Max(0, JsonParts.Milliseconds(DateTimeOffset.UtcNow - statement.LastUsed)));
        if (options.AllowPlans)
            json.WriteOptional("noPlan", PlanExplainer.WhyNot(statement));
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, PgLaneStatistics lanes)
    {
        json.WriteStartObject("lanes");
        json.WriteNumber("queryLanes", lanes.QueryLanes);
        json.WriteNumber("mixedLanes", lanes.MixedLanes);
        json.WriteNumber("inFlight", lanes.CommandsInFlight);
        json.WriteNumber("commands", lanes.Commands);
        json.WriteNumber("grouped", lanes.GroupedCommands);
        json.WriteNumber("groups", lanes.Groups);
        json.WriteNumber("receives", lanes.Receives);
        json.WriteCounts("ownSessions", lanes.OwnSessions);
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, DashboardStream shown)
    {
        var stream = shown.Stream;
        json.WriteStartObject();
        json.WriteString("slot", SafeText.Of(stream.SlotName));
        json.WriteNumber("behind", shown.Behind);
        json.WriteString("read", stream.ReadLsn.ToString());
        json.WriteString("acknowledged", stream.AcknowledgedLsn.ToString());
        json.WriteEndObject();
    }
}
