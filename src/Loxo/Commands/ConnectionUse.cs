using System.Diagnostics;
using Loxo.Diagnostics;
using Loxo.Session;

namespace Loxo.Commands;

/// <summary>How long a caller waits for a connection of the pool, and uses it, if anybody wants to know.</summary>
internal readonly struct ConnectionUse()
{
    private readonly long _asked = Telemetry.SeesConnections ? Stopwatch.GetTimestamp() : 0;

    /// <summary>The caller has the connection.</summary>
    public void Begin(PgConnection connection)
    {
        if (_asked == 0)
            return;
        var now = Stopwatch.GetTimestamp();
        var waited = Stopwatch.GetElapsedTime(_asked, now);
        connection.Source!.Context.Telemetry!.Waited(waited, connection.Source.Tracing.PoolWaitThreshold, null);
        if (Telemetry.UseTime.Enabled)
            connection.Extras.UsedSince = now;
    }

    /// <summary>There was none for the caller.</summary>
    public void Failed(PgConnection connection, Exception error)
    {
        if (_asked == 0)
            return;
        var waited = Stopwatch.GetElapsedTime(_asked);
        connection.Source!.Context.Telemetry!.Waited(waited, connection.Source.Tracing.PoolWaitThreshold, error);
    }

    /// <summary>The connection is open.</summary>
    public static void Opened(PgConnection connection)
    {
        if (connection.Source!.Context.Telemetry!.ConnectionLog is { } log)
            ConnectionLog.Opened(log, connection.Session?.ProcessId ?? 0);
        connection.RaiseOpened();
    }

    /// <summary>The connection could not be opened. Returns the error.</summary>
    public static T NotOpened<T>(PgConnection connection, T error)
        where T : Exception
    {
        connection.Life.OpeningFailed();
        if (error is not OperationCanceledException && connection.Source?.Context.Telemetry?.ConnectionLog is { } log)
            ConnectionLog.OpenFailed(log, error);
        return error;
    }

    /// <summary>The connection is closed.</summary>
    public static void Closed(PgConnection connection, ServerSession? session)
    {
        if (connection.Source?.Context.Telemetry?.ConnectionLog is { } log)
            ConnectionLog.Closed(log, session?.ProcessId ?? 0);
    }

    /// <summary>The caller has given it back.</summary>
    public static void End(PgConnection connection, ConnectionExtras extras)
    {
        if (extras.UsedSince == 0)
            return;
        connection.Source!.Context.Telemetry!.Used(Stopwatch.GetElapsedTime(extras.UsedSince));
        extras.UsedSince = 0;
    }
}
