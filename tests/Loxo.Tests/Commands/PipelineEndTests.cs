using Loxo.Session;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Commands;

/// <summary>The end of a pipeline that does not come in time.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PipelineEndTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public async Task A_command_without_a_connection_takes_the_timeout_of_the_pipelines()
    {
        Play(static server => server.Login());
        await Open("Command Timeout=2");
        var pipeline = Connection.CreatePipeline();
        using var other = Server.DataSource("Command Timeout=5").CreateConnection();
        int[] timeouts =
        [
            pipeline.AddScalar<int>(new PgCommand("SELECT 1")).TimeoutMilliseconds,
            pipeline.AddScalar<int>(new PgCommand("SELECT 1") { CommandTimeout = 3 }).TimeoutMilliseconds,
            pipeline.AddScalar<int>(new PgCommand("SELECT 1", other)).TimeoutMilliseconds,
        ];
        Connection.Session!.Failed(new PgException("over", PgErrorCode.ConnectionClosed));
        await Mode.Dispose(pipeline);
        Assert.That(timeouts, Is.EqualTo(new[] { 2000, 3000, 5000 }));
    }
}
