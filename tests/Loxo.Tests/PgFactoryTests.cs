using System.Data.Common;

namespace Loxo.Tests;

public sealed class PgFactoryTests
{
    private static readonly DbProviderFactory _factory = PgFactory.Instance;

    [Test]
    public void It_makes_every_object_of_the_provider()
    {
        Assert.That(_factory.CreateConnection(), Is.TypeOf<PgConnection>());
        Assert.That(_factory.CreateCommand(), Is.TypeOf<PgCommand>());
        Assert.That(_factory.CreateParameter(), Is.TypeOf<PgParameter>());
        Assert.That(_factory.CreateConnectionStringBuilder(), Is.TypeOf<PgConnectionStringBuilder>());
        Assert.That((_factory.CanCreateBatch, _factory.CanCreateDataAdapter, _factory.CanCreateCommandBuilder), Is.EqualTo((true, true, true)));
        Assert.That(_factory.CreateBatch(), Is.TypeOf<PgBatch>());
        Assert.That(_factory.CreateBatchCommand(), Is.TypeOf<PgBatchCommand>());
        Assert.That(_factory.CreateDataAdapter(), Is.TypeOf<PgDataAdapter>());
        Assert.That(_factory.CreateCommandBuilder(), Is.TypeOf<PgCommandBuilder>());
        using var source = _factory.CreateDataSource("Host=db;Username=alice");
        Assert.That(source, Is.TypeOf<PgDataSource>());
    }

    [Test]
    public void It_is_found_by_the_name_under_which_it_was_registered()
    {
        DbProviderFactories.RegisterFactory("Loxo.Tests", PgFactory.Instance);
        try
        {
            Assert.That(DbProviderFactories.GetFactory("Loxo.Tests"), Is.SameAs(_factory));
        }
        finally
        {
            DbProviderFactories.UnregisterFactory("Loxo.Tests");
        }
        using var connection = new PgConnection();
        Assert.That(DbProviderFactories.GetFactory(connection), Is.SameAs(_factory));
    }

    [Test]
    public void It_offers_no_other_services() => Assert.That(PgFactory.Instance.GetService(typeof(DbConnection)), Is.Null);
}
