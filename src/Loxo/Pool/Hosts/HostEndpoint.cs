using Loxo.Pooling;
using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Pool.Hosts;

/// <summary>One of several hosts: how it is reached, its pool, and what is known of it, each by itself.</summary>
/// <param name="context">How it is reached.</param>
/// <param name="pool">Null for none.</param>
/// <param name="index">Its place in the list.</param>
internal sealed class HostEndpoint(SessionContext context, ResourcePool<PooledSession>? pool, int index)
{
    public SessionContext Context => context;

    public ResourcePool<PooledSession>? Pool => pool;

    public int Index => index;

    public HostState State => context.Host!;

    /// <summary>Whether a caller need not wait for others.</summary>
    public bool HasRoom => pool is null || pool.HasRoom;

    /// <summary>Takes a session, blocking.</summary>
    public HostSession Rent(Deadline limit)
    {
        if (pool is null)
            return new HostSession(this, SessionOpener.Open(context, TimeLeft(limit)), default);
        try
        {
            return Rented(pool.Rent(TimeLeft(limit)));
        }
        catch (PoolExhaustedException e)
        {
            throw SessionPool.Exhausted(e);
        }
    }

    /// <inheritdoc cref="Rent"/>
    public async ValueTask<HostSession> RentAsync(Deadline limit, CancellationToken token)
    {
        if (pool is null)
            return new HostSession(this, await SessionOpener.OpenAsync(context, TimeLeft(limit), token).ConfigureAwait(false), default);
        try
        {
            return Rented(await pool.RentAsync(TimeLeft(limit), token).ConfigureAwait(false));
        }
        catch (PoolExhaustedException e)
        {
            throw SessionPool.Exhausted(e);
        }
    }

    /// <summary>Asks the host for its role. Its state tells of the answer, or why there is none.</summary>
    public async Task AskAsync(Deadline limit, CancellationToken token)
    {
        HostSession? one = null;
        var began = State.Ask();
        try
        {
            one = await RentAsync(limit, token).ConfigureAwait(false);
            if (State.News.Learnt.Number <= began.Number)
                await RoleQuestion.AskAsync(one, limit, withLog: false, token).ConfigureAwait(false);
            one.GiveBack();
        }
        catch (Exception e)
        {
            one?.Discard();
            if (!token.IsCancellationRequested && e is PgException { Code: not PgErrorCode.PoolExhausted })
                State.Failed(began, e);
        }
    }

    // Without any time a pool is not asked. What takes long ends with the error of the time that is over.
    private static TimeSpan TimeLeft(Deadline limit) =>
        limit.Left is var left && left == TimeSpan.Zero ? TimeSpan.FromMilliseconds(1) : left;

    private HostSession Rented(Rental<PooledSession> rental) => new(this, rental.Resource.Session, rental);
}

/// <summary>A session of a host, rented from its pool or, without a pool, opened.</summary>
internal sealed record HostSession(HostEndpoint Host, ServerSession Session, Rental<PooledSession> Rental)
{
    /// <summary>It can be used by others.</summary>
    public void GiveBack()
    {
        if (Host.Pool is { } pool)
            pool.Return(Rental);
        else
            Session.Dispose();
    }

    /// <summary>It cannot be used any more.</summary>
    public void Discard()
    {
        if (Host.Pool is { } pool)
            pool.Discard(Rental);
        else
            Session.Dispose();
    }
}
