using Loxo.Pool.Hosts;
using Loxo.Session;
using Loxo.Tests.ConnectionStrings;
using Loxo.Tests.Interleavings;
using Loxo.Tests.Wire;
using Loxo.Transport;

namespace Loxo.Tests.Pool.Hosts;

/// <summary>Asking the primary how far its log has come, on a session that its host has idle.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class FreshSearchTests(WaitMode mode) : IDisposable
{
    private readonly AnsweringServer _server = new();
    private readonly SimulatedTime _time = new();
    private PgMultiHostDataSource? _source;

    public void Dispose() => _source?.Dispose();

    [TearDown]
    public void End() => Dispose();

    [Test]
    public async Task A_search_whose_time_is_over_fails_like_any_other()
    {
        var group = WithIdleSession();
        var limit = Deadline.In(TimeSpan.FromSeconds(1), _time);
        _time.Advance(TimeSpan.FromSeconds(1));
        await Catch<PgException>(() => Ask(group, limit));
        Assert.That(Busy, Is.Zero);
    }

    [Test]
    public async Task An_answer_that_cannot_be_read_costs_its_session_and_nothing_else()
    {
        _server.Role = ["f", "off", "odd", "8192"];
        var group = WithIdleSession();
        await Catch<FormatException>(() => Ask(group, Deadline.None));
        Assert.That(Busy, Is.Zero);
    }

    private int Busy => _source!.HostDataSources.Sum(static host => host.GetPoolStatistics()!.Busy);

    private HostGroup WithIdleSession()
    {
        var settings = Given.Settings("Host=one,two;Username=alice;Database=shop;SSL Mode=Disable;Pooling=true;Maximum Pool Size=1;Host Recheck Seconds=3600;Session Reset=Never");
        _source = PgMultiHostDataSource.Make(settings, each =>
            new PgDataSource(each, loggers: null, _server, _time, host: new HostState(each.Transport.Host, _time)));
        _source.HostDataSources[0].OpenConnection().Dispose();
        var group = _source.Hosts!.Group;
        group.Hosts[0].State.Learn(PgHostRole.ReadWritePrimary, group.Hosts[0].State.Ask());
        return group;
    }

    private Task Ask(HostGroup group, Deadline limit)
    {
        var search = new FreshSearch(group, TargetSessionAttributes.Primary, _time, limit);
        return mode.Run(() => _ = search.AskWritePosition(), () => search.AskWritePositionAsync(CancellationToken.None).AsTask());
    }

    private static async Task Catch<T>(Func<Task> action)
        where T : Exception
    {
        try
        {
            await action();
        }
        catch (T)
        {
            return;
        }
        throw new AssertionException($"Expected {typeof(T).Name}, but nothing was thrown.");
    }
}
