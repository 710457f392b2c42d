using Npgsql;

namespace Loxo.DapperTests;

/// <summary>Runs the programs on Npgsql, in part before Dapper knows any handler, and registers Loxo's handlers then.</summary>
[SetUpFixture]
public class Drivers
{
    private static readonly Dictionary<(string Program, WaitMode Mode), string> OfNpgsql = [];

    /// <summary>The result that Npgsql gave.</summary>
    internal static string Expected(DapperProgram program, WaitMode mode) => OfNpgsql[(program.Name, mode)];

    [OneTimeSetUp]
    public async Task RunOnNpgsql()
    {
        await using (var source = NpgsqlDataSource.Create(TestServer.Default.ConnectionString))
        {
            await using var command = source.CreateCommand("""
                DROP SCHEMA IF EXISTS dapper_tests CASCADE;
                CREATE SCHEMA dapper_tests;
                CREATE TYPE dapper_tests.mood AS ENUM ('sad', 'happy');
                CREATE TABLE dapper_tests.tagged (id int, tags text[])
                """);
            await command.ExecuteNonQueryAsync();
        }
        await Run(Programs.WithoutRegistration);
        LoxoDapper.Register();
        await Run(Programs.WithRegistration);
    }

    [OneTimeTearDown]
    public async Task RemoveSchema()
    {
        await using var source = NpgsqlDataSource.Create(TestServer.Default.ConnectionString);
        await using var command = source.CreateCommand("DROP SCHEMA dapper_tests CASCADE");
        await command.ExecuteNonQueryAsync();
    }

    private static async Task Run(DapperProgram[] programs)
    {
        foreach (var mode in new[] { WaitMode.Blocking, WaitMode.Async })
        {
            foreach (var program in programs)
            {
                await using var connection = new NpgsqlConnection(TestServer.Default.ConnectionString);
                await connection.OpenAsync();
                OfNpgsql.Add((program.Name, mode), await program.Run(connection, mode));
            }
        }
    }
}
