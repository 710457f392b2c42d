using System.Diagnostics;
using Microsoft.Extensions.Logging;

namespace Loxo.Diagnostics;

/// <summary>What spans, figures and log messages say of a data source, and what its user wants of them.</summary>
/// <param name="pool">The pool's name.</param>
/// <param name="host">The host, or the path of a Unix socket.</param>
/// <param name="port">The port.</param>
/// <param name="database">The database.</param>
/// <param name="log">Where commands are logged; null for nowhere.</param>
/// <param name="copyLog">Where copies are logged; null for nowhere.</param>
internal sealed class TelemetryTarget(string pool, string host, int port, string database, ILogger? log, ILogger? copyLog)
{
    private const int UsualPort = 5432;

    /// <summary>Of the server, for spans and durations.</summary>
    public TagList ServerTags { get; } = port == UsualPort
        ? [new("db.system.name", "postgresql"), new("db.namespace", database), new("server.address", host)]
        : [new("db.system.name", "postgresql"), new("db.namespace", database), new("server.address", host), new("server.port", port)];

    /// <summary>Of the pool.</summary>
    public KeyValuePair<string, object?> PoolTag { get; } = new("db.client.connection.pool.name", pool);

    public string Pool => pool;

    public string Database => database;

    public ILogger? Log => log;

    public ILogger? CopyLog => copyLog;

    /// <summary>Where opening and closing of connections is logged; null for nowhere.</summary>
    public ILogger? ConnectionLog { get; init; }

    /// <summary>Whether spans tell when the first answer came.</summary>
    public bool MarksFirstResponse { get; init; } = true;

    /// <summary>Whether opening a physical connection is a span.</summary>
    public bool TracesOpening { get; init; } = true;

    /// <summary>Whether the server learns the trace of a command.</summary>
    public bool PropagatesContext { get; init; }

    /// <summary>Whether log messages show the values of parameters.</summary>
    public bool ShowsParameters { get; init; }

    /// <summary>Commands that take longer are logged as warnings; <see cref="Timeout.InfiniteTimeSpan"/>: none is.</summary>
    public TimeSpan SlowAfter { get; init; } = Timeout.InfiniteTimeSpan;

    /// <summary>Whether anybody wants to know of commands.</summary>
    public bool SeesOperations => Telemetry.SeesOperations || log?.IsEnabled(LogLevel.Error) == true
        || copyLog?.IsEnabled(LogLevel.Error) == true;

    /// <summary>A caller has waited for a connection of the pool.</summary>
    /// <param name="time">For so long.</param>
    /// <param name="threshold">A wait that has taken longer is a span.</param>
    /// <param name="error">The error, if it was in vain; null if not.</param>
    public void Waited(TimeSpan time, TimeSpan threshold, Exception? error)
    {
        try
        {
            if (error is null)
                Telemetry.WaitTime.Record(time.TotalSeconds, PoolTag);
            if (threshold == Timeout.InfiniteTimeSpan || time < threshold)
                return;
            var tags = ServerTags;
            tags.Add(PoolTag);
            End(Begin($"WAIT {pool}", tags, DateTimeOffset.UtcNow - time), error);
        }
        catch (Exception)
        {
            // A listener that throws is no error of the caller.
        }
    }

    /// <summary>A caller has given a connection back to the pool.</summary>
    public void Used(TimeSpan time)
    {
        try
        {
            Telemetry.UseTime.Record(time.TotalSeconds, PoolTag);
        }
        catch (Exception)
        {
            // As above.
        }
    }

    /// <summary>A span of the driver. The caller's span stays the current one.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="tags">Its attributes.</param>
    /// <param name="begin">When it began; by default now.</param>
    /// <returns>Null if nobody wants it, or a listener has thrown.</returns>
    public Activity? Begin(string name, in TagList tags, DateTimeOffset begin = default)
    {
        if (!Telemetry.Activities.HasListeners())
            return null;
        var current = Activity.Current;
        try
        {
            return Telemetry.Activities.StartActivity(name, ActivityKind.Client, parentContext: default, tags: tags, links: null, begin);
        }
        catch (Exception)
        {
            return null;
        }
        finally
        {
            Activity.Current = current;
        }
    }

    /// <summary>Ends a span of <see cref="Begin"/>.</summary>
    /// <param name="activity">The span.</param>
    /// <param name="error">The error that has ended the operation; null for none.</param>
    public static void End(Activity? activity, Exception? error)
    {
        if (activity is null)
            return;
        if (error is not null)
        {
            activity.SetTag("error.type", OperationTrace.ErrorType(error));
            if (OperationTrace.Status(error) is { } status)
                activity.SetTag("db.response.status_code", status);
            activity.AddException(error);
            activity.SetStatus(ActivityStatusCode.Error, error.Message);
        }
        // To stop a span makes its parent the current one, wherever that happens.
        var current = Activity.Current;
        activity.Stop();
        Activity.Current = current;
    }
}
