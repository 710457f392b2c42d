using System.Security.Cryptography;

namespace Loxo.IntegrationTests.Pipelines;

/// <summary>The server reads no more, because the first command waits for a lock, and the rest of the output is stuck.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class StuckPipelineTests(WaitMode mode) : PipelineTest(mode)
{
    private const int Megabyte = 1 << 20;

    [Test]
    public async Task The_timeout_of_a_command_gives_it_up_while_output_is_stuck()
    {
        await using var held = await HeldLock.Take(await OpenAnother());
        await using (var pipeline = Connection.CreatePipeline())
        {
            var command = Command(held.Await);
            command.CommandTimeout = 1;
            var first = pipeline.AddNonQuery(command);
            var others = AddLarge(pipeline);
            Assert.That((await Catch<PgException>(() => Result(first).WaitAsync(Patience))).Code, Is.EqualTo(PgErrorCode.Timeout));
            var taking = Task.Run(() => AssertArrive(others));
            await held.Release();
            await taking;
        }
        await AssertUsable();
    }

    [Test]
    public async Task A_token_gives_a_command_up_while_output_is_stuck([Values] bool othersAreTaken)
    {
        await using var held = await HeldLock.Take(await OpenAnother());
        var pipeline = Connection.CreatePipeline();
        using var cancelled = new CancellationTokenSource();
        var first = pipeline.AddNonQuery(held.Await);
        var others = AddLarge(pipeline);
        var waiting = first.GetResultAsync(cancelled.Token);
        await Until(held.IsAwaited);
        await cancelled.CancelAsync();
        Assert.That((await Catch<OperationCanceledException>(() => waiting.WaitAsync(Patience))).CancellationToken, Is.EqualTo(cancelled.Token));
        var goingOn = Task.Run(() => othersAreTaken ? AssertArrive(others) : Mode.Dispose(pipeline));
        await held.Release();
        await goingOn;
        await pipeline.DisposeAsync();
        await AssertUsable();
    }

    [Test]
    public async Task A_token_stops_a_group_while_output_is_stuck()
    {
        await using var held = await HeldLock.Take(await OpenAnother());
        var pipeline = Connection.CreatePipeline();
        using var cancelled = new CancellationTokenSource();
        var first = pipeline.AddNonQuery(held.Await);
        AddLarge(pipeline);
        var waiting = pipeline.Sync().WaitAsync(cancelled.Token);
        await Until(held.IsAwaited);
        await cancelled.CancelAsync();
        await Catch<OperationCanceledException>(() => waiting.WaitAsync(Patience));
        await Catch<OperationCanceledException>(() => Result(first));
        await Mode.Dispose(pipeline);
        Assert.That(await held.IsAwaited(), Is.False, "the server has stopped");
        await AssertUsable();
    }

    // More than any buffer between holds, and less than a pipeline takes.
    private List<(PgPipelineResult<byte[]?> Hash, byte[] Expected)> AddLarge(PgPipeline pipeline)
    {
        var results = new List<(PgPipelineResult<byte[]?>, byte[])>();
        for (var i = 0; i < 40; i++)
        {
            var value = new byte[Megabyte + i];
            new Random(i).NextBytes(value);
            results.Add((pipeline.AddScalar<byte[]>(Command("SELECT sha256($1)", value)), SHA256.HashData(value)));
        }
        return results;
    }

    private async Task AssertArrive(List<(PgPipelineResult<byte[]?> Hash, byte[] Expected)> results)
    {
        foreach (var (hash, expected) in results)
            Assert.That(await Result(hash), Is.EqualTo(expected));
    }
}
