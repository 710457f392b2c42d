namespace Loxo.IntegrationTests.LargeObjects;

/// <summary>
/// The server closes large objects with their transaction and numbers those of the next one from 0: an old stream must not touch them.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class StaleLargeObjectTests(WaitMode mode) : DatabaseTest(mode)
{
    private static readonly byte[] _secret = "SECRET"u8.ToArray();

    private PgLargeObjectManager Manager => new(Connection);

    [Test]
    public async Task A_stream_ends_with_its_transaction(
        [Values("commit", "rollback", "dispose", "COMMIT; BEGIN", "ROLLBACK; BEGIN", "COMMIT AND CHAIN", "END; START TRANSACTION", "reopen")] string end,
        [Values] bool opensAnother)
    {
        var oid = await Create();
        await using var transaction = Connection.BeginTransaction();
        var stale = await OpenReadWrite(oid);
        await EndAndBegin(transaction, end);
        await Execute("CREATE TEMP TABLE item (id int)");
        var current = opensAnother ? await OpenReadWrite(await Create()) : null;
        if (current is not null)
            await Write(current, _secret);

        Assert.That((stale.CanRead, stale.CanWrite, stale.CanSeek), Is.EqualTo((false, false, false)));
        await AssertDead(stale);
        await Mode.Dispose(stale);
        await Catch<ObjectDisposedException>(() => Read(stale));

        if (current is not null)
        {
            await Mode.Run(() => current.Seek(0, SeekOrigin.Begin), () => current.SeekAsync(0, SeekOrigin.Begin));
            Assert.That(await Read(current), Is.EqualTo(_secret));
            await Mode.Dispose(current);
        }
        await Execute("COMMIT");
        Assert.That(await Scalar<long>("SELECT count(*) FROM item"), Is.Zero);
    }

    [Test]
    public async Task A_stream_does_not_follow_its_session_to_another_renter()
    {
        await using var source = PgDataSource.Create(Connection.ConnectionString + ";Maximum Pool Size=1");
        var first = await Open(source);
        var transaction = first.BeginTransaction();
        var stale = await Mode.Run(() => OpenOn(first), () => OpenOnAsync(first));
        var process = first.ProcessID;
        await Mode.Close(first);
        await using var second = await Open(source);
        Assert.That(second.ProcessID, Is.EqualTo(process));
        await using var other = second.BeginTransaction();
        await using var current = await Mode.Run(() => OpenOn(second), () => OpenOnAsync(second));
        await Write(current, _secret);

        await AssertDead(stale);
        await Mode.Dispose(stale);
        await Mode.Dispose(transaction);
        await Mode.Dispose(first);

        await Write(current, _secret);
        await Mode.Commit(other);
    }

    [Test]
    public async Task A_stream_that_a_savepoint_has_closed_is_closed_without_harm([Values] bool opensAnother)
    {
        await using var transaction = Connection.BeginTransaction();
        var (first, second) = (await Create(), await Create());
        await Mode.Run(() => transaction.Save("before"), () => transaction.SaveAsync("before"));
        var stale = await OpenReadWrite(first);
        await Mode.Run(() => transaction.Rollback("before"), () => transaction.RollbackAsync("before"));
        var current = opensAnother ? await OpenReadWrite(second) : null;
        if (current is not null)
        {
            await Write(current, _secret);
            await AssertDead(stale);
        }

        await Mode.Dispose(stale);

        if (current is not null)
            await Write(current, _secret);
        await Execute("CREATE TABLE stale_item (id int)");
        await Mode.Commit(transaction);
        await Execute("DROP TABLE stale_item");
    }

    [Test]
    public async Task A_stream_from_before_a_savepoint_outlives_the_return_to_it([Values("savepoint", "failure", "text")] string way)
    {
        await using var transaction = Connection.BeginTransaction();
        var stream = await OpenReadWrite(await Create());
        await Mode.Run(() => transaction.Save("behind"), () => transaction.SaveAsync("behind"));
        if (way == "failure")
            await Catch<PostgresException>(() => Execute("SELECT 1/0"));
        if (way == "text")
            await Execute("ROLLBACK TO behind; SELECT 1");
        else
            await Mode.Run(() => transaction.Rollback("behind"), () => transaction.RollbackAsync("behind"));

        await Write(stream, _secret);
        await Mode.Run(() => stream.Seek(0, SeekOrigin.Begin), () => stream.SeekAsync(0, SeekOrigin.Begin));
        Assert.That(await Read(stream), Is.EqualTo(_secret));
        await Mode.Dispose(stream);
        await Mode.Commit(transaction);
    }

    [Test]
    public async Task A_stream_ends_with_a_prepared_transaction()
    {
        await using var transaction = Connection.BeginTransaction();
        var stale = await OpenReadWrite(await Create());
        await Execute("PREPARE TRANSACTION 'stale'; BEGIN; CREATE TEMP TABLE item (id int)");

        await AssertDead(stale);
        await Mode.Dispose(stale);

        await Execute("COMMIT; ROLLBACK PREPARED 'stale'");
        Assert.That(await Scalar<long>("SELECT count(*) FROM item"), Is.Zero);
    }

    private async Task EndAndBegin(PgTransaction transaction, string end)
    {
        switch (end)
        {
            case "commit":
                await Mode.Commit(transaction);
                break;
            case "rollback":
                await Mode.Rollback(transaction);
                break;
            case "dispose":
                await Mode.Dispose(transaction);
                break;
            case "reopen":
                await Mode.Close(Connection);
                await Mode.Open(Connection);
                break;
            default:
                await Execute(end);
                return;
        }
        await Execute("BEGIN");
    }

    private async Task AssertDead(PgLargeObjectStream stream)
    {
        var error = await Catch<InvalidOperationException>(() => Read(stream));
        Assert.That(error.Message, Does.Contain("transaction"));
        await Catch<InvalidOperationException>(() => Write(stream, _secret));
        await Catch<InvalidOperationException>(() => Mode.Run(() => stream.Seek(0, SeekOrigin.Begin), () => stream.SeekAsync(0, SeekOrigin.Begin)));
        await Catch<InvalidOperationException>(() => Mode.Run(() => stream.Length, () => stream.GetLengthAsync()));
        await Catch<InvalidOperationException>(() => Mode.Run(() => stream.SetLength(1), () => stream.SetLength(1, CancellationToken.None)));
        Assert.That(() => stream.Position, Throws.InstanceOf<InvalidOperationException>());
    }

    private async Task<PgConnection> Open(PgDataSource source)
    {
        var connection = source.CreateConnection();
        await Mode.Open(connection);
        return connection;
    }

    private static PgLargeObjectStream OpenOn(PgConnection connection)
    {
        var manager = new PgLargeObjectManager(connection);
        return manager.OpenReadWrite(manager.Create());
    }

    private static async Task<PgLargeObjectStream> OpenOnAsync(PgConnection connection)
    {
        var manager = new PgLargeObjectManager(connection);
        return await manager.OpenReadWriteAsync(await manager.CreateAsync(0));
    }

    private Task<uint> Create() => Mode.Run(() => Manager.Create(), () => Manager.CreateAsync(0));

    private Task<PgLargeObjectStream> OpenReadWrite(uint oid) =>
        Mode.Run(() => Manager.OpenReadWrite(oid), () => Manager.OpenReadWriteAsync(oid));

    private async Task<byte[]> Read(PgLargeObjectStream stream)
    {
        var buffer = new byte[100];
        return buffer[..await Mode.Run(() => stream.Read(buffer), async () => await stream.ReadAsync(buffer))];
    }

    private Task Write(PgLargeObjectStream stream, byte[] bytes) =>
        Mode.Run(() => stream.Write(bytes), async () => await stream.WriteAsync(bytes));
}
