using Loxo.Pool.Hosts;
using Loxo.Session;

namespace Loxo.Commands;

/// <summary>Several hosts, each with a data source of its own, and what a connection asks of the one that it is opened on.</summary>
internal sealed class HostChoice(
    HostGroup group, PgDataSource[] sources, TargetSessionAttributes target, PgFreshness freshness = default)
{
    public HostGroup Group => group;

    public IReadOnlyList<PgDataSource> Sources => sources;

    public PgDataSource First => sources[0];

    public TargetSessionAttributes Target => target;

    public PgFreshness Freshness => freshness;

    public HostChoice With(TargetSessionAttributes other) => new(group, sources, other);

    public HostChoice With(PgFreshness other) => new(group, sources, target, other);

    /// <summary>Opens a connection on one of the hosts, blocking. It belongs to the host's data source until it is closed.</summary>
    public void Open(PgConnection connection)
    {
        var use = new ConnectionUse();
        Opened(connection, group.Rent(target, freshness));
        use.Begin(connection);
    }

    /// <inheritdoc cref="Open"/>
    public async ValueTask OpenAsync(PgConnection connection, CancellationToken token)
    {
        var use = new ConnectionUse();
        Opened(connection, await group.RentAsync(target, freshness, token).ConfigureAwait(false));
        use.Begin(connection);
    }

    /// <summary>Whether the host of a data source serves the target, as far as is known. A primary has all of its log.</summary>
    public bool MayServe(PgDataSource source) => source.Context.Host!.News.Role is var role
        && target.Fits(role) && (freshness.IsAny || LogNeed.IsPrimary(role));

    /// <summary>The data source of a host that serves.</summary>
    public async ValueTask<PgDataSource> FindAsync(TargetSessionAttributes wanted, CancellationToken token)
    {
        var one = await group.RentAsync(wanted, token).ConfigureAwait(false);
        one.GiveBack();
        return sources[one.Host.Index];
    }

    /// <summary>A session of its own, outside any pool, where notifications come from: standbys have none.</summary>
    public async ValueTask<ServerSession> OpenOnPrimaryAsync(CancellationToken token)
    {
        var source = await FindAsync(TargetSessionAttributes.Primary, token).ConfigureAwait(false);
        return await source.OpenSessionAsync(token).ConfigureAwait(false);
    }

    public void WarmUp(int count)
    {
        var errors = new List<PgException>();
        foreach (var source in sources)
        {
            try
            {
                source.WarmUp(count);
            }
            catch (PgException e)
            {
                errors.Add(e);
            }
        }
        ThrowIfAllFailed(errors);
    }

    public async ValueTask WarmUpAsync(int count, CancellationToken token)
    {
        var errors = new List<PgException>();
        foreach (var source in sources)
        {
            try
            {
                await source.WarmUpAsync(count, token).ConfigureAwait(false);
            }
            catch (PgException e)
            {
                errors.Add(e);
            }
        }
        ThrowIfAllFailed(errors);
    }

    private void ThrowIfAllFailed(List<PgException> errors)
    {
        if (errors.Count == sources.Length)
            throw errors[0];
    }

    private void Opened(PgConnection connection, HostSession one)
    {
        connection.BelongTo(sources[one.Host.Index]);
        if (one.Host.Pool is null)
            connection.Opened(one.Session);
        else
            connection.Opened(one.Rental);
    }
}
