using System.Text;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>
/// Several results of one command, of sizes around those that are collected for a reader (256 KiB in a lane, 1 MiB in a pipeline), are read
/// as on a session of its own.
/// </summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class FullResultTests(WaitMode mode) : LaneTest(mode)
{
    // The same columns, so that a row that is taken for one of another result is not noticed by the driver.
    private static readonly string[] _texts =
    [
        "SELECT n, repeat('a', @length) FROM generate_series(1, @rows) n",
        "SELECT -n, repeat('b', @length) FROM generate_series(1, @rows) n",
    ];

    // A text that had a large result takes no lane for a minute, and its first run is on a session of its own.
    [Test]
    public async Task Results_of_a_batch_in_a_lane()
    {
        await using var connection = Source.CreateConnection();
        await Mode.Open(connection);
        var sizes = new Random(6);
        var inLane = 0L;
        for (var i = 0; i < 120; i++)
        {
            await using var batch = new PgBatch(connection);
            var expected = new StringBuilder();
            for (var statement = 0; statement < 3; statement++)
            {
                var (rows, length) = i % 3 < 2 ? (1, 10) : Next(sizes, 256 * 1024);
                var command = new PgBatchCommand($"{_texts[statement % 2]} -- full {i / 3}");
                command.Parameters.Add(new PgParameter("rows", rows));
                command.Parameters.Add(new PgParameter("length", length));
                batch.BatchCommands.Add(command);
                Expect(expected, statement % 2, rows, length);
            }
            var before = Source.GetLaneStatistics()!.Commands;
            await using (var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync()))
                Assert.That(await ReadAll(reader, sizes), Is.EqualTo(expected.ToString()));
            inLane += i % 3 == 2 ? Source.GetLaneStatistics()!.Commands - before : 0;
        }
        Assert.That(inLane, Is.GreaterThan(20), "a busy machine makes a text slow");
    }

    [Test]
    public async Task Results_of_a_text_in_a_pipeline()
    {
        var sizes = new Random(7);
        for (var i = 0; i < 20; i++)
        {
            var (rows, length) = Next(sizes, 1024 * 1024);
            var command = new PgCommand(string.Join("; ", _texts));
            command.Parameters.Add(new PgParameter("rows", rows));
            command.Parameters.Add(new PgParameter("length", length));
            var expected = new StringBuilder();
            Expect(expected, 0, rows, length);
            Expect(expected, 1, rows, length);
            await using var pipeline = Connection.CreatePipeline();
            var result = pipeline.AddReader(command);
            await using var reader = await Mode.Run(result.GetResult, () => result.GetResultAsync());
            Assert.That(await ReadAll(reader, sizes), Is.EqualTo(expected.ToString()));
        }
    }

    // In about half of them the last row fills the memory.
    private static (int Rows, int Length) Next(Random sizes, int full) => sizes.Next(4) switch
    {
        0 => (1, full + sizes.Next(full)),
        1 => (sizes.Next(5), (full / 4) + sizes.Next(100)),
        2 => (sizes.Next(300), full / 256),
        _ => (sizes.Next(3), sizes.Next(100)),
    };

    private static void Expect(StringBuilder expected, int text, int rows, int length)
    {
        for (var n = 1; n <= rows; n++)
            expected.Append(text == 0 ? n : -n).Append(text == 0 ? 'a' : 'b').Append(length).Append(' ');
        expected.Append("| ");
    }

    private async Task<string> ReadAll(PgDataReader reader, Random pauses)
    {
        var read = new StringBuilder();
        do
        {
            while (await Mode.Read(reader))
            {
                var text = reader.GetString(1);
                read.Append(reader.GetInt32(0)).Append(text.Length == 0 ? 'a' : text[0]).Append(text.Length).Append(' ');
                if (pauses.Next(50) == 0)
                    await Task.Delay(1);
            }
            read.Append("| ");
        }
        while (await Mode.NextResult(reader));
        Assert.That((reader.FieldCount, reader.HasRows), Is.EqualTo((0, false)), "behind the last result");
        return read.ToString();
    }
}
