namespace Loxo.IntegrationTests.Pipelines;

/// <summary>The end of a group is given up, by its caller or because its time is over.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class GivenUpGroupTests(WaitMode mode) : PipelineTest(mode)
{
    private HeldLock _held = null!;

    [SetUp]
    public async Task Hold() => _held = await HeldLock.Take(await OpenAnother());

    [TearDown]
    public async Task Release() => await _held.DisposeAsync();

    [Test]
    public async Task Cancel_releases_its_caller([Values] bool isMoreWanted)
    {
        await using (var pipeline = Connection.CreatePipeline())
        {
            pipeline.AddNonQuery(_held.Await);
            var sync = pipeline.Sync();
            var later = pipeline.AddScalar<int>(Command("SELECT 2"));
            var receiving = isMoreWanted ? Task.Run(() => Result(later)) : null;
            if (!isMoreWanted)
                later.Cancel();
            pipeline.Flush();
            await Until(_held.IsAwaited);
            if (isMoreWanted)
                await Until(() => Task.FromResult(Connection.Session!.Wire.IsInUse));
            var ending = isMoreWanted ? await StartWaiting(() => Wait(sync)) : Task.Run(() => Wait(sync));
            sync.Cancel();
            var error = await Catch<OperationCanceledException>(() => ending.WaitAsync(Patience));
            Assert.That(error.Message, Does.Contain(isMoreWanted ? "was not asked" : "was asked").And.Contain("can be used"));
            await Catch<OperationCanceledException>(() => Wait(sync));
            await _held.Release();
            if (isMoreWanted)
                Assert.That(await receiving!, Is.EqualTo(2));
        }
        await AssertUsable();
    }

    [Test]
    public async Task It_may_be_cancelled_before_anybody_waits_for_it()
    {
        await using (var pipeline = Connection.CreatePipeline())
        {
            pipeline.AddNonQuery(_held.Await);
            var sync = pipeline.Sync();
            await Until(_held.IsAwaited);
            sync.Cancel();
            await Catch<OperationCanceledException>(() => Wait(sync));
        }
        await AssertUsable();
    }

    [Test]
    public async Task The_error_tells_whether_the_server_was_asked_to_stop([Values] bool isMoreWanted)
    {
        await using var connection = new PgConnection(ConnectionString + ";Command Timeout=1");
        await Mode.Open(connection);
        await using (var pipeline = connection.CreatePipeline())
        {
            pipeline.AddNonQuery(new PgCommand(_held.Await) { CommandTimeout = 0 });
            var sync = pipeline.Sync();
            var later = isMoreWanted ? pipeline.AddScalar<int>(new PgCommand("SELECT 2") { CommandTimeout = 0 }) : null;
            var error = await Catch<PgException>(() => Wait(sync));
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
            Assert.That(error.Message, Does.Contain(isMoreWanted ? "was not asked" : "was asked").And.Contain("can be used"));
            if (isMoreWanted)
                Assert.That(await _held.IsAwaited(), Is.True);
            else
                await Until(async () => !await _held.IsAwaited());
            await _held.Release();
            if (later is not null)
                Assert.That(await Result(later), Is.EqualTo(2));
        }
        Assert.That(await Mode.ExecuteScalar(new PgCommand("SELECT 3", connection)), Is.EqualTo(3));
    }
}
