using Loxo.Pool;
using Loxo.Pooling;
using Loxo.Session;
using Loxo.Transactions;

namespace Loxo.Commands;

/// <summary>
/// Opens a connection: with the session of its ambient transaction, without one for lanes, with one from the pool, or with a new one.
/// </summary>
internal static class ConnectionOpener
{
    /// <summary>Opens it, blocking.</summary>
    public static void Run(PgConnection connection)
    {
        var source = connection.BeginOpen();
        var use = new ConnectionUse();
        try
        {
            if (source.AmbientTransaction is { } ambient)
            {
                Note(source);
                Enlisting.Open(connection, source, ambient);
            }
            else if (source.Lanes is { IsUsable: true } lanes)
            {
                // Proves that the server can be reached, and lets the user in, as long as no lane does.
                if (lanes.Count == 0)
                    source.Pool!.Return(source.Pool.Rent());
                connection.OpenUnbound();
            }
            else if (source.Pool is { } pool)
            {
                connection.Opened(pool.Rent());
                use.Begin(connection);
            }
            else if (source.Hosts is { } hosts)
                hosts.Open(connection);
            else
                connection.Opened(source.OpenSession());
        }
        catch (PoolExhaustedException e)
        {
            use.Failed(connection, e);
            throw ConnectionUse.NotOpened(connection, SessionPool.Exhausted(e));
        }
        catch (Exception e)
        {
            ConnectionUse.NotOpened(connection, e);
            throw;
        }
        ConnectionUse.Opened(connection);
    }

    /// <inheritdoc cref="Run"/>
    public static Task RunAsync(PgConnection connection, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled(token);
        PgDataSource source;
        try
        {
            source = connection.BeginOpen();
        }
        catch (Exception e)
        {
            return Task.FromException(e);
        }
        if (source.AmbientTransaction is { } ambient)
        {
            Note(source);
            return EndAsync(connection, Enlisting.OpenAsync(connection, source, ambient, token));
        }
        if (source.Pool is not { } pool)
            return EndAsync(connection, OpenSessionAsync(connection, source, token));
        if (source.Lanes is not { IsUsable: true } lanes)
            return RentAsync(connection, token);
        if (lanes.Count == 0)
            return EndAsync(connection, OpenUnboundAsync(connection, pool, token));
        try
        {
            connection.OpenUnbound();
        }
        catch (Exception e)
        {
            return Task.FromException(ConnectionUse.NotOpened(connection, e));
        }
        ConnectionUse.Opened(connection);
        return Task.CompletedTask;
    }

    private static void Note(PgDataSource source)
    {
        if (source.Lanes is { IsUsable: true } lanes)
            lanes.Note(PgOwnSessionReason.AmbientTransaction, "a connection within a transaction scope");
    }

    // Mostly a session is idle, and then no task is made. One that waits holds little: many callers may wait.
    private static async Task RentAsync(PgConnection connection, CancellationToken token)
    {
        var use = new ConnectionUse();
        try
        {
            connection.Opened(await connection.Source!.Pool!.RentAsync(token).ConfigureAwait(false));
            use.Begin(connection);
        }
        catch (PoolExhaustedException e)
        {
            use.Failed(connection, e);
            throw ConnectionUse.NotOpened(connection, SessionPool.Exhausted(e));
        }
        catch (Exception e)
        {
            ConnectionUse.NotOpened(connection, e);
            throw;
        }
        ConnectionUse.Opened(connection);
    }

    private static async ValueTask OpenSessionAsync(PgConnection connection, PgDataSource source, CancellationToken token)
    {
        if (source.Hosts is { } hosts)
            await hosts.OpenAsync(connection, token).ConfigureAwait(false);
        else
            connection.Opened(await source.OpenSessionAsync(token).ConfigureAwait(false));
    }

    private static async Task EndAsync(PgConnection connection, ValueTask opening)
    {
        try
        {
            await opening.ConfigureAwait(false);
        }
        catch (Exception e)
        {
            ConnectionUse.NotOpened(connection, e);
            throw;
        }
        ConnectionUse.Opened(connection);
    }

    private static async ValueTask OpenUnboundAsync(PgConnection connection, ResourcePool<PooledSession> pool, CancellationToken token)
    {
        pool.Return(await SessionPool.RentAsync(pool, token).ConfigureAwait(false));
        connection.OpenUnbound();
    }
}
