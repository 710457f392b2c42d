using System.Data;
using System.Data.Common;

namespace Loxo.Conformance.Rules;

[TestFixtureSource(typeof(Drivers), nameof(Drivers.All))]
public sealed class FactoryRules(Driver driver, WaitMode mode) : RuleTest(driver, mode)
{
    [Rule(typeof(DbProviderFactory))]
    public void A_factory_makes_a_new_object_each_time()
    {
        Func<object?>[] makers =
        [
            Factory.CreateConnection, Factory.CreateCommand, Factory.CreateParameter, Factory.CreateConnectionStringBuilder,
            () => Factory.CreateDataSource(Driver.ConnectionString()),
        ];
        foreach (var make in makers)
            Assert.That(make(), Is.Not.Null.And.Not.SameAs(make()));
    }

    [Rule(typeof(DbProviderFactory), nameof(DbProviderFactory.CanCreateBatch))]
    public void A_factory_tells_what_it_cannot_make()
    {
        Assert.That(Factory.CreateDataAdapter() is not null, Is.EqualTo(Factory.CanCreateDataAdapter));
        Assert.That(Factory.CreateCommandBuilder() is not null, Is.EqualTo(Factory.CanCreateCommandBuilder));
        foreach (var make in new Func<object>[] { Factory.CreateBatch, Factory.CreateBatchCommand })
        {
            if (Factory.CanCreateBatch)
                Assert.That(make(), Is.Not.Null);
            else
                Refused<NotSupportedException>(() => make());
        }
    }

    [Rule(typeof(DbProviderFactories), nameof(DbProviderFactories.GetFactory))]
    public void A_factory_is_found_by_name_and_by_connection()
    {
        var name = $"Conformance.{Driver}";
        DbProviderFactories.RegisterFactory(name, Factory.GetType());

        Assert.That(DbProviderFactories.GetFactory(name), Is.SameAs(Factory));
        Assert.That(DbProviderFactories.GetFactory(Connection), Is.SameAs(Factory));
        Assert.That(DbProviderFactories.UnregisterFactory(name), Is.True);
    }

    [Rule(typeof(DbDataSource), nameof(DbDataSource.OpenConnection))]
    public async Task A_data_source_opens_connections()
    {
        await using var source = Factory.CreateDataSource(Driver.ConnectionString());
        await using var opened = await Mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());
        await using var made = source.CreateConnection();

        Assert.That((opened.State, made.State), Is.EqualTo((ConnectionState.Open, ConnectionState.Closed)));
        await Mode.Open(made);
        Assert.That(made.State, Is.EqualTo(ConnectionState.Open));
    }

    [Rule(typeof(DbDataSource), nameof(DbDataSource.CreateCommand))]
    public async Task A_command_of_a_data_source_runs_on_a_connection_of_its_own()
    {
        await using var source = Factory.CreateDataSource(Driver.ConnectionString());
        await using var command = source.CreateCommand("SELECT 5 AS x");
        Assert.That(Convert.ToInt32(await Mode.ExecuteScalar(command)), Is.EqualTo(5));
        await using (var reader = await Read(command))
            Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(await Mode.ExecuteNonQuery(command), Is.EqualTo(-1));
    }

    [Rule(typeof(DbDataSource), nameof(DbDataSource.Dispose))]
    public async Task A_disposed_data_source_opens_no_connection()
    {
        var source = Factory.CreateDataSource(Driver.ConnectionString());
        await Mode.Dispose(source);
        await Mode.Dispose(source);

        Refused<ObjectDisposedException>(() => Mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask()));
    }

    [Rule(typeof(DbDataSource), nameof(DbDataSource.OpenConnectionAsync))]
    public async Task With_a_cancelled_token_a_data_source_opens_nothing()
    {
        await using var source = Factory.CreateDataSource(Driver.ConnectionString());

        Refused<OperationCanceledException>(() => source.OpenConnectionAsync(new CancellationToken(true)).AsTask());
    }
}
