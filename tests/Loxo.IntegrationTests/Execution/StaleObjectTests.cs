namespace Loxo.IntegrationTests.Execution;

/// <summary>An object that its user has done with must never act on what somebody else does now (hazard M7).</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class StaleObjectTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task Closing_a_stale_reader_does_not_close_the_reader_of_another_command()
    {
        await using var first = Command("SELECT 1");
        await using var second = Command("SELECT i FROM generate_series(1, 3) i");
        var stale = await Mode.ExecuteReader(first);
        await Mode.Close(stale);
        var reader = await Mode.ExecuteReader(second);
        Assert.That(await Mode.Read(reader), Is.True);

        await Mode.Close(stale);
        await Mode.Dispose(stale);
        await Catch<InvalidOperationException>(() => Mode.Read(stale));

        Assert.That(reader.GetInt32(0), Is.EqualTo(1));
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(2));
        await Mode.Close(reader);
    }

    [Test]
    public async Task Closing_a_stale_reader_does_not_close_the_next_reader_of_its_own_command()
    {
        await using var command = Command("SELECT i FROM generate_series(1, 3) i");
        var stale = await Mode.ExecuteReader(command);
        await Mode.Close(stale);
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);

        await Mode.Close(stale);
        await Mode.Dispose(stale);
        Assert.That(stale.IsClosed, Is.True);
        await Catch<InvalidOperationException>(() => Mode.Read(stale));
        await Catch<InvalidOperationException>(() => Mode.NextResult(stale));
        Assert.That(() => stale.GetInt32(0), Throws.InstanceOf<ObjectDisposedException>());

        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(2));
        await Mode.Close(reader);
    }

    [Test]
    public async Task A_reader_that_is_at_its_end_but_not_closed_does_not_touch_the_next_command()
    {
        await using var first = Command("SELECT 1");
        await using var second = Command("SELECT i FROM generate_series(1, 3) i");
        var stale = await Mode.ExecuteReader(first);
        while (await Mode.NextResult(stale))
        {
        }
        var reader = await Mode.ExecuteReader(second);

        Assert.That(await Mode.Read(stale), Is.False);
        Assert.That(await Mode.NextResult(stale), Is.False);
        await Mode.Close(stale);

        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(1));
        await Mode.Close(reader);
    }

    [Test]
    public async Task A_reader_kept_past_its_end_stays_at_its_end_when_its_command_runs_again()
    {
        await using var command = Command("SELECT i FROM generate_series(1, 3) i");
        var stale = await Mode.ExecuteReader(command);
        while (await Mode.Read(stale))
        {
        }
        Assert.That(await Mode.NextResult(stale), Is.False);
        var reader = await Mode.ExecuteReader(command);

        Assert.That(reader, Is.Not.SameAs(stale));
        Assert.That(await Mode.Read(stale), Is.False);
        Assert.That(await Mode.Read(reader), Is.True);
        await Mode.Close(stale);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(2));
        await Mode.Close(reader);
    }

    [Test]
    public async Task A_reader_of_a_closed_connection_does_not_touch_the_connection_opened_again()
    {
        await using var command = Command("SELECT i FROM generate_series(1, 100000) i");
        var stale = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(stale), Is.True);
        await Mode.Close(Connection);
        await Mode.Open(Connection);
        await using var second = Command("SELECT 1");
        var reader = await Mode.ExecuteReader(second);

        await Mode.Close(stale);
        await Mode.Dispose(stale);

        Assert.That(await Mode.Read(reader), Is.True);
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task Cancelling_a_finished_command_does_not_cancel_the_next_one()
    {
        await using var finished = Command("SELECT 1");
        await Mode.ExecuteScalar(finished);
        await using var next = Command("SELECT i FROM generate_series(1, 100000) i");
        var reader = await Mode.ExecuteReader(next);

        finished.Cancel();

        var rows = 0;
        while (await Mode.Read(reader))
            rows++;
        await Mode.Close(reader);
        Assert.That(rows, Is.EqualTo(100_000));
    }

    [Test]
    public async Task A_finished_transaction_does_not_end_the_next_one()
    {
        await Execute("CREATE TEMP TABLE item (id int)");
        var stale = Connection.BeginTransaction();
        await Execute("INSERT INTO item VALUES (1)");
        await Mode.Commit(stale);
        var current = Connection.BeginTransaction();
        await Execute("INSERT INTO item VALUES (2)");

        await Mode.Dispose(stale);
        await Catch<InvalidOperationException>(() => Mode.Rollback(stale));
        await Catch<InvalidOperationException>(() => Mode.Commit(stale));

        await Mode.Commit(current);
        Assert.That(await Scalar<long>("SELECT count(*) FROM item"), Is.EqualTo(2));
    }

    [Test]
    public async Task A_transaction_of_a_closed_connection_does_not_touch_the_connection_opened_again()
    {
        var stale = Connection.BeginTransaction();
        await Execute("SELECT 1");
        await Mode.Close(Connection);
        await Mode.Open(Connection);
        var current = Connection.BeginTransaction();
        await Execute("CREATE TEMP TABLE item (id int)");

        await Catch<InvalidOperationException>(() => Mode.Commit(stale));
        await Mode.Dispose(stale);

        await Mode.Commit(current);
        Assert.That(await Scalar<long>("SELECT count(*) FROM item"), Is.Zero);
    }

    [Test]
    public async Task A_disposed_command_does_not_close_the_reader_of_another()
    {
        var first = Command("SELECT 1");
        await Mode.ExecuteScalar(first);
        await using var second = Command("SELECT 2");
        var reader = await Mode.ExecuteReader(second);

        await Mode.Dispose(first);

        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(2));
        await Mode.Close(reader);
    }

    [Test]
    public async Task A_disposed_connection_refuses_to_be_used()
    {
        var connection = await OpenAnother();
        await using var command = new PgCommand("SELECT 1", connection);
        await Mode.Dispose(connection);

        await Catch<ObjectDisposedException>(() => Mode.Open(connection));
        await Catch<ObjectDisposedException>(() => Mode.ExecuteScalar(command));
        await Mode.Dispose(connection);
    }
}
