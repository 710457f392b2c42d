using System.Data;

namespace Loxo.IntegrationTests.Poolers;

/// <summary>haproxy passes bytes on. One of its two servers is down.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class HaProxyTests(WaitMode mode) : PassedOnTest(mode)
{
    private HaProxy _pooler = null!;

    private protected override PoolerProcess Pooler => _pooler;

    [OneTimeSetUp]
    public void StartPooler() => (_pooler = new HaProxy()).Start();

    [OneTimeTearDown]
    public void StopPooler() => _pooler.Dispose();

    [Test]
    public async Task A_server_process_that_is_ended_while_idle_is_not_handed_out_again()
    {
        await using var source = PgDataSource.Create(Pooler.ConnectionString + ";Maximum Pool Size=1");
        var process = 0;
        for (var i = 0; i < 3; i++)
        {
            await using var connection = await Rent(source);
            Assert.That(await ProcessOf(connection), Is.Not.EqualTo(process));
            process = await ProcessOf(connection);
            await Mode.Close(connection);
            await Aside($"SELECT pg_terminate_backend({process})");
            await Farewell();
        }
    }

    [Test]
    public async Task A_server_that_is_down_gets_no_connection()
    {
        for (var i = 0; i < 10; i++)
        {
            await using var connection = await OpenAnother();
            Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 42", connection)), Is.EqualTo(42));
        }
    }

    [Test]
    public async Task A_connection_that_was_closed_for_being_idle_is_not_handed_out_again()
    {
        using var impatient = new HaProxy(idle: "2s");
        impatient.Start();
        await using var source = PgDataSource.Create(impatient.ConnectionString + ";Maximum Pool Size=1");
        var processes = new HashSet<int>();
        for (var i = 0; i < 3; i++)
        {
            await using var connection = await Rent(source);
            var process = await ProcessOf(connection);
            Assert.That(processes.Add(process), Is.True);
            await Mode.Close(connection);
            await Farewell(impatient.Port);
        }
    }

    [Test]
    public async Task A_connection_that_nobody_answers_any_more_is_noticed_by_its_command()
    {
        await using var source = PgDataSource.Create(Pooler.ConnectionString + ";Maximum Pool Size=1;Timeout=2;Command Timeout=1;Cancellation Timeout=500");
        await using var connection = await Rent(source);
        var process = await ProcessOf(connection);
        _pooler.Freeze();
        try
        {
            var error = await Catch<PgException>(() => ProcessOf(connection));
            Assert.That(error.InnerException, Is.InstanceOf<TimeoutException>(), error.ToString());
            Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
            await Mode.Close(connection);
            // It still takes connections, and answers none.
            Assert.That((await Catch<PgException>(() => Rent(source))).InnerException, Is.InstanceOf<TimeoutException>());
        }
        finally
        {
            _pooler.Thaw();
        }
        await using var next = await Rent(source);
        Assert.That(await ProcessOf(next), Is.Not.EqualTo(process));
    }
}
