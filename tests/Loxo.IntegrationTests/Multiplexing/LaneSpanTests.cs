using System.Diagnostics;
using Loxo.IntegrationTests.Telemetry;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>A command of a lane that comes to no ordinary end is told of all the same.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class LaneSpanTests(WaitMode mode) : LaneTest(mode)
{
    [Test]
    public async Task A_command_that_is_given_up_or_lost_is_a_span([Values] bool isLost, [Values] bool isRead)
    {
        // A text of its own, since one that was slow takes a session of its own for a while.
        var sql = $"SELECT pg_sleep($1::float8)::text AS {Mode}{isLost}{isRead} FROM pg_am LIMIT 1";
        for (var i = 0; i < 3; i++)
            await Run(sql, 0.0);
        using var recorder = new Recorder(new PgConnectionStringBuilder(Lanes).Database!);
        await using var command = Source.CreateCommand(sql);
        command.CommandTimeout = isLost ? 0 : 1;
        command.Parameters.Add(new PgParameter<double>(60));
        var lost = Call(() => Catch<PgException>(() => isRead ? Mode.ExecuteScalar(command) : Mode.ExecuteNonQuery(command)));
        while (isLost && !lost.IsCompleted)
            await Scalar<long>($"SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query = '{sql}' AND state = 'active'");
        await lost;
        Assert.That(recorder.Operations.Where(span => span.DisplayName.Contains("pg_am")).Select(static span => span.Status),
            Is.EqualTo(new[] { ActivityStatusCode.Error }));
    }
}
