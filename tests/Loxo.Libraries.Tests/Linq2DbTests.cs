using System.Data;
using System.Data.Common;
using LinqToDB;
using LinqToDB.Async;
using LinqToDB.Data;
using LinqToDB.DataProvider.PostgreSQL;
using LinqToDB.Interceptors;
using LinqToDB.Mapping;

namespace Loxo.LibraryTests;

public sealed class Linq2DbTests : LibraryTest
{
    [Test]
    public async Task Queries_and_changes_run_on_connections_of_Loxo()
    {
        await using var db = Connect();
        await db.CreateTableAsync<Product>();

        await db.InsertAsync(new Product { Id = 1, Name = "lamp", Price = 40.5m, Added = new DateTime(2026, 1, 2) });
        await db.BulkCopyAsync(new BulkCopyOptions { BulkCopyType = BulkCopyType.MultipleRows },
            [new Product { Id = 2, Name = "chair", Price = 80 }, new Product { Id = 3, Name = "rope", Price = 7 }]);
        await using (var transaction = await db.BeginTransactionAsync())
        {
            await db.GetTable<Product>().Where(product => product.Id == 3).Set(product => product.Price, product => product.Price + 1).UpdateAsync();
            await transaction.RollbackAsync();
        }
        int[] wanted = [1, 3];
        var names = await db.GetTable<Product>().Where(product => wanted.Contains(product.Id) && product.Price < 100).OrderBy(product => product.Name)
            .Select(product => product.Name + product.Price).ToListAsync();
        var id = await db.GetTable<Product>().Where(product => product.Id == 2).DeleteAsync();

        Assert.That(await db.OpenDbConnectionAsync(default), Is.TypeOf<PgConnection>());
        Assert.That(names, Is.EqualTo(new[] { "lamp40.5", "rope7" }));
        Assert.That((id, await db.GetTable<Product>().CountAsync()), Is.EqualTo((1, 2)));
        Assert.That(await db.GetTable<Product>().MaxAsync(product => product.Added), Is.EqualTo(new DateTime(2026, 1, 2)));
    }

    [Test]
    public void Blocking_queries_run_as_well()
    {
        using var db = Connect();
        db.CreateTable<Product>();
        db.Insert(new Product { Id = 1, Name = "lamp" });

        Assert.That(db.GetTable<Product>().Single(product => product.Name == "lamp").Id, Is.EqualTo(1));
    }

    [Test]
    public async Task Copying_in_bulk_by_the_provider_falls_back_to_rows()
    {
        await using var db = Connect();
        await db.CreateTableAsync<Product>();

        var copied = await db.BulkCopyAsync(new BulkCopyOptions { BulkCopyType = BulkCopyType.ProviderSpecific }, [new Product { Id = 2, Name = "chair" }]);

        Assert.That((copied.RowsCopied, await db.GetTable<Product>().CountAsync()), Is.EqualTo((1, 1)));
    }

    [Test]
    public async Task Without_the_interceptor_a_time_without_zone_is_refused()
    {
        await using var db = new DataConnection(Options());
        await db.CreateTableAsync<Product>();

        Assert.That(() => db.InsertAsync(new Product { Id = 1, Added = new DateTime(2026, 1, 2) }), Throws.ArgumentException.With.Message.Contains("Kind Unspecified"));
    }

    private DataConnection Connect() => new(Options().UseInterceptor(new TimesWithoutZone()));

    private DataOptions Options() => new DataOptions().UseConnectionFactory(
        PostgreSQLTools.GetDataProvider(PostgreSQLVersion.v15), _ => new PgConnection(ConnectionString));

    private sealed class TimesWithoutZone : CommandInterceptor
    {
        public override DbCommand CommandInitialized(CommandEventData eventData, DbCommand command)
        {
            foreach (DbParameter parameter in command.Parameters)
            {
                if (parameter is { DbType: DbType.DateTime, Value: DateTime { Kind: not DateTimeKind.Utc } })
                    parameter.DbType = DbType.DateTime2;
            }
            return command;
        }
    }

    [Table("product")]
    public sealed class Product
    {
        [PrimaryKey]
        public int Id { get; set; }

        [Column(Length = 50)]
        [NotNull]
        public string Name { get; set; } = "";

        [Column]
        public decimal Price { get; set; }

        [Column]
        public DateTime? Added { get; set; }
    }
}
