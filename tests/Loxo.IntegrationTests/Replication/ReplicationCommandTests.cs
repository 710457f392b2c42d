
namespace Loxo.IntegrationTests.Replication;

/// <summary>The commands of a replication connection say what the server says by ordinary queries.</summary>
public class ReplicationCommandTests : ReplicationTest
{
    [Test]
    public async Task The_server_is_identified_as_its_own_functions_say()
    {
        var connection = await OpenLogical();

        var system = await connection.IdentifySystem(Limit);

        Assert.That(system.SystemId, Is.EqualTo(await Scalar<string>("SELECT system_identifier::text FROM pg_control_system()")));
        Assert.That(system.Timeline, Is.EqualTo((uint)await Scalar<int>("SELECT timeline_id FROM pg_control_checkpoint()")));
        Assert.That(system.XLogPos, Is.LessThanOrEqualTo(await Scalar<PgLogSequenceNumber>("SELECT pg_current_wal_insert_lsn()")));
        Assert.That(system.DbName, Is.EqualTo(Database));
    }

    [Test]
    public async Task A_physical_connection_has_no_database()
    {
        var connection = await OpenPhysical();
        Assert.That((await connection.IdentifySystem(Limit)).DbName, Is.Null);
        Assert.That(connection.PostgreSqlVersion.Major, Is.EqualTo(TestServer.Version));
        Assert.That(await Scalar<bool>($"SELECT backend_type = 'walsender' FROM pg_stat_activity WHERE pid = {connection.ProcessID}"), Is.True);
    }

    [TestCase("wal_level", "logical")]
    [TestCase("WAL_LEVEL", "logical")]
    [TestCase("server_encoding", "UTF8")]
    public async Task A_parameter_is_shown(string name, string expected)
    {
        var connection = await OpenLogical();
        Assert.That(await connection.Show(name, Limit), Is.EqualTo(expected));
    }

    [Test]
    public async Task A_parameter_that_does_not_exist_is_an_error_and_the_connection_stays_usable()
    {
        var connection = await OpenLogical();

        var error = await Catch<PostgresException>(() => connection.Show("no such.parameter", Limit));

        Assert.That(error.SqlState, Is.EqualTo(PostgresErrorCodes.UndefinedObject));
        Assert.That(await connection.Show("wal_level", Limit), Is.EqualTo("logical"));
    }

    [Test]
    public async Task The_first_timeline_has_no_history()
    {
        var connection = await OpenLogical();
        await Catch<PostgresException>(() => connection.TimelineHistory(1, Limit));
        Assert.That(await connection.Show("wal_level", Limit), Is.EqualTo("logical"));
    }

    [Test]
    public async Task A_logical_slot_is_made_and_dropped([Values] bool temporary, [Values] bool twoPhase)
    {
        var connection = await OpenLogical();
        var name = NewSlot();

        var slot = await connection.CreatePgOutputReplicationSlot(name, temporary, LogicalSlotSnapshotInitMode.NoExport, twoPhase, Limit);

        Assert.That((slot.Name, slot.OutputPlugin, slot.SnapshotName), Is.EqualTo((name, "pgoutput", (string?)null)));
        Assert.That(slot.ConsistentPoint, Is.EqualTo(await Scalar<PgLogSequenceNumber>(
            $"SELECT confirmed_flush_lsn FROM pg_replication_slots WHERE slot_name = '{name}' AND plugin = 'pgoutput' AND temporary = {temporary} AND two_phase = {twoPhase}")));
        await connection.DropReplicationSlot(name, wait: true, Limit);
        Assert.That(await Scalar<long>($"SELECT count(*) FROM pg_replication_slots WHERE slot_name = '{name}'"), Is.Zero);
    }

    [Test]
    public async Task The_snapshot_of_a_slot_shows_the_database_before_its_first_change()
    {
        await Execute("CREATE TABLE t (id int); INSERT INTO t VALUES (1)");
        var connection = await OpenLogical();
        var slot = await connection.CreateTestDecodingReplicationSlot(NewSlot(), slotSnapshotInitMode: LogicalSlotSnapshotInitMode.Export, cancellationToken: Limit);
        await Execute("INSERT INTO t VALUES (2)");
        await using var reading = await Source.OpenConnectionAsync();
        await using var transaction = await reading.BeginTransactionAsync(System.Data.IsolationLevel.RepeatableRead);
        await using (var command = new PgCommand($"SET TRANSACTION SNAPSHOT '{slot.SnapshotName}'", reading))
            await command.ExecuteNonQueryAsync();
        await using var count = new PgCommand("SELECT count(*) FROM t", reading);
        Assert.That(await count.ExecuteScalarAsync(), Is.EqualTo(1L));
    }

    [Test]
    public async Task A_physical_slot_is_read_as_the_server_has_it([Values] bool reserves)
    {
        var connection = await OpenPhysical();
        var name = NewSlot();
        Assert.That(await connection.ReadReplicationSlot(name, Limit), Is.Null);

        await connection.CreateReplicationSlot(name, isTemporary: false, reserves, Limit);
        var slot = await connection.ReadReplicationSlot(name, Limit);

        Assert.That(slot!.RestartLsn, reserves
            ? Is.EqualTo(await Scalar<PgLogSequenceNumber>($"SELECT restart_lsn FROM pg_replication_slots WHERE slot_name = '{name}'"))
            : Is.Null);
        Assert.That(slot.RestartTimeline, reserves ? Is.EqualTo(1u) : Is.Null);
        if (!reserves)
            Assert.Throws<ArgumentException>(() => connection.StartReplication(slot, Limit));
    }

    [Test]
    public async Task A_name_that_is_no_slot_is_refused_and_the_connection_stays_usable()
    {
        var connection = await OpenLogical();
        var error = await Catch<PostgresException>(() => connection.CreatePgOutputReplicationSlot("Not a slot", cancellationToken: Limit));
        Assert.That(error.SqlState, Is.EqualTo(PostgresErrorCodes.InvalidName));
        await Catch<PostgresException>(() => connection.DropReplicationSlot("none", cancellationToken: Limit));
        Assert.That((await connection.IdentifySystem(Limit)).DbName, Is.EqualTo(Database));
    }

    [Test]
    public async Task A_connection_is_opened_once_and_not_used_before_or_after()
    {
        var connection = new LogicalReplicationConnection(ConnectionString);
        await Catch<InvalidOperationException>(() => connection.IdentifySystem(Limit));
        await connection.Open(Limit);
        await Catch<InvalidOperationException>(() => connection.Open(Limit));
        await Catch<InvalidOperationException>(() => connection.SendStatusUpdate(Limit));
        Assert.Throws<InvalidOperationException>(() => connection.ConnectionString = "Host=other");
        await connection.DisposeAsync();
        await connection.DisposeAsync();
        await Catch<ObjectDisposedException>(() => connection.IdentifySystem(Limit));
        await Catch<ObjectDisposedException>(() => connection.Open(Limit));
        await Catch<InvalidOperationException>(() => new LogicalReplicationConnection().Open(Limit));
    }

    [Test]
    public async Task A_command_that_waits_for_a_slot_in_use_ends_with_its_time_or_token()
    {
        await Execute("CREATE PUBLICATION p FOR ALL TABLES");
        var (reader, waiter) = (await OpenLogical(), await OpenLogical());
        var slot = await reader.CreatePgOutputReplicationSlot(NewSlot(), cancellationToken: Limit);
        await using var stream = reader.StartReplication(slot, new PgOutputReplicationOptions("p", PgOutputProtocolVersion.V1), Limit).GetAsyncEnumerator();
        await Execute("SELECT pg_logical_emit_message(true, 'a', 'b'); CREATE TABLE t (id int primary key); INSERT INTO t VALUES (1)");
        await Next(stream);

        waiter.CommandTimeout = TimeSpan.FromMilliseconds(300);
        var late = await Catch<PgException>(() => waiter.DropReplicationSlot(slot.Name, wait: true, Limit));
        Assert.That(late.Code, Is.EqualTo(PgErrorCode.Timeout));
        waiter.CommandTimeout = Timeout.InfiniteTimeSpan;
        using var soon = new CancellationTokenSource(300);
        var cancelled = await Catch<OperationCanceledException>(() => waiter.DropReplicationSlot(slot.Name, wait: true, soon.Token));
        Assert.That(cancelled.CancellationToken, Is.EqualTo(soon.Token));
        Assert.That(await waiter.Show("wal_level", Limit), Is.EqualTo("logical"));
    }
}
