using System.Diagnostics;
using Loxo.Diagnostics;

namespace Loxo.Commands;

/// <summary>How long a caller waits for a connection of the pool, and uses it, if anybody wants to know.</summary>
internal readonly struct ConnectionUse()
{
    private readonly long _asked = Telemetry.WaitTime.Enabled || Telemetry.UseTime.Enabled ? Stopwatch.GetTimestamp() : 0;

    /// <summary>The caller has the connection.</summary>
    public void Begin(PgConnection connection)
    {
        if (_asked == 0)
            return;
        var now = Stopwatch.GetTimestamp();
        Telemetry.WaitTime.Record(Stopwatch.GetElapsedTime(_asked, now).TotalSeconds, connection.Source!.Context.Telemetry!.PoolTag);
        if (Telemetry.UseTime.Enabled)
            connection.Extras.UsedSince = now;
    }

    /// <summary>The caller has given it back.</summary>
    public static void End(PgConnection connection, ConnectionExtras extras)
    {
        if (extras.UsedSince == 0)
            return;
        Telemetry.UseTime.Record(Stopwatch.GetElapsedTime(extras.UsedSince).TotalSeconds, connection.Source!.Context.Telemetry!.PoolTag);
        extras.UsedSince = 0;
    }
}
