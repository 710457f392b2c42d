namespace Loxo.IntegrationTests.Pipelines;

/// <summary>Several callers wait for the end of one group while another one receives.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class SharedGroupTests(WaitMode mode) : PipelineTest(mode)
{
    // Behind a pooler a command is written when the group in front of it has been answered.
    protected override string ConnectionString => base.ConnectionString + ";Pooler=Transaction;Pooling=false";

    [Test]
    public async Task The_end_of_a_group_wakes_its_caller_and_that_of_the_command_behind_it()
    {
        await using var held = await HeldLock.Take(await OpenAnother());
        await using (var pipeline = Connection.CreatePipeline())
        {
            var first = pipeline.AddNonQuery(held.Await);
            var sync = pipeline.Sync();
            var delayed = pipeline.AddScalar<int>(Command("SELECT 2"));
            pipeline.Sync();
            var receiving = Task.Run(() => Result(first));
            await Until(held.IsAwaited);
            var ending = await StartWaiting(() => Wait(sync));
            var behind = await StartWaiting(() => Result(delayed));
            await held.Release();
            await Task.WhenAll(receiving, ending, behind).WaitAsync(Patience);
            Assert.That(await Result(delayed), Is.EqualTo(2));
        }
        await AssertUsable();
    }

    [Test]
    public async Task The_end_of_a_group_wakes_its_caller_and_the_one_that_ends_the_pipeline()
    {
        await using var held = await HeldLock.Take(await OpenAnother());
        var pipeline = Connection.CreatePipeline();
        var first = pipeline.AddNonQuery(held.Await);
        var sync = pipeline.Sync();
        var receiving = Task.Run(() => Result(first));
        await Until(held.IsAwaited);
        var ending = await StartWaiting(() => Wait(sync));
        var disposing = await StartWaiting(() => Mode.Dispose(pipeline));
        await held.Release();
        await Task.WhenAll(ending, disposing).WaitAsync(Patience);
        Assert.That((await Catch<InvalidOperationException>(() => receiving)).Message, Does.Contain("disposed"), "nobody has cancelled it");
        await AssertUsable();
    }
}
