using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;
using Loxo.Session;
using Loxo.Tests.Protocol.Backend;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>Exchanges as what they are: state machines over bytes. No channel is touched.</summary>
public sealed class ExchangeTests
{
    private ServerSession _session = null!;
    private MessageReader _messages = null!;

    [SetUp]
    public void NewSession()
    {
        _session = NoChannel.Session();
        _messages = new MessageReader();
    }

    [TearDown]
    public void Dispose()
    {
        _session.Dispose();
        _messages.Dispose();
    }

    [Test]
    public void A_query_needs_more_until_its_row_its_end_and_ReadyForQuery()
    {
        var query = Query("SELECT 1");
        Assert.That(Advance(query, new Answer().ParseComplete().BindComplete().RowDescription(("value", 23))), Is.EqualTo(Progress.NeedMore));
        Assert.That(Advance(query, new Answer().DataRow(1)), Is.EqualTo(Progress.Row));
        Assert.That(query.Advance(_messages), Is.EqualTo(Progress.Row), "the row is left to the reader");
        Assert.That(_messages.TryTakeRow(out _, out _), Is.True);
        Assert.That(query.Advance(_messages), Is.EqualTo(Progress.NeedMore));
        Assert.That(Advance(query, new Answer().CommandComplete("SELECT 1")), Is.EqualTo(Progress.ResultEnd));
        Assert.That(Advance(query, new Answer().ReadyForQuery('T')), Is.EqualTo(Progress.Done));
        Assert.That(_session.TransactionStatus, Is.EqualTo(TransactionStatus.InTransaction));
        Assert.That(query.Runs[0].Rows, Is.EqualTo(1));
    }

    [Test]
    public void A_result_without_rows_ends_and_a_statement_without_columns_does_not_stop()
    {
        var query = Query("SELECT", "UPDATE");
        Assert.That(Advance(query, new Answer().Result()), Is.EqualTo(Progress.ResultEnd));
        Assert.That(Advance(query, new Answer().Command("UPDATE 3")), Is.EqualTo(Progress.NeedMore));
        Assert.That(Advance(query, new Answer().ReadyForQuery()), Is.EqualTo(Progress.Done));
        Assert.That(query.RecordsAffected(), Is.EqualTo(3));
    }

    [Test]
    public void Skipped_results_do_not_stop()
    {
        var query = Query("SELECT", "SELECT");
        query.SkipResults = true;
        Assert.That(Advance(query, new Answer().Result(1, 2).Result(3).ReadyForQuery()), Is.EqualTo(Progress.Done));
        Assert.That(query.RecordsAffected(), Is.EqualTo(-1));
    }

    [Test]
    public void A_result_that_is_left_is_passed_over_with_its_end_and_the_next_is_not()
    {
        var query = Query("SELECT", "SELECT");
        Assert.That(Advance(query, new Answer().Result(1, 2).Result(3).ReadyForQuery()), Is.EqualTo(Progress.Row));
        query.LeaveResult();
        Assert.That(query.Advance(_messages), Is.EqualTo(Progress.Row));
        Assert.That(query.Result, Is.SameAs(query.Runs[1]));
    }

    [Test]
    public void An_answer_byte_by_byte_is_the_same_answer()
    {
        var query = Query("SELECT");
        query.SkipResults = true;
        var bytes = Answer.Select(1, 2, 3).Bytes;
        for (var i = 0; i < bytes.Length; i++)
        {
            MessageReaderTests.Feed(_messages, bytes.AsSpan(i, 1));
            Assert.That(query.Advance(_messages), Is.EqualTo(i == bytes.Length - 1 ? Progress.Done : Progress.NeedMore));
        }
    }

    [Test]
    public void An_error_is_kept_until_ReadyForQuery_and_names_its_statement()
    {
        var query = Query("INSERT", "INSERT");
        Assert.That(Advance(query, new Answer().Command("INSERT 0 1").ErrorResponse("23505")), Is.EqualTo(Progress.NeedMore));
        Assert.That(Advance(query, new Answer().ReadyForQuery('E')), Is.EqualTo(Progress.Done));
        Assert.That((query.Error!.SqlState, query.FailedStatement), Is.EqualTo(("23505", 1)));
        Assert.That(query.OnEndOfStream(), Is.InstanceOf<PostgresException>());
    }

    [Test]
    public void Nothing_of_a_command_that_is_taken_back_remains()
    {
        var source = new Statements { Writing = exchange => exchange.Query.Add("SELECT", [], NoValues.Instance, [FormatCode.Text]), Failure = new InvalidCastException() };
        _session.Opened();
        _session.Claim(owner: null);
        Assert.Throws<InvalidCastException>(() => _session.Command.Start(source, ResultMode.Rows));
        Assert.That((_session.Output.IsEmpty, _session.State), Is.EqualTo((true, SessionState.Idle)));
        Assert.DoesNotThrow(() => _session.Claim(owner: null), "the session is free");
    }

    [Test]
    public void A_pending_BEGIN_goes_in_front_and_is_nobodys_result()
    {
        _session.PendingBegin = "BEGIN";
        var query = Query("SELECT");
        var answer = new Answer().ParseComplete().BindComplete().CommandComplete("BEGIN").Result(1).ReadyForQuery('T');
        Assert.That(Advance(query, answer), Is.EqualTo(Progress.Row));
        Assert.That(query.Runs.Length, Is.EqualTo(1));
        Assert.That(query.Result, Is.SameAs(query.Runs[0]));
        query.SkipResults = true;
        Assert.That(query.Advance(_messages), Is.EqualTo(Progress.Done));
        Assert.That(_session.PendingBegin, Is.Null);
    }

    [Test]
    public void A_query_can_be_used_again_after_an_error()
    {
        var query = Query("SELECT");
        Advance(query, new Answer().ErrorResponse("42601").ReadyForQuery());
        query = Query("SELECT");
        Assert.That((query.Error, query.FailedStatement), Is.EqualTo(((ServerErrorFields?)null, -1)));
        Assert.That(Advance(query, Answer.Select()), Is.EqualTo(Progress.ResultEnd));
    }

    [Test]
    public void A_sync_absorbs_errors_and_ends_with_ReadyForQuery()
    {
        var sync = new SyncExchange(_session);
        Assert.That(Advance(sync, new Answer().NoticeResponse("n").ErrorResponse("57014")), Is.EqualTo(Progress.NeedMore));
        Assert.That(sync.OnEndOfStream(), Is.Null);
        Assert.That(Advance(sync, new Answer().ReadyForQuery('E')), Is.EqualTo(Progress.Done));
        Assert.That(_session.TransactionStatus, Is.EqualTo(TransactionStatus.Failed));
    }

    [Test]
    public void A_sync_accepts_no_other_answer() =>
        Assert.Throws<PgException>(() => Advance(new SyncExchange(_session), new Answer().BindComplete()));

    [Test]
    public void A_simple_command_has_a_tag()
    {
        var command = _session.Simple.Start("COMMIT");
        Assert.That(_session.Output.Pending.ToArray(), Is.EqualTo(Protocol.Golden.Bytes('Q', 11, "COMMIT")));
        Assert.That(Advance(command, new Answer().CommandComplete("ROLLBACK").ReadyForQuery()), Is.EqualTo(Progress.Done));
        Assert.That((command.Tag, command.Error), Is.EqualTo(("ROLLBACK", (ServerErrorFields?)null)));
    }

    [Test]
    public void A_simple_command_keeps_its_error()
    {
        var command = _session.Simple.Start("COMMIT");
        Assert.That(Advance(command, new Answer().ErrorResponse("40001").ErrorResponse("57P01", severity: "FATAL").ReadyForQuery()), Is.EqualTo(Progress.Done));
        Assert.That(command.Error!.SqlState, Is.EqualTo("40001"));
    }

    [Test]
    public void A_simple_command_keeps_nothing_of_the_one_before()
    {
        Advance(_session.Simple.Start("COMMIT"), new Answer().CommandComplete("COMMIT").ReadyForQuery());
        var failed = _session.Simple.Start("SAVEPOINT a", "BEGIN");
        Assert.That((failed.Tag, failed.HasCommitted, failed.IsOver), Is.EqualTo(("", false, false)));
        Assert.That(Advance(failed, new Answer().CommandComplete("BEGIN").ErrorResponse("53200").ReadyForQuery()), Is.EqualTo(Progress.Done));

        var command = _session.Simple.Start("ROLLBACK");
        Assert.That((command.Error, command.Tag), Is.EqualTo(((ServerErrorFields?)null, "")));
        Assert.That(Advance(command, new Answer().CommandComplete("ROLLBACK").ReadyForQuery()), Is.EqualTo(Progress.Done));
        Assert.That((command.Error, command.Tag), Is.EqualTo(((ServerErrorFields?)null, "ROLLBACK")));
    }

    private QueryExchange Query(params string[] statements)
    {
        var query = _session.Command.Query;
        query.Start();
        foreach (var sql in statements)
            query.Add(sql, [], NoValues.Instance, []);
        query.Written(endsGroup: true);
        return query;
    }

    private Progress Advance(Exchange exchange, Answer answer)
    {
        MessageReaderTests.Feed(_messages, answer.Bytes);
        return exchange.Advance(_messages);
    }

    private sealed class Statements : IStatementSource
    {
        public required Action<CommandExchange> Writing { get; init; }

        public Exception? Failure { get; init; }

        public void Write(CommandExchange exchange)
        {
            Writing(exchange);
            if (Failure is not null)
                throw Failure;
        }
    }

    private sealed class NoValues : IParameterValues
    {
        public static readonly NoValues Instance = new();

        public int Count => 0;

        public FormatCode Format(int index) => throw new InvalidOperationException("There are no parameters.");

        public void Write(int index, MessageWriter writer) => throw new InvalidOperationException("There are no parameters.");
    }
}
