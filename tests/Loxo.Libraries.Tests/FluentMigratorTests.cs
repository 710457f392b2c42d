using System.Data.Common;
using FluentMigrator;
using FluentMigrator.Runner;
using FluentMigrator.Runner.Conventions;
using FluentMigrator.Runner.Processors.Postgres;
using Microsoft.Extensions.DependencyInjection;

namespace Loxo.LibraryTests;

public sealed class FluentMigratorTests : LibraryTest
{
    [Test]
    public async Task Migrations_run_with_the_factory_registered()
    {
        await using var services = Services();

        services.GetRequiredService<IMigrationRunner>().MigrateUp();
        Assert.That(await Scalar($"SELECT name FROM product WHERE id = 1"), Is.EqualTo("lamp"));
        Assert.That(await Scalar("SELECT count(*) FROM \"VersionInfo\""), Is.EqualTo(1));

        services.GetRequiredService<IMigrationRunner>().MigrateDown(0);
        Assert.That(await Scalar($"SELECT to_regclass('product')::text"), Is.EqualTo(DBNull.Value));
    }

    [Test]
    public async Task A_migration_that_fails_is_rolled_back()
    {
        await Execute("CREATE TABLE product (id text)");
        await using var services = Services();

        Assert.That(() => services.GetRequiredService<IMigrationRunner>().MigrateUp(), Throws.Exception);
        Assert.That(await Scalar("SELECT count(*) FROM \"VersionInfo\""), Is.EqualTo(0));
    }

    private ServiceProvider Services() => new ServiceCollection()
        .AddFluentMigratorCore()
        .AddScoped<PostgresDbFactory, LoxoDbFactory>()
        .AddSingleton<IConventionSet>(new DefaultConventionSet(Schema, null))
        .ConfigureRunner(runner => runner.AddPostgres().WithGlobalConnectionString(ConnectionString).ScanIn(typeof(CreateProducts).Assembly).For.Migrations())
        .BuildServiceProvider();

    private sealed class LoxoDbFactory(IServiceProvider services) : PostgresDbFactory(services)
    {
        protected override DbProviderFactory CreateFactory() => PgFactory.Instance;
    }

    [Migration(1)]
    public sealed class CreateProducts : Migration
    {
        public override void Up()
        {
            Create.Table("product").WithColumn("id").AsInt32().PrimaryKey().WithColumn("name").AsString(50).NotNullable();
            Insert.IntoTable("product").Row(new { id = 1, name = "lamp" });
        }

        public override void Down() => Delete.Table("product");
    }
}
