using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>The messages of a command that runs for many rows.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class RepeatedExchangeTests(WaitMode mode) : StatementTest(mode)
{
    private const string Insert = "INSERT INTO t VALUES ($1)";

    // A row that is sent before the next one is written.
    private static readonly string Long = new('x', 60_000);

    [Test]
    public async Task All_rows_are_one_group_and_the_statement_is_prepared_with_the_first_use()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba E Ba E Ba E S", Inserted(new Answer().ParseComplete(), 3).ReadyForQuery());
            client.Expect("Ba E Ba E S", Inserted(new Answer(), 2).ReadyForQuery());
        });
        await Open(Default);
        Assert.That(await Run(Insert, 1, 2, 3), Is.EqualTo(3));
        Assert.That(await Run(Insert, 4, 5), Is.EqualTo(2));
    }

    [TestCase("")]
    [TestCase(AtOnce + "Pooler=Transaction")]
    [TestCase(AtOnce + "Pooler=TransactionPrepared")]
    public async Task Behind_a_pooler_and_without_preparation_the_text_is_parsed_once_for_each_run(string settings)
    {
        PlayFlights(client =>
        {
            for (var run = 0; run < 3; run++)
                client.Expect("P B E B E S", Inserted(new Answer().ParseComplete(), 2).ReadyForQuery());
        });
        await Open(settings);
        for (var run = 0; run < 3; run++)
            Assert.That(await Run(Insert, 1, 2), Is.EqualTo(2));
    }

    [Test]
    public async Task Another_type_is_parsed_within_the_group_and_a_null_fits_any_type()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba E Pb Bb E Bb E Pc Bc E S", new Answer()
                .ParseComplete().BindComplete().CommandComplete("INSERT 0 1")
                .Raw(Inserted(new Answer().ParseComplete(), 2))
                .Raw(Inserted(new Answer().ParseComplete(), 1)).ReadyForQuery());
            client.Expect("Bb E S", Inserted(new Answer(), 1).ReadyForQuery());
        });
        await Open(Default);
        Assert.That(await Run(Insert, DBNull.Value, 1, DBNull.Value, "text"), Is.EqualTo(4));
        Assert.That(await Run(Insert, 2), Is.EqualTo(1));
    }

    [Test]
    public async Task The_unnamed_statement_is_parsed_again_for_another_type()
    {
        PlayFlights(client => client.Expect("P B E P B E B E S", new Answer()
            .Raw(Inserted(new Answer().ParseComplete(), 1)).Raw(Inserted(new Answer().ParseComplete(), 2)).ReadyForQuery()));
        await Open();
        Assert.That(await Run(Insert, DBNull.Value, 1, DBNull.Value), Is.EqualTo(3));
    }

    [Test]
    public async Task A_pending_begin_goes_in_front_of_the_first_row_and_stays_pending_without_one()
    {
        PlayFlights(client =>
        {
            client.Expect("P B E Pa Ba E S", Inserted(BeginDone().ParseComplete(), 1).ReadyForQuery('T'));
            client.Expect("'COMMIT'", new Answer().CommandComplete("COMMIT").ReadyForQuery());
        });
        await Open(Default);
        var transaction = await Begin();
        Assert.That(await Run(Insert), Is.Zero);
        Assert.That(await Run(Insert, 1), Is.EqualTo(1));
        await Mode.Commit(transaction);
    }

    [Test]
    public async Task A_begin_that_was_refused_is_still_due()
    {
        PlayFlights(client =>
        {
            client.Expect("P B E Pa Ba E S", new Answer().ErrorResponse("53300").ReadyForQuery());
            client.Expect("P B E Pa Ba E S", Inserted(BeginDone().ParseComplete(), 1).ReadyForQuery('T'));
            client.Expect("'ROLLBACK'", new Answer().CommandComplete("ROLLBACK").ReadyForQuery());
        });
        await Open(Default);
        var transaction = await Begin();
        var error = await Catch<PostgresException>(() => Run(Insert, 1));
        Assert.That(error.FailedRow, Is.Null);
        Assert.That(await Run(Insert, 1), Is.EqualTo(1));
        await Mode.Rollback(transaction);
    }

    [Test]
    public async Task If_the_rows_fail_before_anything_was_sent_nothing_is_and_a_begin_stays_pending()
    {
        PlayFlights(client =>
        {
            client.Expect("P B E Pa Ba E S", Inserted(BeginDone().ParseComplete(), 1).ReadyForQuery('T'));
            client.Expect("'COMMIT'", new Answer().CommandComplete("COMMIT").ReadyForQuery());
        });
        await Open(Default);
        var transaction = await Begin();
        await Catch<FormatException>(() => Run(Insert, 1, 2, new FormatException()));
        Assert.That(await Run(Insert, 1), Is.EqualTo(1));
        await Mode.Commit(transaction);
    }

    [Test]
    public async Task If_the_rows_fail_after_some_were_sent_a_text_that_cannot_be_parsed_undoes_them()
    {
        Play(server =>
        {
            server.Login();
            Assert.That(server.Expect<Parse>().Sql, Is.EqualTo(Insert));
            server.Expect<Bind>();
            server.Expect<Execute>();
            Assert.That(server.Expect<Parse>().Sql, Does.Contain("fails to undo"));
            server.Expect<Sync>();
            Inserted(server.Send.ParseComplete(), 1).ErrorResponse("42601", "syntax error").ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var thrown = new FormatException();
        Assert.That(await Catch<FormatException>(() => Run(Insert, Long, thrown)), Is.SameAs(thrown));
        await AssertUsable();
    }

    [Test]
    public async Task A_server_that_can_parse_that_text_is_no_longer_understood()
    {
        Play(server =>
        {
            server.Login();
            server.Expect<Parse>();
            server.Expect<Bind>();
            server.Expect<Execute>();
            server.Expect<Parse>();
            server.Expect<Sync>();
            Inserted(server.Send.ParseComplete(), 1).ParseComplete().ReadyForQuery();
        });
        await Open();
        await Catch<FormatException>(() => Run(Insert, Long, new FormatException()));
        Assert.That(Connection.FullState & System.Data.ConnectionState.Broken, Is.EqualTo(System.Data.ConnectionState.Broken));
    }

    [Test]
    public async Task A_row_that_cannot_be_written_leaves_nothing_of_itself()
    {
        PlayFlights(client => client.Expect("P B E B E P S", Inserted(new Answer().ParseComplete(), 2)
            .ErrorResponse("42601").ReadyForQuery()));
        await Open();
        await Catch<PgException>(() => Run(Insert, Long, "short", "lone \ud800 surrogate"));
    }

    [Test]
    public async Task An_error_ends_rows_without_end()
    {
        Play(server =>
        {
            server.Login();
            server.Expect<Parse>();
            for (var row = 0; row < 3; row++)
            {
                server.Expect<Bind>();
                server.Expect<Execute>();
            }
            Inserted(server.Send.ParseComplete(), 2).BindComplete().ErrorResponse("22012", "division by zero");
            while (server.ExpectAny() is not Sync)
            {
            }
            server.Send.ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var error = await Catch<PostgresException>(() => Run(Insert, Endless()));
        Assert.That((error.SqlState, error.FailedRow), Is.EqualTo(("22012", 2L)));
        await AssertUsable();
    }

    [Test]
    public async Task The_failed_row_is_counted_and_unknown_at_the_commit()
    {
        PlayFlights(client =>
        {
            client.Expect("P B E B E B E S", Inserted(new Answer().ParseComplete(), 1).BindComplete().ErrorResponse("23505").ReadyForQuery());
            client.Expect("P B E B E B E S", Inserted(new Answer().ParseComplete(), 1).ErrorResponse("22P03").ReadyForQuery());
            client.Expect("P B E B E B E S", new Answer().ErrorResponse("42601").ReadyForQuery());
            client.Expect("P B E B E B E S", Inserted(new Answer().ParseComplete(), 3).ErrorResponse("23503").ReadyForQuery());
        });
        await Open();
        var rows = new List<long?>();
        for (var i = 0; i < 4; i++)
            rows.Add((await Catch<PostgresException>(() => Run(Insert, 1, 2, 3))).FailedRow);
        Assert.That(rows, Is.EqualTo(new long?[] { 1, 1, 0, null }));
    }

    [Test]
    public async Task A_prepared_statement_that_the_server_has_lost_is_reported_and_parsed_with_the_next_run()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba E S", Inserted(new Answer().ParseComplete(), 1).ReadyForQuery());
            client.Expect("Ba E Ba E S", Missing());
            client.Expect("Ca Pa Ba E S", Inserted(new Answer().CloseComplete().ParseComplete(), 1).ReadyForQuery());
        });
        await Open(Default);
        await Run(Insert, 1);
        await Outdated(() => Run(Insert, 1, 2));
        Assert.That(await Run(Insert, 1), Is.EqualTo(1));
    }

    [Test]
    public async Task Rows_of_results_are_skipped_and_are_requested_as_text()
    {
        Flights? flights = null;
        PlayFlights(client =>
        {
            flights = client;
            client.Expect("P B E B E S", new Answer().ParseComplete()
                .BindComplete().DataRow(1).DataRow(2).CommandComplete("SELECT 2")
                .BindComplete().DataRow(new byte[200_000]).CommandComplete("SELECT 1").ReadyForQuery());
        });
        await Open();
        Assert.That(await Run("SELECT f($1)", 1, 2), Is.EqualTo(-1));
        Assert.That(flights!.Formats, Is.EqualTo(new short[] { 0 }));
    }

    [TestCase(true)]
    [TestCase(false)]
    public async Task A_type_is_looked_up_within_the_group_once_rows_have_been_written(bool isAnswered)
    {
        Play(server =>
        {
            server.Login();
            server.Expect<Parse>();
            server.Expect<Bind>();
            server.Expect<Execute>();
            Assert.That(server.Expect<Parse>().Sql, Does.Contain("pg_type"));
            server.Expect<Bind>();
            server.Expect<Execute>();
            server.Expect<Flush>();
            Inserted(server.Send.ParseComplete(), 1);
            if (isAnswered)
            {
                server.Send.ParseComplete().BindComplete().CommandComplete("SELECT 0");
                Assert.That(server.Expect<Parse>().Sql, Does.Contain("fails to undo"));
                server.Send.ErrorResponse("42601");
            }
            else
            {
                server.Send.ErrorResponse("42501", "permission denied");
            }
            server.Expect<Sync>();
            server.Send.ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var command = Command(Insert);
        command.Parameters.Add(new PgParameter());
        object[] rows = [1, new FormatException()];
        PgException? error = null;
        try
        {
            await Mode.Run(() => command.ExecuteMany(rows, BindType), () => command.ExecuteManyAsync(rows, BindType));
        }
        catch (PgException e)
        {
            error = e;
        }
        Assert.That(error?.Code, Is.EqualTo(isAnswered ? PgErrorCode.ParameterInvalid : PgErrorCode.ServerError));
        await AssertUsable();

        static void BindType(object row, PgParameterCollection parameters)
        {
            parameters[0].DataTypeName = row is int ? "int4" : "unknown_type";
            parameters[0].Value = row is int ? row : "text";
        }
    }

    [Test]
    public async Task Statements_that_may_change_meanings_are_parsed_once_and_parsed_again_by_the_next_run()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba E Ba E S", new Answer().ParseComplete()
                .BindComplete().DataRow(1).CommandComplete("SELECT 1").BindComplete().DataRow(1).CommandComplete("SELECT 1").ReadyForQuery());
            client.Expect("Ca Pa Ba E S", new Answer().CloseComplete().ParseComplete()
                .BindComplete().DataRow(1).CommandComplete("SELECT 1").ReadyForQuery());
        });
        await Open(Default);
        const string SetPath = "SELECT set_config('search_path', $1, false)";
        Assert.That(await Run(SetPath, "a", "b"), Is.EqualTo(-1));
        Assert.That(await Run(SetPath, "c"), Is.EqualTo(-1));
    }

    [Test]
    public async Task Several_statements_outputs_streams_and_copy_are_refused_before_anything_is_sent()
    {
        Play(server =>
        {
            server.Login();
            server.AnswerCommand();
        });
        await Open();
        await Catch<NotSupportedException>(() => Run("SELECT @a; SELECT @a", 1));
        await Catch<PgException>(() => Run("COPY t FROM STDIN", 1));
        using var stream = new MemoryStream([1, 2, 3]);
        await Catch<PgException>(() => Run(Insert, stream));
        var command = Command(Insert);
        command.Parameters.Add(new PgParameter { Direction = System.Data.ParameterDirection.InputOutput, Value = 1 });
        await Catch<NotSupportedException>(() => Run(command, [1]));
        await AssertUsable();
    }

    [Test]
    public async Task A_token_that_is_cancelled_before_rows_were_sent_sends_nothing()
    {
        Play(server =>
        {
            server.Login();
            server.AnswerCommand();
        });
        await Open();
        if (Mode == WaitMode.Async)
        {
            using var source = new CancellationTokenSource();
            var command = Command(Insert);
            var parameter = new PgParameter<int>();
            command.Parameters.Add(parameter);
            var error = await Catch<OperationCanceledException>(() => command.ExecuteManyAsync([1, 2], (row, _) =>
            {
                parameter.TypedValue = row;
                source.Cancel();
            }, source.Token));
            Assert.That(error.CancellationToken, Is.EqualTo(source.Token));
        }
        await AssertUsable();
    }

    [Test]
    public async Task A_wait_that_takes_too_long_is_cancelled()
    {
        Play(server =>
        {
            server.Login();
            server.Expect<Parse>();
            server.Expect<Bind>();
            server.Expect<Execute>();
            server.Expect<Sync>();
            server.LetTimePass(30.1);
            server.ExpectCancel().End();
            server.Send.ParseComplete().BindComplete().ErrorResponse("57014", "canceling statement due to user request").ReadyForQuery();
            server.Expect<Sync>();
            server.Send.ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var error = await Catch<PgException>(() => Run(Insert, 1));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
        Assert.That((error.InnerException!.InnerException as PostgresException)?.FailedRow, Is.Zero);
        await AssertUsable();
    }

    private static IEnumerable<object> Endless()
    {
        while (true)
            yield return Long;
    }

    private static Answer Inserted(Answer answer, int rows)
    {
        for (var row = 0; row < rows; row++)
            answer.BindComplete().CommandComplete("INSERT 0 1");
        return answer;
    }

    // A row that is an exception is thrown.
    private Task<long> Run(string sql, params IEnumerable<object> rows)
    {
        var command = Command(sql);
        command.Parameters.Add(new PgParameter { ParameterName = sql.Contains('@') ? "a" : "" });
        return Run(command, rows);
    }

    private Task<long> Run(PgCommand command, IEnumerable<object> rows) =>
        Mode.Run(() => command.ExecuteMany(rows, Bind), () => command.ExecuteManyAsync(rows, Bind));

    private static void Bind(object row, PgParameterCollection parameters) =>
        parameters[0].Value = row is Exception e ? throw e : row;
}
