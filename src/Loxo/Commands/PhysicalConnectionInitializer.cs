using Loxo.Session;

namespace Loxo.Commands;

/// <summary>Runs the program's code on each new session, before anybody else has it.</summary>
internal sealed class PhysicalConnectionInitializer(Action<PgConnection> blocking, Func<PgConnection, Task> async)
{
    public void Run(PgDataSource source, ServerSession session)
    {
        var connection = new PgConnection(source);
        connection.Life.BeginOpening();
        connection.Opened(session);
        blocking(connection);
        End(connection, session);
    }

    public async ValueTask RunAsync(PgDataSource source, ServerSession session)
    {
        var connection = new PgConnection(source);
        connection.Life.BeginOpening();
        connection.Opened(session);
        await async(connection).ConfigureAwait(false);
        End(connection, session);
    }

    // What it has left running or open would be the first user's.
    private static void End(PgConnection connection, ServerSession session)
    {
        if (!connection.Detach() || session.TransactionStatus != Protocol.TransactionStatus.Idle || session.PendingBegin is not null)
            throw new InvalidOperationException("The initializer of physical connections has closed its connection, or left a command, "
                + "reader or transaction open: end them, and let the connection open.");
    }
}
