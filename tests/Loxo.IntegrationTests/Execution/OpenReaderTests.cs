using System.Data;

namespace Loxo.IntegrationTests.Execution;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class OpenReaderTests(WaitMode mode) : DatabaseTest(mode)
{
    // A session of its own: on another the texts may have been prepared before.
    protected override string ConnectionString => base.ConnectionString + ";Pooling=false";

    [Test]
    public async Task A_command_that_has_lost_its_connection_can_be_changed([Values] bool isScalar, [Values] bool closesConnection)
    {
        await using var lost = new PgConnection(TestServer.Default.ConnectionString + ";Pooling=false");
        await Mode.Open(lost);
        await using var other = await OpenAnother();
        await using var command = new PgCommand("SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(60)", lost);
        var behavior = closesConnection ? CommandBehavior.CloseConnection : CommandBehavior.Default;
        await Catch<PgException>(() => isScalar ? Mode.ExecuteScalar(command) : Mode.ExecuteReader(command, behavior));

        command.CommandText = "SELECT 42";
        command.Connection = other;

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(42));
        Assert.That(lost.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_command_is_refused_while_a_reader_is_open_and_the_reader_goes_on()
    {
        await using var command = Command("SELECT i FROM generate_series(1, 3) i");
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);

        var error = await Catch<PgOperationInProgressException>(() => Execute("SELECT 1"));

        Assert.That(error.Message, Does.Contain("reader").And.Contain(command.CommandText));
        Assert.That(error.CommandInProgress, Is.SameAs(command));
        Assert.That(reader.GetInt32(0), Is.EqualTo(1));
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(2));
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task The_same_command_is_refused_while_its_reader_is_open()
    {
        await using var command = Command("SELECT i FROM generate_series(1, 3) i");
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);

        await Catch<PgOperationInProgressException>(() => Mode.ExecuteReader(command));
        await Catch<PgOperationInProgressException>(() => Mode.ExecuteNonQuery(command));
        await Catch<PgOperationInProgressException>(() => Mode.Prepare(command));

        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(2));
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task The_command_that_another_thread_waits_for_is_named()
    {
        await using var command = Command("SELECT pg_sleep(60)");
        var running = Task.Run(() => Mode.ExecuteNonQuery(command));
        await using var other = await OpenAnother();
        await using var sleeps = new PgCommand("SELECT true FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'", other);
        sleeps.Parameters.AddWithValue(Connection.ProcessID);
        while (await Mode.ExecuteScalar(sleeps) is null)
            await Task.Yield();

        var error = await Catch<PgOperationInProgressException>(() => Execute("SELECT 1"));

        command.Cancel();
        await Catch<OperationCanceledException>(() => running);

        Assert.That(error.CommandInProgress, Is.SameAs(command));
        Assert.That(error.Message, Does.Contain(command.CommandText));
        await AssertUsable();
    }

    [Test]
    public async Task What_is_no_command_has_no_name()
    {
        await using var batch = new PgBatch(Connection) { BatchCommands = { new PgBatchCommand("SELECT generate_series(1, 3)") } };
        await using var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());

        var error = await Catch<PgOperationInProgressException>(() => Execute("SELECT 1"));

        Assert.That(error.CommandInProgress, Is.Null);
        Assert.That(error.Message, Does.Contain("reader"));
    }

    [Test]
    public async Task A_reader_may_be_closed_before_its_rows_were_read()
    {
        await using var command = Command("SELECT i, repeat('x', 1000) FROM generate_series(1, 10000) i");
        for (var rows = 0; rows < 3; rows++)
        {
            var reader = await Mode.ExecuteReader(command);
            for (var i = 0; i < rows; i++)
                Assert.That(await Mode.Read(reader), Is.True);
            await Mode.Dispose(reader);
        }
        await AssertUsable();
    }

    [Test]
    public async Task A_reader_read_to_its_end_leaves_the_connection_free()
    {
        await using var command = Command("SELECT 1");
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(await Mode.Read(reader), Is.False);
        Assert.That(await Mode.NextResult(reader), Is.False);

        await AssertUsable();

        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task FullState_tells_that_rows_are_being_fetched()
    {
        Assert.That(Connection.FullState, Is.EqualTo(ConnectionState.Open));
        await using var command = Command("SELECT 1");
        var reader = await Mode.ExecuteReader(command);

        Assert.That(Connection.FullState, Is.EqualTo(ConnectionState.Open | ConnectionState.Fetching));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Open));

        await Mode.Close(reader);
        Assert.That(Connection.FullState, Is.EqualTo(ConnectionState.Open));
    }

    [Test]
    public async Task A_closed_reader_refuses_everything_by_name()
    {
        await using var command = Command("SELECT 1");
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        await Mode.Close(reader);

        Assert.That(reader.IsClosed, Is.True);
        foreach (var call in new Action[]
            { () => reader.GetInt32(0), () => reader.GetValue(0), () => reader.IsDBNull(0), () => reader.GetName(0), () => reader.GetOrdinal("x"),
              () => _ = reader.FieldCount, () => _ = reader.HasRows, () => reader.GetFieldType(0) })
            Assert.That(Assert.Throws<InvalidOperationException>(() => call())!.Message, Does.Contain("closed"));
        await Catch<InvalidOperationException>(() => Mode.Read(reader));
        await Catch<InvalidOperationException>(() => Mode.NextResult(reader));
    }

    [Test]
    public async Task Values_are_refused_before_the_first_row_and_after_the_last()
    {
        await using var command = Command("SELECT 1");
        var reader = await Mode.ExecuteReader(command);

        Assert.That(Assert.Throws<InvalidOperationException>(() => reader.GetInt32(0))!.Message, Does.Contain("Read"));
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(await Mode.Read(reader), Is.False);
        Assert.Throws<InvalidOperationException>(() => reader.GetInt32(0));
        Assert.Throws<InvalidOperationException>(() => reader.GetValue(0));
        await Mode.Close(reader);
    }

    [Test]
    public async Task Closing_the_connection_closes_its_reader()
    {
        await using var command = Command("SELECT i FROM generate_series(1, 100000) i");
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);

        await Mode.Close(Connection);

        Assert.That(reader.IsClosed, Is.True);
        Assert.Throws<InvalidOperationException>(() => reader.GetInt32(0));
        await Catch<InvalidOperationException>(() => Mode.Read(reader));
        await Mode.Close(reader);
        await Mode.Open(Connection);
        await AssertUsable();
    }

    [Test]
    public async Task A_transaction_is_refused_while_a_reader_is_open()
    {
        await using var command = Command("SELECT 1");
        var reader = await Mode.ExecuteReader(command);

        Assert.Throws<PgOperationInProgressException>(() => Connection.BeginTransaction());

        await Mode.Close(reader);
        await AssertUsable();
    }
}
