using System.Data;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>Rows that are read in pieces, from a server that does what no real one can be made to do.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PartialRowTests(WaitMode mode) : WireTest(mode)
{
    private const int Size = 100_000;
    private const int Int4 = 23;
    private const int TextType = 25;

    // Message header, count of columns, a column of 4 bytes, the length of the next.
    private const int Head = 5 + 2 + 8 + 4;

    private static readonly byte[] Long = [.. Enumerable.Repeat((byte)'x', Size)];

    [Test]
    public async Task A_row_may_be_split_at_any_byte_of_its_head()
    {
        for (var cut = 0; cut <= Head + 2; cut++)
        {
            var split = cut;
            Play(server =>
            {
                Begin(server);
                var row = new Answer().DataRow(Answer.Int32(7), Long, Answer.Int32(8)).Bytes;
                server.Write(row.AsSpan(0, split));
                server.Channel.AwaitClientWaiting();
                server.Write(row.AsSpan(split));
                server.Send.CommandComplete("SELECT 1").ReadyForQuery();
                server.AnswerCommand();
            });
            var reader = await OnRow();
            Assert.That(await Get<int>(reader, 0), Is.EqualTo(7), $"at {cut}");
            Assert.That((await ReadAll(await Get<Stream>(reader, 1))).AsSpan().SequenceEqual(Long), $"at {cut}");
            Assert.That(await Get<int>(reader, 2), Is.EqualTo(8), $"at {cut}");
            await Mode.Close(reader);
            await AssertUsable();
            StartOver();
        }
    }

    [Test]
    public async Task A_row_may_come_byte_by_byte()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Channel.OneByteAtATime = true;
            Describe(server).DataRow(Answer.Int32(7), Long, Answer.Int32(8)).DataRow(Answer.Int32(9), null, null).CommandComplete("SELECT 2").ReadyForQuery();
            server.AnswerCommand();
        });
        var reader = await OnRow();
        using (var text = await Get<TextReader>(reader, 1))
            Assert.That(await Mode.Run(text.ReadToEnd, text.ReadToEndAsync), Has.Length.EqualTo(Size));
        Assert.That(await Get<int>(reader, 2), Is.EqualTo(8));
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(await Get<int>(reader, 0), Is.EqualTo(9));
        Assert.That(reader.IsDBNull(1), Is.True);
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task A_connection_that_ends_in_the_middle_of_a_row_is_reported_by_whoever_reads([Values] bool reset, [Values] bool stream)
    {
        Play(server =>
        {
            BeginRow(server, 1000);
            if (reset)
                server.Reset();
            else
                server.End();
        });
        var reader = await OnRow();
        var error = stream
            ? await Catch<PgException>(async () => await ReadAll(await Get<Stream>(reader, 1)))
            : await Catch<PgException>(() => Get<string>(reader, 1));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
        await Mode.Close(reader);
    }

    [Test]
    public async Task A_server_that_stalls_in_the_middle_of_a_row_is_cancelled_and_then_given_up()
    {
        Play(server =>
        {
            BeginRow(server, 1000);
            server.LetTimePass(30.1);
            server.ExpectCancel().End();
            server.LetTimePassUntilShutdown();
        });
        var reader = await OnRow();
        var stream = await Get<Stream>(reader, 1);
        var error = await Catch<PgException>(() => ReadAll(stream));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
        await Mode.Close(reader);
    }

    [Test]
    public async Task A_stalled_row_that_goes_on_after_the_cancel_is_read_and_the_cancel_is_reported_behind_it()
    {
        Play(server =>
        {
            var row = BeginRow(server, 1000);
            server.LetTimePass(30.1);
            server.ExpectCancel().End();
            server.Write(row.AsSpan(1000));
            server.Send.ErrorResponse("57014", "canceling statement due to user request").ReadyForQuery();
            // The signal may come late: the next command is preceded by a Sync of its own.
            server.Expect<Sync>();
            server.Send.ReadyForQuery();
            server.AnswerCommand();
        });
        var reader = await OnRow();
        Assert.That(await ReadAll(await Get<Stream>(reader, 1)), Has.Length.EqualTo(Size));
        var error = await Catch<PgException>(() => Mode.Read(reader));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task A_token_stops_the_reading_of_a_stalled_row()
    {
        if (Mode == WaitMode.Blocking)
            Assert.Ignore("A token belongs to asynchronous calls.");
        using var cancellation = new CancellationTokenSource();
        Play(server =>
        {
            BeginRow(server, 1000);
            server.Channel.AwaitClientWaiting();
            cancellation.Cancel();
            server.ExpectCancel().End();
            server.LetTimePassUntilShutdown();
        });
        var reader = await OnRow();
        var stream = await reader.GetStreamAsync(1, cancellation.Token);
        await Catch<OperationCanceledException>(() => stream.CopyToAsync(Stream.Null, cancellation.Token));
        await Mode.Close(reader);
    }

    [TestCase(-2)]
    [TestCase(Size * 2)]
    public async Task A_column_longer_than_its_row_breaks_the_connection(int length)
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            Describe(server).Add('D', [.. Answer.Int16(3), .. Answer.Int32(length), .. Long]);
        });
        var reader = await OnRow();
        var error = await Catch<PgException>(() => Get<int>(reader, 0));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ProtocolViolation));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_row_that_ends_before_its_last_column_breaks_the_connection()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            Describe(server).Add('D', [.. Answer.Int16(3), .. Answer.Int32(Size), .. Long, 0, 0]);
        });
        var reader = await OnRow();
        var error = await Catch<PgException>(() => Get<int>(reader, 1));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ProtocolViolation));
    }

    [Test]
    public async Task A_row_with_another_count_of_columns_breaks_the_connection()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            Describe(server).DataRow(Long);
        });
        var error = await Catch<PgException>(OnRow);

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ProtocolViolation));
    }

    [Test]
    public async Task A_text_that_is_no_UTF_8_is_refused_where_it_is_read([Values] bool isLong)
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            byte[] text = [.. isLong ? Long : [], 0xff, (byte)'a'];
            Describe(server).DataRow(null, text, null).CommandComplete("SELECT 1").ReadyForQuery();
            server.AnswerCommand();
        });
        var reader = await OnRow();
        using var text = await Get<TextReader>(reader, 1);
        var error = await Catch<PgException>(() => Mode.Run(text.ReadToEnd, text.ReadToEndAsync));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConversionFailed));
        await Mode.Close(reader);
        await AssertUsable();
    }

    private static Answer Describe(ScriptedPeer server) =>
        server.Send.ParseComplete().BindComplete().RowDescription(("first", Int4), ("text", TextType), ("last", Int4));

    private static void Begin(ScriptedPeer server)
    {
        server.Login();
        server.ExpectCommand();
        Describe(server);
    }

    // The row's first bytes; the others are returned with them.
    private static byte[] BeginRow(ScriptedPeer server, int count)
    {
        Begin(server);
        var row = new Answer().DataRow(Answer.Int32(7), Long, Answer.Int32(8)).Bytes;
        server.Write(row.AsSpan(0, count));
        return row;
    }

    private async Task<PgDataReader> OnRow()
    {
        await Open();
        var reader = await Mode.ExecuteReader(Command(), CommandBehavior.SequentialAccess);
        Assert.That(await Mode.Read(reader), Is.True);
        return reader;
    }

    private Task<T> Get<T>(PgDataReader reader, int ordinal) => Mode.Run(() => reader.GetFieldValue<T>(ordinal), () => reader.GetFieldValueAsync<T>(ordinal));

    private async Task<byte[]> ReadAll(Stream stream)
    {
        using var copy = new MemoryStream();
        await Mode.Run(() => stream.CopyTo(copy), () => stream.CopyToAsync(copy));
        return copy.ToArray();
    }
}
