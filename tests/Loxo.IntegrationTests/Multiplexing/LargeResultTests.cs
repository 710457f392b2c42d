namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>A caller that does not read on, with a result that is too large to be collected, does not keep others waiting.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class LargeResultTests(WaitMode mode) : LaneTest(mode)
{
    private const int Neighbours = 16;

    [Test]
    public async Task Queries_behind_an_unread_result_are_answered_elsewhere()
    {
        var before = Source.GetLaneStatistics()!.Moved;
        // Now and then none of the neighbours has been sent behind it.
        for (var attempt = 0; Source.GetLaneStatistics()!.Moved == before; attempt++)
        {
            Assert.That(attempt, Is.LessThan(50), "No query was sent behind the result.");
            // The first run of a text describes it, and a text with a large result takes a session of its own for a while.
            var sql = $"SELECT n, repeat('x', 1000) FROM generate_series(1, $1) n WHERE {attempt} = {attempt}";
            await Run(sql, 1);
            await AwaitLane(Source);
            await using var command = Source.CreateCommand(sql);
            command.Parameters.Add(new PgParameter { Value = 100_000 });

            var reading = Call(async () => await Mode.Run(() => command.ExecuteReader(), () => command.ExecuteReaderAsync()));
            var neighbours = Enumerable.Range(0, Neighbours).Select(n => Call(() => Run("SELECT $1::int4", n))).ToList();
            await using var reader = await reading;

            Assert.That(await Task.WhenAll(neighbours).WaitAsync(TimeSpan.FromMinutes(1)), Is.EqualTo(Enumerable.Range(0, Neighbours)));
            for (var n = 1; n <= 100_000; n++)
            {
                Assert.That(await Mode.Read(reader), Is.True);
                Assert.That(reader.GetInt32(0), Is.EqualTo(n));
            }
            Assert.That(await Mode.Read(reader), Is.False);
        }
        Assert.That(await Run("SELECT 42"), Is.EqualTo(42));
    }
}
