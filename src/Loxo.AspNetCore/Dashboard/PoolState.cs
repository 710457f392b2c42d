using System.Text.Json;

namespace Loxo.Dashboard;

/// <summary>Writes what the page shows of a pool and its sessions.</summary>
internal static class PoolState
{
    // A pool may have thousands.
    private const int MostConnections = 100;

    /// <summary>Writes a pool with its connections: those in use, the oldest rents first, then the others.</summary>
    public static void Write(Utf8JsonWriter json, PgPoolSnapshot snapshot)
    {
        var pool = snapshot.Statistics;
        json.WriteStartObject("pool");
        json.WriteNumber("minimum", pool.MinimumSize);
        json.WriteNumber("maximum", pool.MaximumSize);
        json.WriteNumber("idle", pool.Idle);
        json.WriteNumber("busy", pool.Busy);
        json.WriteNumber("opening", pool.Opening);
        json.WriteNumber("waiting", pool.Waiting);
        json.WriteNumber("rented", pool.Rented);
        json.WriteNumber("opened", pool.Opened);
        json.WriteNumber("openFailed", pool.OpenFailed);
        json.WriteNumber("timedOut", pool.TimedOut);
        json.WriteCounts("closed", pool.Closed);
        json.WriteStartArray("connections");
        foreach (var one in snapshot.Connections.OrderByDescending(static one => one.RentedFor)
            .ThenBy(static one => one.State).ThenBy(static one => one.ProcessId).Take(MostConnections))
            Write(json, one);
        json.WriteEndArray();
        json.WriteStartArray("failures");
        foreach (var failure in pool.RecentOpenFailures)
        {
            json.WriteStartObject();
            json.WriteString("when", failure.When);
            json.WriteString("error", ErrorText.Of(failure.Error));
            json.WriteEndObject();
        }
        json.WriteEndArray();
        json.WriteEndObject();
    }

    /// <summary>Writes what the sessions have done.</summary>
    public static void Write(Utf8JsonWriter json, PgSessionStatistics sessions)
    {
        json.WriteStartObject("sessions");
        json.WriteNumber("opened", sessions.SessionsOpened);
        json.WriteNumber("statements", sessions.Statements);
        json.WriteNumber("hits", sessions.CacheHits);
        json.WriteNumber("prepared", sessions.StatementsPrepared);
        json.WriteNumber("evicted", sessions.StatementsEvicted);
        json.WriteNumber("healed", sessions.StatementsHealed);
        json.WriteNumber("resetsAvoided", sessions.ResetsAvoided);
        json.WriteNumber("resetsSent", sessions.ResetsSent);
        json.WriteCounts("resetReasons", sessions.ResetReasons);
        json.WriteNumber("rows", sessions.RowsReturned);
        json.WriteNumber("sent", sessions.BytesSent);
        json.WriteNumber("received", sessions.BytesReceived);
        json.WriteEndObject();
    }

    private static void Write(Utf8JsonWriter json, PgPooledConnection connection)
    {
        json.WriteStartObject();
        json.WriteNumber("process", connection.ProcessId);
        json.WriteString("state", connection.State.ToString());
        json.WriteNumber("age", JsonParts.Milliseconds(connection.Age));
        json.WriteNumber("rentedFor", JsonParts.Milliseconds(connection.RentedFor));
        json.WriteNumber("idleFor", JsonParts.Milliseconds(connection.IdleFor));
        json.WriteOptional("statement", connection.LastStatement);
        json.WriteOptional("stack", connection.RentedBy);
        json.WriteEndObject();
    }
}
