using System.Data.Common;
using Microsoft.Data.Sqlite;
using Npgsql;

namespace Loxo.Conformance.Rules;

/// <summary>The providers that the rules of ADO.NET are tried on.</summary>
public enum Driver
{
    Loxo,
    Npgsql,
    Sqlite,
}

/// <summary>How the tests reach a provider, and which fixtures run on which.</summary>
internal static class Drivers
{
    private static readonly string _file = Path.Combine(Path.GetTempPath(), $"loxo-conformance-{Guid.NewGuid():N}.db");

    /// <summary>Every driver in either wait mode, for the rules that all providers are to keep.</summary>
    public static object[][] All() => Modes(Driver.Loxo, Driver.Npgsql, Driver.Sqlite);

    /// <summary>Microsoft.Data.Sqlite has neither batches nor data adapters; ADO.NET does not demand them.</summary>
    public static object[][] Postgres() => Modes(Driver.Loxo, Driver.Npgsql);

    public static DbProviderFactory Factory(this Driver driver) => driver switch
    {
        Driver.Loxo => PgFactory.Instance,
        Driver.Npgsql => NpgsqlFactory.Instance,
        _ => SqliteFactory.Instance,
    };

    public static string ConnectionString(this Driver driver) =>
        driver == Driver.Sqlite ? $"Data Source={_file};Pooling=false;Default Timeout=1" : TestServer.Default.ConnectionString;

    /// <summary>A connection string that is well formed and leads nowhere.</summary>
    public static string WrongConnectionString(this Driver driver) => driver == Driver.Sqlite
        ? $"Data Source={Path.Combine(_file, "nowhere")};Pooling=false"
        : TestServer.Default.ConnectionString + ";Database=no_such_database";

    public static void RemoveFile() => File.Delete(_file);

    private static object[][] Modes(params Driver[] drivers) =>
        [.. from driver in drivers from mode in Enum.GetValues<WaitMode>() select new object[] { driver, mode }];
}

/// <summary>SQLite's library, which is loaded once, and its file.</summary>
[SetUpFixture]
public sealed class SqliteSetUp
{
    [OneTimeSetUp]
    public void Load() => SQLitePCL.Batteries_V2.Init();

    [OneTimeTearDown]
    public void Remove() => Drivers.RemoveFile();
}
