using Loxo.Session;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>Statements that the server has forgotten or finds outdated are prepared anew and run again, where nobody can notice.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class RetryPolicyTests(WaitMode mode) : StatementTest(mode)
{
    public enum Way
    {
        Reader,
        Scalar,
        NonQuery,
    }

    private const string X = "SELECT x", Y = "SELECT y";

    [Test]
    public async Task An_outdated_statement_is_prepared_anew_unseen([Values] Way way)
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect("Ba E S", Outdated());
            client.Expect(Anew, Again(2));
            client.Expect("Ba E S", Known(3));
        });
        await Open(AtOnce);
        await Rows(X);
        await RunOnce(way, 2);
        await RunOnce(way, 3);
    }

    [Test]
    public async Task A_forgotten_statement_is_prepared_anew_unseen_and_so_are_the_others_at_their_next_use([Values] Way way)
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect("Pb Bb D E S", Answer.Select(1));
            client.Expect("Ba E S", Missing());
            client.Expect(Anew, Again(2));
            client.Expect("Cb Pb Bb D E S", Again(3));
            client.Expect("Bb E S", Known(4));
        });
        await Open(AtOnce);
        await Rows(X);
        await Rows(Y);
        await RunOnce(way, 2);
        Assert.That(await Rows(Y), Is.EqualTo(new[] { 3 }));
        Assert.That(await Rows(Y), Is.EqualTo(new[] { 4 }));
    }

    [TestCase("0A000", "ExecInitFunc")]
    [TestCase("0A000", null)]
    [TestCase("42P01", "RevalidateCachedQuery")]
    public async Task An_error_that_says_nothing_of_that_kind_is_not_run_again(string sqlState, string? routine)
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect("Ba E S", new Answer().BindComplete().ErrorResponse(sqlState, routine: routine).ReadyForQuery());
            client.Expect("Ba E S", Known(2));
        });
        await Open(AtOnce);
        await Rows(X);
        var error = await Catch<PostgresException>(() => Rows(X));
        Assert.That(error.SqlState, Is.EqualTo(sqlState));
        Assert.That(await Rows(X), Is.EqualTo(new[] { 2 }));
    }

    [Test]
    public async Task It_is_run_again_once_and_no_more([Values] Way way)
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect("Ba E S", Missing());
            client.Expect(Anew, new Answer().CloseComplete().ParseComplete().Raw(Outdated()));
            client.Expect(Anew, Again(2));
            client.Expect("Ba E S", Outdated());
            client.Expect(Anew, Again(3));
        });
        await Open(AtOnce);
        await Rows(X);
        await Outdated(() => RunOnce(way, 0));
        await RunOnce(way, 2);
        await RunOnce(way, 3);
    }

    [Test]
    public async Task A_transaction_that_began_in_the_same_flight_begins_again([Values] Way way, [Values] bool isForgotten)
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect("P B E Ba E S", BeginDone().Raw(isForgotten ? Missing('E') : Outdated('E')));
            client.Expect("'ROLLBACK'", new Answer().CommandComplete("ROLLBACK").ReadyForQuery());
            client.Expect("P B E Ca Pa Ba D E S", BeginDone().CloseComplete().Result(2).ReadyForQuery('T'));
            client.Expect("Ba E S", Rows(new Answer().BindComplete(), 3).ReadyForQuery('T'));
            client.Expect("'COMMIT'", new Answer().CommandComplete("COMMIT").ReadyForQuery());
            client.Expect("Ba E S", Known(4));
        });
        await Open(AtOnce);
        await Rows(X);
        var transaction = await Begin();
        await RunOnce(way, 2);
        await RunOnce(way, 3);
        await Mode.Commit(transaction);
        await RunOnce(way, 4);
    }

    [Test]
    public async Task In_a_transaction_that_has_done_something_it_is_a_precise_error_and_the_next_use_works([Values] Way way, [Values] bool isForgotten)
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect("P B E P B D E S", BeginDone().Command("INSERT 0 1").ReadyForQuery('T'));
            client.Expect("Ba E S", isForgotten ? Missing('E') : Outdated('E'));
            client.Expect("'ROLLBACK'", new Answer().CommandComplete("ROLLBACK").ReadyForQuery());
            client.Expect(Anew, Again(2));
        });
        await Open(AtOnce);
        await Rows(X);
        var transaction = await Begin();
        var insert = Command("INSERT INTO t VALUES (1)");
        insert.AutoPrepare = false;
        await Mode.ExecuteNonQuery(insert);
        var error = await Outdated(() => RunOnce(way, 0));
        Assert.That(error.InnerException, Has.Property(nameof(PostgresException.SqlState)).EqualTo(isForgotten ? "26000" : "0A000"));
        await Mode.Rollback(transaction);
        await RunOnce(way, 2);
    }

    [Test]
    public async Task After_a_row_was_handed_out_it_is_not_run_again()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect("P B D E Ba E S", new Answer().Result(1).Raw(Outdated()));
            client.Expect(Anew, Again(2));
        });
        await Open(AtOnce);
        await Rows(X);
        await using var batch = Batch(barriers: false, new PgBatchCommand(Y) { AutoPrepare = false }, new PgBatchCommand(X));
        var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(1));
        await Outdated(async () =>
        {
            while (await Mode.Read(reader))
            {
            }
            await Mode.NextResult(reader);
        });
        await Mode.Close(reader);
        Assert.That(await Rows(X), Is.EqualTo(new[] { 2 }));
    }

    [Test]
    public async Task A_batch_that_has_run_in_part_is_not_run_again_although_the_server_has_undone_it()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect("P B D E Ba E S", new Answer().Command("INSERT 0 1").Raw(Outdated()));
            client.Expect(Anew, Again(2));
        });
        await Open(AtOnce);
        await Rows(X);
        await using var batch = Batch(barriers: false, new PgBatchCommand("INSERT INTO t VALUES (1)") { AutoPrepare = false }, new PgBatchCommand(X));
        await Outdated(() => Run(batch));
        Assert.That(await Rows(X), Is.EqualTo(new[] { 2 }));
    }

    [Test]
    public async Task A_batch_whose_first_statement_was_refused_before_it_ran_is_run_again_whole()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect("Ba E P B D E S", Outdated());
            client.Expect("Ca Pa Ba D E P B D E S", new Answer().CloseComplete().Result(2).Command("INSERT 0 1").ReadyForQuery());
        });
        await Open(AtOnce);
        await Rows(X);
        await using var batch = Batch(barriers: false, new PgBatchCommand(X), new PgBatchCommand("INSERT INTO t VALUES (1)") { AutoPrepare = false });
        Assert.That(await Run(batch), Is.EqualTo(1));
    }

    // The server's own output of a column raises XX000, too, if the statement was parsed before its type was made anew.
    [TestCase("26000", "FetchPreparedStatement"), TestCase("42P05", "StorePreparedStatement"), TestCase("0A000", "RevalidateCachedQuery")]
    [TestCase("XX000", "getBaseTypeAndTypmod", true)]
    public async Task An_error_that_the_statements_own_code_raises_is_reported_as_it_is(string sqlState, string routine, bool isParsedAgain = false)
    {
        var raised = new Answer().ErrorResponse(sqlState, "cache lookup failed for type 4711", routine: routine).ReadyForQuery();
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect("Ba E S", new Answer().BindComplete().Raw(raised));
            if (isParsedAgain)
                client.Expect("Ca Pa Ba D E S", new Answer().CloseComplete().Raw(Answer.Select(2)));
            else
                client.Expect("Ba E S", Known(2));
        });
        await Open(AtOnce);
        await Rows(X);
        var error = await Catch<PostgresException>(() => Rows(X));
        Assert.That(error.SqlState, Is.EqualTo(sqlState));
        Assert.That(await Rows(X), Is.EqualTo(new[] { 2 }));
    }

    [Test]
    public async Task Error_barriers_divide_what_is_undone_so_nothing_is_run_again()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect(Unnamed, new Answer());
            client.Expect("Ba E S", new Answer().Command("INSERT 0 1").ReadyForQuery().Raw(Outdated()));
            client.Expect(Anew, Again(2));
        });
        await Open(AtOnce);
        await Rows(X);
        await using var batch = Batch(barriers: true, new PgBatchCommand("INSERT INTO t VALUES (1)") { AutoPrepare = false }, new PgBatchCommand(X));
        await Outdated(() => Run(batch));
        Assert.That(await Rows(X), Is.EqualTo(new[] { 2 }));
    }

    [TestCase("CALL p()", "P B D E Ca Pa Ba D E S")]
    [TestCase("DO 'whatever'", "P B D E Ca Pa Ba D E S")]
    [TestCase("COMMIT", "P B D E Ba E S")]
    public async Task What_the_server_may_not_undo_is_not_run_again(string sql, string flight)
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect(flight, (flight.Contains('C', StringComparison.Ordinal) ? new Answer().Command("DONE").CloseComplete().ParseComplete() : new Answer().Command("DONE")).Raw(Outdated()));
            client.Expect(Anew, Again(2));
        });
        await Open(AtOnce);
        await Rows(X);
        await Outdated(() => Execute($"{sql}; {X}"));
        Assert.That(await Rows(X), Is.EqualTo(new[] { 2 }));
    }

    [Test]
    public async Task Another_session_of_the_data_source_learns_from_an_outdated_statement()
    {
        Play(server =>
        {
            var first = LogIn(server);
            var second = LogIn(server.Server.Accept());
            first.Expect("Pa Ba D E S", Answer.Select(1));
            second.Expect("Pa Ba D E S", Answer.Select(2));
            second.Expect("Ba E S", Known(3));
            first.Expect("Ba E S", Outdated());
            first.Expect(Anew, Again(4));
            second.Expect(Anew, Again(5));
            first.Expect("Ba E S", Known(6));
            second.Expect("Ba E S", Known(7));
        });
        await using var source = Server.DataSource(AtOnce);
        await using var one = source.CreateConnection();
        await using var other = source.CreateConnection();
        await Mode.Open(one);
        await Mode.Open(other);
        foreach (var (connection, value) in new[] { (one, 1), (other, 2), (other, 3), (one, 4), (other, 5), (one, 6), (other, 7) })
            Assert.That(await Mode.ExecuteScalar(new PgCommand(X, connection)), Is.EqualTo(value));
    }

    [Test]
    public async Task Only_its_own_session_learns_from_a_forgotten_statement()
    {
        Play(server =>
        {
            var first = LogIn(server);
            var second = LogIn(server.Server.Accept());
            first.Expect("Pa Ba D E S", Answer.Select(1));
            second.Expect("Pa Ba D E S", Answer.Select(2));
            first.Expect("Ba E S", Missing());
            first.Expect(Anew, Again(3));
            second.Expect("Ba E S", Known(4));
        });
        await using var source = Server.DataSource(AtOnce);
        await using var one = source.CreateConnection();
        await using var other = source.CreateConnection();
        await Mode.Open(one);
        await Mode.Open(other);
        foreach (var (connection, value) in new[] { (one, 1), (other, 2), (one, 3), (other, 4) })
            Assert.That(await Mode.ExecuteScalar(new PgCommand(X, connection)), Is.EqualTo(value));
    }

    [Test]
    public async Task A_statement_of_Prepare_is_prepared_anew_too()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Da S", new Answer().ParseComplete().Add('t', [0, 0]).RowDescription(("value", 23)).ReadyForQuery());
            client.Expect("Ba E S", Known(1));
            client.Expect("Ba E S", Outdated());
            client.Expect(Anew, Again(2));
            client.Expect("Ba E S", Known(3));
        });
        await Open("Max Auto Prepare=0");
        await using var command = Command(X);
        await Mode.Prepare(command);
        for (var i = 1; i <= 3; i++)
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(i));
        Assert.That(command.IsPrepared, Is.True);
    }

    [TestCase("42883", "getTypeBinaryOutputInfo", true)]
    [TestCase("42883", "array_send", true)]
    [TestCase("42883", "get_range_io_data", true)]
    [TestCase("42883", "get_multirange_io_data", true)]
    [TestCase("42883", "ParseFuncOrColumn", false)]
    [TestCase("42883", null, false)]
    [TestCase("42704", "array_send", false)]
    public void A_type_without_binary_output_is_told_by_state_and_routine(string sqlState, string? routine, bool isNoBinaryOutput) =>
        Assert.That(RetryPolicy.IsNoBinaryOutput(new ServerErrorFields { SqlState = sqlState, Routine = routine }), Is.EqualTo(isNoBinaryOutput));

    [TestCase("0A000", "RevalidateCachedQuery", "cached plan must not change result type", PgErrorCode.StatementOutdated, "out of date or unknown")]
    [TestCase("26000", "FetchPreparedStatement", "does not exist", PgErrorCode.StatementOutdated, "out of date or unknown")]
    [TestCase("42P05", "StorePreparedStatement", "exists", PgErrorCode.StatementOutdated, "out of date or unknown")]
    [TestCase("XX000", "getBaseTypeAndTypmod", "cache lookup failed for type 5", PgErrorCode.StatementOutdated, "type of a parameter was dropped")]
    [TestCase("42804", "record_recv", "wrong data type", PgErrorCode.StatementOutdated, "type of a parameter was dropped")]
    [TestCase("08P01", "PortalSetResultFormat", "bind message has 2 formats", PgErrorCode.NotSupported, "other columns than when the same text ran before")]
    public void An_error_of_what_was_assumed_is_explained_with_its_remedy(string sqlState, string routine, string message, PgErrorCode code, string cause)
    {
        var fields = new ServerErrorFields { SqlState = sqlState, Routine = routine, MessageText = message };
        var original = new PostgresException(fields, includeDetail: false);
        var explained = RetryPolicy.Explain(fields, original);
        Assert.That(explained, Has.Property("Code").EqualTo(code).And.Property("InnerException").SameAs(original));
        Assert.That(explained.Message, Does.Contain(cause).And.Contain(message));
    }

    [TestCase("42P01", "parserOpenTable")]
    [TestCase("0A000", "ExecInitFunc")]
    [TestCase("08P01", "exec_bind_message")]
    public void Another_error_is_reported_as_it_is(string sqlState, string routine)
    {
        var fields = new ServerErrorFields { SqlState = sqlState, Routine = routine };
        var original = new PostgresException(fields, includeDetail: false);
        Assert.That(RetryPolicy.Explain(fields, original), Is.SameAs(original));
    }

    private static Flights LogIn(ScriptedPeer peer)
    {
        peer.Login();
        return new Flights(peer);
    }

    private async Task RunOnce(Way way, int value)
    {
        switch (way)
        {
            case Way.Reader:
                Assert.That(await Rows(X), Is.EqualTo(new[] { value }));
                break;
            case Way.Scalar:
                Assert.That(await Scalar(X), Is.EqualTo(value));
                break;
            default:
                Assert.That(await Execute(X), Is.EqualTo(-1));
                break;
        }
    }

    private PgBatch Batch(bool barriers, params PgBatchCommand[] commands)
    {
        var batch = Connection.CreateBatch();
        batch.EnableErrorBarriers = barriers;
        foreach (var command in commands)
            batch.BatchCommands.Add(command);
        return batch;
    }

    private Task<int> Run(PgBatch batch) => Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync());
}
