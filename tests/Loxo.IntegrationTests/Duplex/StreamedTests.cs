using System.Data;
using Loxo.IntegrationTests.Chaos;
using Loxo.IntegrationTests.Parameters;

namespace Loxo.IntegrationTests.Duplex;

/// <summary>Streams in both directions over links that are slow, stall or break.</summary>
[TestFixture(WaitMode.Blocking, false), TestFixture(WaitMode.Async, false)]
[TestFixture(WaitMode.Blocking, true), TestFixture(WaitMode.Async, true)]
[Category("OneServer")]
public class StreamedTests(WaitMode mode, bool tls) : ChaosTest(mode)
{
    private const int Megabyte = 1024 * 1024;

    private protected override string Direct => tls ? TestServer.Tls.ConnectionString + ";SSL Mode=Require" : TestServer.Default.ConnectionString;

    private string Ssl => tls ? "SSL Mode=Require;" : "";

    [Test]
    public async Task A_peer_that_takes_a_few_bytes_at_a_time_gets_a_stream_and_gives_one()
    {
        var (connection, link) = await Open(Ssl);
        link.ToServer.Chunk = 701;
        link.ToClient.Chunk = 1009;
        await using var command = new PgCommand("SELECT $1::bytea, md5($1)", connection);
        command.Parameters.Add(new PgParameter { Value = new PatternStream(2 * Megabyte, canSeek: true, Mode) });

        await Start(async () =>
        {
            var reader = await Mode.ExecuteReader(command, CommandBehavior.SequentialAccess);
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(await Count(reader.GetStream(0)), Is.EqualTo(2 * Megabyte));
            Assert.That(reader.GetString(1), Is.EqualTo(PatternStream.HashOf(2 * Megabyte)));
            await Mode.Close(reader);
        });
        await AssertUsable(connection);
    }

    [Test]
    public async Task A_stream_that_cannot_be_sent_is_given_up_when_its_time_is_over()
    {
        var (connection, link) = await Open(Ssl + "Cancellation Timeout=200");
        Proxy.Plan = cancel => cancel.ToServer.GateAfterBytes(0);
        link.ToServer.GateAfterBytes(100_000);
        await using var command = new PgCommand("SELECT length($1)", connection) { CommandTimeout = 1 };
        command.Parameters.Add(new PgParameter { Value = new PatternStream(50 * Megabyte, canSeek: false, Mode) });

        var error = await Error<PgException>(Start(() => Mode.ExecuteScalar(command)));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
        Assert.That(Directory.GetFiles(Path.GetTempPath(), $"loxo-spool-{Environment.ProcessId}-*"), Is.Empty);
        await AssertClosedButReusable(connection);
    }

    [Test]
    public async Task A_connection_that_ends_while_a_stream_is_sent_is_reported([Values] bool reset)
    {
        var (connection, link) = await Open(Ssl);
        var gate = link.ToServer.GateAfterBytes(1_000_000);
        await using var command = new PgCommand("SELECT length($1)", connection);
        var stream = new PatternStream(50 * Megabyte, canSeek: true, Mode);
        command.Parameters.Add(new PgParameter { Value = stream });

        var executing = Start(() => Mode.ExecuteScalar(command));
        await Finish(gate.Reached);
        End(link, reset);

        var error = await Error<PgException>(executing);
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed));
        // A link that is merely shut goes on taking what nobody reads.
        if (reset)
            Assert.That(stream.Position, Is.LessThan(50 * Megabyte), "nobody is there to read the rest for");
        await AssertClosedButReusable(connection);
    }

    [Test]
    public async Task A_connection_that_ends_in_the_middle_of_a_value_is_reported_to_who_reads_it([Values] bool reset)
    {
        var (connection, link) = await Open(Ssl);
        var gate = link.ToClient.GateAfterBytes(1_000_000);
        await using var command = new PgCommand("SELECT repeat('x', 50000000)", connection);

        var reading = Start(async () =>
        {
            var reader = await Mode.ExecuteReader(command, CommandBehavior.SequentialAccess);
            Assert.That(await Mode.Read(reader), Is.True);
            return await Count(reader.GetStream(0));
        });
        await Finish(gate.Reached);
        End(link, reset);

        var error = await Error<PgException>(reading);
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed));
        await AssertClosedButReusable(connection);
    }

    private static void End(ChaosLink link, bool reset)
    {
        if (reset)
            link.Reset();
        else
            link.Cut();
    }

    private async Task<long> Count(Stream stream)
    {
        var part = new byte[30_000];
        var total = 0L;
        while (await Mode.Run(() => stream.Read(part), () => stream.ReadAsync(part).AsTask()) is > 0 and var count)
            total += count;
        return total;
    }
}
