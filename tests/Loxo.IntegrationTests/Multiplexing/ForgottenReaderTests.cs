using System.Runtime.CompilerServices;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>
/// Hazard P10 in lanes: a reader of a large result that was not closed before nobody had it any more. Its lane waits for it, and so do the
/// commands behind it.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class ForgottenReaderTests(WaitMode mode) : LaneTest(mode)
{
    private const int Neighbours = 16;

    [Test]
    public async Task Its_session_is_given_up_and_the_commands_behind_it_are_answered([Values] bool ofDataSource)
    {
        // The first run of a text describes it, and a text with a large result takes a session of its own for a while.
        for (var attempt = 0; ; attempt++)
        {
            Assert.That(attempt, Is.LessThan(20), "No reader held up a lane.");
            var sql = $"SELECT n, repeat('x', 1000) FROM generate_series(1, $1) n WHERE {attempt} = {attempt}";
            await Run(sql, 1);
            await AwaitLane(Source);
            var neighbours = await Forget(sql, ofDataSource);
            if (Source.GetLaneStatistics()!.CommandsInFlight == 0)
            {
                await Task.WhenAll(neighbours);
                continue;
            }

            await Until(() => Collect() && Source.GetLaneStatistics()!.CommandsInFlight == 0);

            Assert.That(await Task.WhenAll(neighbours), Is.EqualTo(Enumerable.Range(0, Neighbours).Cast<object>()));
            Assert.That(await Run("SELECT 42"), Is.EqualTo(42));
            return;
        }
    }

    // In a method of its own, so that nothing on the test's stack keeps the reader.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private async Task<Task<object?>[]> Forget(string sql, bool ofDataSource)
    {
        PgCommand command;
        if (ofDataSource)
        {
            command = Source.CreateCommand(sql);
        }
        else
        {
            var connection = Source.CreateConnection();
            await Mode.Open(connection);
            command = new PgCommand(sql, connection);
        }
        command.CommandTimeout = 0;
        command.Parameters.Add(new PgParameter { Value = 100_000 });
        var reading = Call(async () => await Mode.Run(() => command.ExecuteReader(), () => command.ExecuteReaderAsync()));
        var neighbours = CallNeighbours();
        var reader = await reading;
        Assert.That(await Mode.Read(reader), Is.True);
        return neighbours;
    }

    // Their closures must not hold the command.
    private Task<object?>[] CallNeighbours() => [.. Enumerable.Range(0, Neighbours).Select(n => Call(() => Patiently(n)))];

    private async Task<object?> Patiently(int number)
    {
        await using var command = Source.CreateCommand("SELECT $1");
        command.CommandTimeout = 0;
        command.Parameters.Add(new PgParameter { Value = number });
        return await Mode.ExecuteScalar(command);
    }

    private static bool Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return true;
    }
}
