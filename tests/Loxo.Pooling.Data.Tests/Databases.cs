using System.Data.Common;
using Loxo.Embedded;
using Microsoft.Data.Sqlite;
using Npgsql;

namespace Loxo.Pooling.Data.Tests;

/// <summary>A PostgreSQL and a SQLite database for all tests, and how their providers reach them.</summary>
[SetUpFixture]
public sealed class Databases
{
    private static readonly Lazy<PgEmbeddedServer> _server = new(() => PgEmbeddedServer.Start(new PgEmbeddedServerOptions
    {
        Acquire = PgAcquire.All,
        MaxPreparedTransactions = 10,
        Settings = { ["lc_messages"] = "C" },
    }));

    private static readonly string _file = Path.Combine(Path.GetTempPath(), $"loxo-pooling-{Guid.NewGuid():N}.db");

    public static DbProviderFactory FactoryOf(Provider provider) => provider == Provider.Npgsql ? NpgsqlFactory.Instance : SqliteFactory.Instance;

    public static string ConnectionStringOf(Provider provider) =>
        provider == Provider.Npgsql ? _server.Value.ConnectionString + ";Pooling=false" : $"Data Source={_file};Pooling=false";

    [OneTimeSetUp]
    public void LoadSqlite() => SQLitePCL.Batteries_V2.Init();

    [OneTimeTearDown]
    public void Remove()
    {
        if (_server.IsValueCreated)
            _server.Value.Dispose();
        File.Delete(_file);
    }
}
