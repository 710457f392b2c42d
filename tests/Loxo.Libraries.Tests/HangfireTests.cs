using Hangfire;
using Hangfire.PostgreSql;
using Hangfire.PostgreSql.Factories;
using Npgsql;

namespace Loxo.LibraryTests;

public sealed class HangfireTests : LibraryTest
{
    private static readonly TaskCompletionSource<string> _ran = new(TaskCreationOptions.RunContinuationsAsynchronously);

    [Test]
    public void Its_storage_is_tied_to_Npgsql() => Assert.That(
        typeof(IConnectionFactory).GetMethod(nameof(IConnectionFactory.GetOrCreateConnection))!.ReturnType, Is.EqualTo(typeof(NpgsqlConnection)));

    [Test]
    public async Task It_runs_on_Npgsql_beside_Loxo()
    {
        LoxoDapper.Register(); // process-wide, so Hangfire's own use of Dapper sees it
        var storage = new PostgreSqlStorage(
            new NpgsqlConnectionFactory(TestServer.Default.ConnectionString, new PostgreSqlStorageOptions { SchemaName = Schema }),
            new PostgreSqlStorageOptions { SchemaName = Schema, QueuePollInterval = TimeSpan.FromMilliseconds(50) });
        using (new BackgroundJobServer(new BackgroundJobServerOptions { WorkerCount = 1 }, storage))
        {
            var id = new BackgroundJobClient(storage).Enqueue(() => Work("on Npgsql"));

            Assert.That(await _ran.Task.WaitAsync(TimeSpan.FromMinutes(2)), Is.EqualTo("on Npgsql"));
            Assert.That(await Scalar($"SELECT count(*) FROM {Schema}.job WHERE id = {id}"), Is.EqualTo(1));
        }
    }

    public static void Work(string message) => _ran.TrySetResult(message);
}
