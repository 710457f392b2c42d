using System.Data;
using System.Data.Common;
using Microsoft.Data.Sqlite;
using Npgsql;

namespace Loxo.Pooling.Data.Tests;

public sealed class RentingTests(Provider provider, WaitMode mode) : DataTest(provider, mode)
{
    [Test]
    public async Task A_closed_connection_is_what_the_next_open_gets()
    {
        var source = Source();
        var first = await Open(source);
        var inner = first.InnerConnection;
        await Close(first);
        var second = await Open(source);

        Assert.That(second.InnerConnection, Is.SameAs(inner));
        Assert.That(second, Is.Not.SameAs(first));
        Assert.That(source.GetStatistics(), Has.Property(nameof(PoolStatistics.Opened)).EqualTo(1).And.Property(nameof(PoolStatistics.Rented)).EqualTo(2));
    }

    [Test]
    public async Task Dispose_gives_back_as_Close_does_and_both_only_once()
    {
        var source = Source();
        var first = await Open(source);
        await Dispose(first);
        var second = await Open(source);
        await Close(first);
        await Dispose(first);

        Assert.That(second.State, Is.EqualTo(ConnectionState.Open));
        Assert.That(await Scalar(second, "SELECT 7"), Is.EqualTo(7));
        Assert.That(source.GetStatistics().Busy, Is.EqualTo(1));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Open(first));
    }

    [Test]
    public async Task A_connection_can_be_opened_again()
    {
        var source = Source();
        var connection = await Open(source);
        await Close(connection);
        await Open(connection);

        Assert.That(await Scalar(connection, "SELECT 1"), Is.EqualTo(1));
        await Assert.ThrowsAsync<InvalidOperationException>(() => Open(connection));
        Assert.That(source.GetStatistics().Busy, Is.EqualTo(1));
    }

    [Test]
    public async Task Beyond_the_maximum_an_open_waits_for_a_close()
    {
        var source = Source(maximum: 1);
        var first = await Open(source);
        var inner = first.InnerConnection;
        var waiting = Task.Run(() => Open(source));
        await Until(() => source.GetStatistics().Waiting == 1);
        await Close(first);
        var second = await Soon(waiting);

        Assert.That(second.InnerConnection, Is.SameAs(inner));
        Assert.That(source.GetStatistics().Opened, Is.EqualTo(1));
    }

    [Test]
    public async Task An_open_that_waits_too_long_fails()
    {
        var source = Source(maximum: 1);
        await using var first = await Open(source);
        var waiting = Task.Run(() => Open(source));
        await Until(() => source.GetStatistics().Waiting == 1);
        Time.Advance(source.Options.RentTimeout);

        Assert.That((await Failure<PoolExhaustedException>(waiting)).Message, Does.Contain("of at most 1"));
        Assert.That(await Scalar(first, "SELECT 1"), Is.EqualTo(1));
    }

    [Test]
    public async Task Many_callers_share_few_connections()
    {
        var source = Source(maximum: 2);
        var work = Enumerable.Range(0, 8).Select(number => Task.Run(async () =>
        {
            for (var i = 0; i < 25; i++)
            {
                await using var connection = await Open(source);
                Assert.That(await Scalar(connection, $"SELECT {(number * 100) + i}"), Is.EqualTo((number * 100) + i));
            }
        }));
        await Soon(Task.WhenAll(work));

        Assert.That(source.GetStatistics(), Has.Property(nameof(PoolStatistics.Opened)).LessThanOrEqualTo(2)
            .And.Property(nameof(PoolStatistics.Busy)).EqualTo(0).And.Property(nameof(PoolStatistics.Rented)).EqualTo(200));
    }

    [Test]
    public async Task A_connection_string_that_leads_nowhere_fails_with_what_the_provider_says()
    {
        var connectionString = Provider == Provider.Npgsql ? "Host=127.0.0.1;Port=1;Pooling=false" : "Data Source=/nonexistent/folder/file;Pooling=false";
        var source = Kept(PooledDataSource.Create(Databases.FactoryOf(Provider), connectionString));

        await Assert.ThrowsAsync(Provider == Provider.Npgsql ? typeof(NpgsqlException) : typeof(SqliteException), () => Open(source));
        Assert.That(source.GetStatistics(), Has.Property(nameof(PoolStatistics.OpenFailed)).EqualTo(1).And.Property(nameof(PoolStatistics.Total)).EqualTo(0));
    }

    [Test]
    public async Task Warm_up_opens_ahead_and_clear_closes_what_is_idle()
    {
        var source = Source(maximum: 3);
        await Do(() => source.WarmUp(3), () => source.WarmUpAsync(3).AsTask());
        Assert.That(source.GetStatistics(), Has.Property(nameof(PoolStatistics.Opened)).EqualTo(3).And.Property(nameof(PoolStatistics.Idle)).EqualTo(3));
        await using var connection = await Open(source);
        var inner = connection.InnerConnection;
        await Do(source.Clear, () => source.ClearAsync().AsTask());

        Assert.That(source.GetStatistics(), Has.Property(nameof(PoolStatistics.Total)).EqualTo(1).And.Property(nameof(PoolStatistics.Busy)).EqualTo(1));
        await Close(connection);
        Assert.That(inner.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task Disposing_the_data_source_closes_what_is_idle_now_and_the_rest_when_it_comes_back()
    {
        var source = Source();
        var idle = await Next(source);
        var taken = await Open(source);
        var busy = await Open(source);
        var inner = busy.InnerConnection;
        await Close(taken);
        await Dispose(source);

        Assert.That((idle.State, inner.State), Is.EqualTo((ConnectionState.Closed, ConnectionState.Open)));
        await Close(busy);
        Assert.That(inner.State, Is.EqualTo(ConnectionState.Closed));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Open(source));
    }

    [Test]
    public async Task A_lost_connection_is_closed_and_its_place_is_free_again()
    {
        var policy = new RecordingPolicy();
        var source = Source(maximum: 1, policy);
        await OpenAndLose(source);
        await Until(() =>
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Time.Advance(source.Options.MaintenanceInterval);
            return source.GetStatistics().Abandoned == 1;
        });
        await Until(() => policy.ClosedFor.Contains(CloseReason.Abandoned));

        Assert.That(policy.AbandonedCount, Is.EqualTo(1));
        await using var next = await Open(source);
        Assert.That(await Scalar(next, "SELECT 1"), Is.EqualTo(1));
    }

    [Test]
    public async Task What_is_used_through_its_reader_alone_is_not_lost()
    {
        var source = Source(maximum: 1);
        var reader = await OpenReader(source);
        for (var i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            Time.Advance(source.Options.MaintenanceInterval);
        }

        Assert.That(source.GetStatistics().Abandoned, Is.Zero);
        Assert.That(await Read(reader), Is.True);
        await Close(reader);
        Assert.That(source.GetStatistics().Idle, Is.EqualTo(1));
    }

    [Test]
    public async Task Each_form_uses_only_its_own_form_of_the_policy()
    {
        var policy = new RecordingPolicy();
        var source = Source(policy: policy);
        await Next(source);
        await Next(source);
        await Dispose(source);

        string[] blocking = ["Open", "Reset", "IsUsable", "Reset", "Close"];
        Assert.That(policy.Calls, Is.EqualTo(Mode == WaitMode.Blocking ? blocking : blocking.Select(call => call + "Async")));
    }

    private async Task OpenAndLose(PooledDataSource source)
    {
        var connection = await Open(source);
        var reader = await Reader(Command(connection, "SELECT 1"));
        await Read(reader);
    }

    private async Task<DbDataReader> OpenReader(PooledDataSource source) =>
        await Reader(Command(await Open(source), "SELECT 1"), CommandBehavior.CloseConnection);
}
