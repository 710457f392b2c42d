using Loxo.Session;

namespace Loxo.Commands;

/// <summary>Gives a connection whose commands run in lanes a session of its own, and notes why. Others have one already.</summary>
internal static class OwnSession
{
    /// <summary>The session of the connection.</summary>
    public static ServerSession Of(PgConnection connection, PgOwnSessionReason reason, string text)
    {
        Note(connection, reason, text);
        return connection.OpenSession();
    }

    /// <summary>Rents it, if there is none.</summary>
    public static ValueTask BindAsync(PgConnection connection, PgOwnSessionReason reason, string text, CancellationToken token)
    {
        Note(connection, reason, text);
        return connection.BindAsync(token);
    }

    /// <summary>The connection is about to take a session.</summary>
    public static void Note(PgConnection? connection, PgOwnSessionReason reason, string text)
    {
        if (connection is not { IsUnbound: true })
            return;
        connection.CheckNoReader();
        connection.Lanes!.Note(reason, text);
    }
}
