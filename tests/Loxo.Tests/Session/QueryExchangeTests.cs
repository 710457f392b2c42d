using System.Data;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class QueryExchangeTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public async Task A_query_is_one_flight_and_its_rows_are_read()
    {
        Play(server =>
        {
            server.Login();
            Assert.That(server.ExpectCommand(), Is.EqualTo("SELECT x"));
            server.Write(Answer.Select(1, 2, 3).Bytes);
            server.AnswerCommand();
            server.Expect<Terminate>();
        });
        await Open();
        Assert.That(await Rows("SELECT x"), Is.EqualTo(new[] { 1, 2, 3 }));
        await AssertUsable();
        Connection.Dispose();
    }

    [Test]
    public async Task An_answer_may_arrive_byte_by_byte()
    {
        Play(server =>
        {
            server.Channel.OneByteAtATime = true;
            server.Login();
            server.ExpectCommand();
            server.Write(Answer.Select(1, 2, 3).Bytes);
            server.AnswerCommand();
        });
        await Open();
        Assert.That(await Rows(), Is.EqualTo(new[] { 1, 2, 3 }));
        await AssertUsable();
    }

    [Test]
    public async Task An_answer_may_be_split_anywhere()
    {
        var answer = Answer.Select(1, 2, 3).Bytes;
        Play(server =>
        {
            server.Login();
            for (var split = 1; split < answer.Length; split++)
            {
                server.ExpectCommand();
                server.Write(answer.AsSpan(0, split));
                server.Channel.AwaitClientWaiting();
                server.Write(answer.AsSpan(split));
            }
        });
        await Open();
        for (var split = 1; split < answer.Length; split++)
            Assert.That(await Rows(), Is.EqualTo(new[] { 1, 2, 3 }), $"split at {split}");
    }

    [Test]
    public async Task An_error_in_the_middle_of_rows_comes_after_the_rows_before_it()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Send.ParseComplete().BindComplete().RowDescription(("value", 23)).DataRow(1).DataRow(2)
                .ErrorResponse("22012", "division by zero").ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var reader = await Mode.ExecuteReader(Command());
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(await Mode.Read(reader), Is.True);
        var error = await Catch<PostgresException>(() => Mode.Read(reader));
        Assert.That(error.SqlState, Is.EqualTo("22012"));
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task An_error_before_any_row_leaves_the_connection_usable()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Send.ErrorResponse("42601", "syntax error").ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var error = await Catch<PostgresException>(() => Mode.ExecuteReader(Command()));
        Assert.That(error.SqlState, Is.EqualTo("42601"));
        await AssertUsable();
    }

    [Test]
    public async Task An_error_after_the_last_statement_is_thrown_too()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Send.Command("INSERT 0 1").ErrorResponse("23503", "deferred").ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var error = await Catch<PostgresException>(() => Execute());
        Assert.That(error.SqlState, Is.EqualTo("23503"));
        await AssertUsable();
    }

    [Test]
    public async Task A_message_of_unknown_type_is_named_and_ends_the_connection()
    {
        var error = await Violation(answer => answer.Add('y', [1, 2, 3]));
        Assert.That(error.Message, Does.Contain("unknown type 0x79").And.Contain("Expected RowDescription or NoData"));
    }

    [TestCase('R')]
    [TestCase('W')]
    [TestCase('d')]
    [TestCase('K')]
    public async Task A_message_that_has_no_place_there_is_named_and_ends_the_connection(char type)
    {
        var error = await Violation(answer => answer.Add(type, [0, 0, 0, 0, 0, 0, 0, 0]));
        Assert.That(error.Message, Does.Contain(((Loxo.Protocol.Backend.BackendMessageType)type).ToString()));
    }

    [TestCase(0)]
    [TestCase(3)]
    [TestCase(-1)]
    [TestCase(int.MinValue)]
    [TestCase(int.MaxValue)]
    public async Task An_impossible_length_ends_the_connection_and_costs_no_memory(int length)
    {
        var error = await Violation(answer => answer.Raw([(byte)'D', .. Answer.Int32(length), 1, 2, 3]));
        Assert.That(error.Message, Does.Contain($"DataRow with a length of {length} bytes"));
        Assert.That(Connection.Session!.Wire.Input.Buffer, Has.Length.LessThanOrEqualTo(16 * 1024));
    }

    [Test]
    public async Task A_length_that_is_possible_costs_no_memory_before_its_bytes_arrive()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Send.ParseComplete().BindComplete().RowDescription(("value", 25)).Raw([(byte)'D', .. Answer.Int32(1_000_000_000), 1, 2, 3]);
            server.Channel.AwaitClientWaiting();
            server.End();
        });
        await Open();
        var error = await Catch<PgException>(() => Rows());
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed));
        Assert.That(Connection.Session!.Wire.Input.Buffer, Has.Length.LessThanOrEqualTo(16 * 1024));
    }

    [TestCase(new byte[] { 0, 1, 0, 0, 0, 9, 1 })]
    [TestCase(new byte[] { 0, 2, 0, 0, 0, 1, 1 })]
    [TestCase(new byte[] { 0, 0 })]
    [TestCase(new byte[] { 0, 1, 0, 0 })]
    [TestCase(new byte[] { 0 })]
    public async Task A_row_that_contradicts_itself_or_its_description_ends_the_connection(byte[] row)
    {
        await Violation(answer => answer.RowDescription(("value", 23)).Add('D', row));
    }

    [Test]
    public async Task Rows_without_a_description_end_the_connection()
    {
        var error = await Violation(answer => answer.DataRow(1));
        Assert.That(error.Message, Does.Contain("Expected RowDescription"));
    }

    [Test]
    public async Task More_answers_than_statements_end_the_connection()
    {
        await Violation(answer => answer.CommandComplete("SELECT 1").CommandComplete("SELECT 1"));
    }

    [Test]
    public async Task An_unknown_transaction_status_ends_the_connection()
    {
        var error = await Violation(answer => answer.NoData().CommandComplete("DO").ReadyForQuery('?'));
        Assert.That(error.Message, Does.Contain("0x3f"));
    }

    [Test]
    public async Task An_error_that_a_pooler_adds_to_the_servers_last_one_does_not_hide_it()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Send.ErrorResponse("57P01", "terminating connection", "FATAL").ErrorResponse("XX000", "unable to forward message to frontend");
            server.End();
        });
        await Open();
        var error = await Catch<PostgresException>(() => Execute("SELECT 1"));
        Assert.That(error.SqlState, Is.EqualTo("57P01"));
        Assert.That(Connection.State, Is.EqualTo(System.Data.ConnectionState.Closed));
    }

    [Test]
    public async Task A_copy_from_the_client_is_refused_and_the_connection_stays_usable()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Send.ParseComplete().BindComplete().NoData().CopyInResponse();
            var reason = server.Expect<CopyFail>().Reason;
            server.Send.ErrorResponse("57014", "COPY from stdin failed: " + reason);
            server.Expect<Sync>();
            server.Expect<Query>();
            server.Send.ReadyForQuery().EmptyQueryResponse().ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var error = await Catch<PostgresException>(() => Execute("COPY t FROM STDIN"));
        Assert.That(error.SqlState, Is.EqualTo("0A000"));
        Assert.That(error.MessageText, Does.Contain("COPY FROM STDIN"));
        await AssertUsable();
    }

    [TestCase("55000", "cannot copy to view \"v\""), TestCase("P0001", "a trigger has raised this")]
    public async Task A_copy_that_the_server_gives_up_before_it_reads_anything_keeps_the_servers_error_and_the_connection(string sqlState, string message)
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Send.ParseComplete().BindComplete().NoData().CopyInResponse().ErrorResponse(sqlState, message).ReadyForQuery();
            server.Expect<CopyFail>();
            server.Expect<Sync>();
            server.Send.ReadyForQuery();
            server.Expect<Query>();
            server.Send.EmptyQueryResponse().ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var error = await Catch<PostgresException>(() => Execute("COPY v FROM STDIN"));
        Assert.That((error.SqlState, error.MessageText), Is.EqualTo((sqlState, message)));
        await AssertUsable();
    }

    // No text of that kind is known as COPY FROM STDIN; one that is known is not sent.
    [Test]
    public async Task A_copy_from_the_client_before_other_statements_is_refused_and_the_connection_stays_usable()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectStatement();
            server.ExpectCommand();
            server.Send.ParseComplete().BindComplete().NoData().CopyInResponse()
                .ErrorResponse("08P01", "unexpected message type 0x50 during COPY from stdin").ReadyForQuery();
            server.Expect<CopyFail>();
            server.Expect<Sync>();
            server.Expect<Query>();
            server.Send.ReadyForQuery().EmptyQueryResponse().ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var error = await Catch<PostgresException>(() => Execute("CALL p(); SELECT 1"));
        Assert.That(error.SqlState, Is.EqualTo("0A000"));
        await AssertUsable();
    }

    [Test]
    public async Task A_copy_to_the_client_is_refused_and_the_connection_stays_usable([Values] bool isLast)
    {
        Play(server =>
        {
            server.Login();
            server.ExpectStatement();
            if (!isLast)
                server.ExpectStatement();
            server.Expect<Sync>();
            server.Send.ParseComplete().BindComplete().NoData().CopyOutResponse().CopyData("1\n").CopyData("2\n").CopyDone().CommandComplete("COPY 2");
            if (!isLast)
                server.Send.Result(1);
            server.Send.ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var error = await Catch<PostgresException>(() => Execute(isLast ? "COPY t TO STDOUT" : "CALL p(); SELECT 1"));
        Assert.That(error.SqlState, Is.EqualTo("0A000"));
        await AssertUsable();
    }

    [Test]
    public async Task A_reader_that_is_closed_early_passes_over_the_rest()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Write(new Answer().ParseComplete().BindComplete().RowDescription(("value", 23)).DataRow(1).Bytes);
            server.Channel.AwaitClientWaiting();
            server.Write(new Answer().DataRow(2).DataRow(3).CommandComplete("SELECT 3").ReadyForQuery().Bytes);
            server.AnswerCommand();
        });
        await Open();
        var reader = await Mode.ExecuteReader(Command());
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(1));
        await Mode.Close(reader);
        await AssertUsable();
    }

    private async Task<PgException> Violation(Func<Answer, Answer> wrong)
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Write(wrong(new Answer().ParseComplete().BindComplete()).Bytes);
            server.Channel.AwaitShutdown();
        });
        await Open();
        var error = await Catch<PgException>(() => Rows());
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ProtocolViolation), error.Message);
        Assert.That(error.Message, Does.Contain("has been closed"));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
        return error;
    }
}
