using Loxo.IntegrationTests.Chaos;

namespace Loxo.IntegrationTests.Duplex;

/// <summary>
/// Both sides have more to send than any buffer between them holds: whoever only writes until he has written everything waits for ever
/// for a server that does the same.
/// </summary>
[TestFixture(WaitMode.Blocking, false), TestFixture(WaitMode.Async, false)]
[TestFixture(WaitMode.Blocking, true), TestFixture(WaitMode.Async, true)]
[Category("OneServer")]
public class DuplexTests(WaitMode mode, bool tls) : ChaosTest(mode)
{
    private const int Megabyte = 1024 * 1024;
    private const string SmallBuffers = "Socket Receive Buffer Size=65536;Socket Send Buffer Size=65536";

    private const string Flood = "DO $$ BEGIN FOR i IN 1..20000 LOOP RAISE NOTICE '%', repeat('n', 200); END LOOP; END $$";

    private protected override string Direct => (tls ? TestServer.Tls.ConnectionString + ";SSL Mode=Require" : TestServer.Default.ConnectionString)
        + ";" + SmallBuffers;

    [Test]
    public async Task A_large_result_and_a_large_parameter_in_one_batch_do_not_wait_for_each_other()
    {
        await using var connection = await OpenDirect();
        var parameter = new byte[50 * Megabyte];
        new Random(1).NextBytes(parameter);
        await using var batch = Batch(connection, megabytes: 100, parameter);

        var received = await Start(() => ReadBoth(batch, parameter));

        Assert.That(received, Is.EqualTo(100L * Megabyte));
        await AssertUsable(connection);
    }

    [Test]
    public async Task A_flood_of_notices_does_not_block_a_large_parameter()
    {
        await using var connection = await OpenDirect();
        var notices = 0;
        connection.Notice += (_, e) => notices += e.Notice.MessageText.Length == 200 ? 1 : 0;
        await using var batch = connection.CreateBatch();
        batch.BatchCommands.Add(new PgBatchCommand(Flood));
        var large = new PgBatchCommand("SELECT length($1)");
        large.Parameters.Add(new PgParameter(null, new byte[50 * Megabyte]));
        batch.BatchCommands.Add(large);

        var length = await Start(() => Mode.Run(batch.ExecuteScalar, () => batch.ExecuteScalarAsync()));

        Assert.That(length, Is.EqualTo(50 * Megabyte));
        Assert.That(notices, Is.EqualTo(20_000));
        await AssertUsable(connection);
    }

    [Test]
    public async Task Many_statements_with_results_and_parameters_do_not_wait_for_each_other()
    {
        await using var connection = await OpenDirect();
        await using var batch = connection.CreateBatch();
        for (var i = 0; i < 200; i++)
        {
            var command = new PgBatchCommand("SELECT $1::text || repeat('y', 100000)");
            command.Parameters.Add(new PgParameter(null, new string((char)('a' + i % 26), 100_000)));
            batch.BatchCommands.Add(command);
        }

        await Start(async () =>
        {
            await using var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
            for (var i = 0; i < 200; i++)
            {
                Assert.That(await Mode.Read(reader), Is.True);
                Assert.That(reader.GetString(0), Is.EqualTo(new string((char)('a' + i % 26), 100_000) + new string('y', 100_000)));
                Assert.That(await Mode.NextResult(reader), Is.EqualTo(i < 199));
            }
        });

        await AssertUsable(connection);
    }

    [Test]
    public async Task Large_results_and_large_parameters_in_one_pipeline_do_not_wait_for_each_other([Values] bool inOrder)
    {
        const int Commands = 20;
        await using var connection = await OpenDirect();

        await Start(async () =>
        {
            await using var pipeline = connection.CreatePipeline();
            var results = new List<(PgPipelineResult<PgDataReader> Rows, PgPipelineResult<int> Length)>();
            for (var i = 0; i < Commands; i++)
            {
                var rows = pipeline.AddReader(new PgCommand($"SELECT repeat('x', {Megabyte}) FROM generate_series(1, 3)"));
                results.Add((rows, pipeline.AddScalar<int>(With("SELECT length($1) + 0", new byte[2 * Megabyte]))));
            }
            if (!inOrder)
                Assert.That(await Result(results[^1].Length), Is.EqualTo(2 * Megabyte));
            foreach (var (rows, length) in results)
            {
                var reader = await Result(rows);
                var received = 0L;
                while (await Mode.Read(reader))
                    received += reader.GetString(0).Length;
                await Mode.Close(reader);
                Assert.That(received, Is.EqualTo(3L * Megabyte));
                Assert.That(await Result(length), Is.EqualTo(2 * Megabyte));
            }
        });

        await AssertUsable(connection);
    }

    [Test]
    public async Task A_flood_of_notices_does_not_block_a_pipeline()
    {
        await using var connection = await OpenDirect();
        var notices = 0;
        connection.Notice += (_, e) => notices += e.Notice.MessageText.Length == 200 ? 1 : 0;

        await Start(async () =>
        {
            await using var pipeline = connection.CreatePipeline();
            var floods = new List<PgPipelineResult<int>>();
            var lengths = new List<PgPipelineResult<int>>();
            for (var i = 0; i < 3; i++)
            {
                floods.Add(pipeline.AddNonQuery(Flood));
                lengths.Add(pipeline.AddScalar<int>(With("SELECT length($1)", new byte[10 * Megabyte])));
            }
            foreach (var length in lengths)
                Assert.That(await Result(length), Is.EqualTo(10 * Megabyte));
            foreach (var flood in floods)
                await Result(flood);
        });

        Assert.That(notices, Is.EqualTo(60_000));
        await AssertUsable(connection);
    }

    [Test]
    public async Task A_peer_that_takes_a_few_bytes_at_a_time_delays_but_does_not_stop_a_batch()
    {
        var (connection, link) = await Open();
        link.ToServer.Chunk = 701;
        link.ToClient.Chunk = 1009;
        var parameter = new byte[2 * Megabyte];
        new Random(2).NextBytes(parameter);
        await using var batch = Batch(connection, megabytes: 2, parameter);

        Assert.That(await Start(() => ReadBoth(batch, parameter)), Is.EqualTo(2L * Megabyte));
        await AssertUsable(connection);
    }

    [Test]
    public async Task A_command_that_cannot_be_sent_is_given_up_when_its_time_is_over()
    {
        var (connection, link) = await Open("Cancellation Timeout=200");
        Proxy.Plan = cancel => cancel.ToServer.GateAfterBytes(0);
        link.ToServer.GateAfterBytes(100_000);
        await using var command = new PgCommand("SELECT length($1)", connection) { CommandTimeout = 1 };
        command.Parameters.Add(new PgParameter(null, new byte[50 * Megabyte]));

        var error = await Error<PgException>(Start(() => Mode.ExecuteScalar(command)));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
        await AssertClosedButReusable(connection);
    }

    [Test]
    public async Task A_connection_that_ends_while_a_command_is_being_sent_is_reported([Values] bool reset)
    {
        var (connection, link) = await Open();
        var gate = link.ToServer.GateAfterBytes(100_000);
        await using var command = new PgCommand("SELECT length($1)", connection);
        command.Parameters.Add(new PgParameter(null, new byte[50 * Megabyte]));

        var executing = Start(() => Mode.ExecuteScalar(command));
        await Finish(gate.Reached);
        if (reset)
            link.Reset();
        else
            link.Cut();

        var error = await Error<PgException>(executing);
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed));
        await AssertClosedButReusable(connection);
    }

    private Task<T> Result<T>(PgPipelineResult<T> result) => Mode.Run(result.GetResult, () => result.GetResultAsync());

    private static PgCommand With(string sql, byte[] value)
    {
        var command = new PgCommand(sql);
        command.Parameters.Add(new PgParameter(null, value));
        return command;
    }

    private async Task<PgConnection> OpenDirect()
    {
        var connection = new PgConnection(Direct);
        await Start(() => Mode.Open(connection));
        return connection;
    }

    private static PgBatch Batch(PgConnection connection, int megabytes, byte[] parameter)
    {
        var batch = connection.CreateBatch();
        batch.BatchCommands.Add(new PgBatchCommand($"SELECT repeat('x', {Megabyte}) FROM generate_series(1, {megabytes})"));
        var second = new PgBatchCommand("SELECT length($1), md5($1)");
        second.Parameters.Add(new PgParameter(null, parameter));
        batch.BatchCommands.Add(second);
        return batch;
    }

    private async Task<long> ReadBoth(PgBatch batch, byte[] parameter)
    {
        var received = 0L;
        var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
        while (await Mode.Read(reader))
            received += reader.GetString(0).Length;
        Assert.That(await Mode.NextResult(reader) && await Mode.Read(reader));
        Assert.That(reader.GetInt32(0), Is.EqualTo(parameter.Length));
        Assert.That(reader.GetString(1), Is.EqualTo(Convert.ToHexStringLower(System.Security.Cryptography.MD5.HashData(parameter))));
        await Mode.Close(reader);
        return received;
    }
}
