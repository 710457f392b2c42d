using System.Data;

namespace Loxo.Pooling.Data.Tests;

public sealed class BrokenTests(Provider provider, WaitMode mode) : DataTest(provider, mode)
{
    [Test]
    public async Task A_connection_that_broke_in_use_is_not_handed_out_again()
    {
        var source = Source();
        var connection = await Open(source);
        var inner = connection.InnerConnection;
        inner.Close();
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
        await Close(connection);

        Assert.That(await Next(source), Is.Not.SameAs(inner));
        Assert.That(source.GetStatistics().Closed[CloseReason.Broken], Is.EqualTo(1));
    }

    [Test]
    public async Task A_connection_that_broke_in_use_can_be_opened_again_at_once()
    {
        var source = Source(maximum: 1);
        var connection = await Open(source);
        var inner = connection.InnerConnection;
        inner.Close();
        await Open(connection);

        Assert.That(connection.InnerConnection, Is.Not.SameAs(inner));
        Assert.That(await Scalar(connection, "SELECT 1"), Is.EqualTo(1));
        Assert.That(source.GetStatistics().Total, Is.EqualTo(1));
    }

    [Test]
    public async Task A_connection_that_broke_while_idle_is_replaced()
    {
        var source = Source();
        var inner = await Next(source);
        inner.Close();

        Assert.That(await Next(source), Is.Not.SameAs(inner));
        Assert.That(source.GetStatistics().Replaced, Is.EqualTo(1));
    }

    [Test]
    public async Task A_connection_that_cannot_be_reset_is_closed()
    {
        var policy = new RecordingPolicy { RefusesToReset = true };
        var source = Source(policy: policy);
        var inner = await Next(source);

        Assert.That(inner.State, Is.EqualTo(ConnectionState.Closed));
        Assert.That(policy.ClosedFor, Is.EqualTo(new[] { CloseReason.ResetFailed }));
    }

    [Test]
    public async Task A_reset_that_fails_closes_the_connection_and_harms_nobody()
    {
        var source = Source(policy: new PooledConnectionPolicy { ResetSql = "nonsense" });
        var inner = await Next(source);

        Assert.That(inner.State, Is.EqualTo(ConnectionState.Closed));
        Assert.That(source.GetStatistics().Total, Is.Zero);
    }

    [Test]
    public async Task Validation_is_run_after_the_idle_time_and_not_before()
    {
        var source = Source(policy: new PooledConnectionPolicy { ValidationSql = "nonsense", ValidateAfter = TimeSpan.FromMinutes(1) });
        var inner = await Next(source);
        Time.Advance(TimeSpan.FromSeconds(59));
        Assert.That(await Next(source), Is.SameAs(inner));
        Time.Advance(TimeSpan.FromSeconds(60));

        Assert.That(await Next(source), Is.Not.SameAs(inner));
        Assert.That(source.GetStatistics().Replaced, Is.EqualTo(1));
    }

    [Test]
    public async Task Validation_that_succeeds_keeps_the_connection()
    {
        var source = Source(policy: new PooledConnectionPolicy { ValidationSql = "SELECT 1", ValidateAfter = TimeSpan.Zero });
        var inner = await Next(source);

        Assert.That(await Next(source), Is.SameAs(inner));
    }
}
