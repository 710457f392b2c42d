using System.Data;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>Statements behind a pooler, which gives each transaction another server process (another backend).</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class BehindPoolerTests(WaitMode mode) : StatementTest(mode)
{
    private const string Transaction = AtOnce + "Pooler=Transaction", Prepared = AtOnce + "Pooler=TransactionPrepared";

    private const string X = "SELECT x";

    [Test]
    public async Task With_Transaction_every_use_is_unnamed_whatever_is_said_of_preparing()
    {
        PlayFlights(client =>
        {
            for (var i = 0; i < 4; i++)
                client.Expect(Unnamed, Answer.Select(i));
        });
        await Open(Transaction);
        for (var i = 0; i < 4; i++)
            Assert.That(await Rows(X), Is.EqualTo(new[] { i }));
    }

    [TestCase("SET a.b = 1")]
    [TestCase("LISTEN c")]
    [TestCase("CREATE TEMP TABLE t ()")]
    [TestCase("SELECT pg_advisory_lock(1)")]
    [TestCase("PREPARE p AS SELECT 1")]
    [TestCase("DECLARE c CURSOR WITH HOLD FOR SELECT 1")]
    [TestCase("LOAD 'l'")]
    [TestCase("SELECT 1; LISTEN c")]
    public async Task What_lasts_is_refused_before_anything_is_sent(string sql)
    {
        foreach (var pooler in new[] { Transaction, Prepared })
        {
            Play(server =>
            {
                server.Login();
                server.AnswerCommand();
            });
            await Open(pooler + ";Auto Prepare Min Usages=2");
            var error = await Catch<PgException>(() => Execute(sql));
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.NotSupported));
            Assert.That(error.Message, Does.Contain("Nothing was sent"));
            Assert.That(await Scalar(), Is.EqualTo(42));
            StartOver();
        }
    }

    [Test]
    public async Task What_is_refused_in_front_of_a_transaction_leaves_its_BEGIN_pending()
    {
        PlayFlights(client => client.Expect("P B E P B D E S", BeginDone().Result(1).ReadyForQuery('T')));
        await Open(Transaction);
        await Begin();
        await Catch<PgException>(() => Execute("LISTEN c"));
        Assert.That(await Rows(X), Is.EqualTo(new[] { 1 }));
    }

    [Test]
    public async Task With_Transaction_Prepare_is_refused_before_anything_is_sent()
    {
        PlayFlights(client => client.Expect(Unnamed, Answer.Select(1)));
        await Open(Transaction);
        await using var command = Command(X);
        var error = await Catch<PgException>(() => Mode.Prepare(command));
        Assert.That(error.Message, Does.Contain("Pooler=TransactionPrepared"));
        Assert.That(await Rows(X), Is.EqualTo(new[] { 1 }));
    }

    // A pooler hands the server process on when it sees the answer, and a part of the next command with it.
    [Test]
    public async Task Nothing_is_sent_in_front_of_the_answer_to_a_rollback_that_nobody_waits_for()
    {
        Play(server =>
        {
            server.Login();
            server.Expect<Query>();
            server.Channel.AwaitClientWaiting();
            Assert.That(server.Channel.Unread, Is.Zero);
            server.Send.CommandComplete("ROLLBACK").ReadyForQuery();
            server.AnswerCommand();
        });
        await Open(Transaction);
        await Mode.Run(Connection.DeferRollback, () => Connection.DeferRollbackAsync().AsTask());
        Assert.That(await Scalar(), Is.EqualTo(42));
    }

    [Test]
    public async Task A_rollback_that_is_not_answered_ends_the_command_behind_it_in_time()
    {
        Play(server =>
        {
            server.Login();
            server.Expect<Query>();
            server.LetTimePassUntilShutdown();
        });
        await Open(Transaction + ";Command Timeout=2");
        await Mode.Run(Connection.DeferRollback, () => Connection.DeferRollbackAsync().AsTask());
        var error = await Catch<PgException>(() => Scalar());
        Assert.That(error.InnerException, Is.InstanceOf<TimeoutException>(), error.ToString());
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_group_of_a_pipeline_is_sent_when_the_group_before_it_is_answered([Values] bool disposes)
    {
        Play(server =>
        {
            server.Login();
            for (var group = 1; group <= 3; group++)
            {
                for (var i = 1; i <= 2; i++)
                    server.ExpectStatement();
                server.Expect<Sync>();
                server.Channel.AwaitClientWaiting();
                Assert.That(server.Channel.Unread, Is.Zero);
                server.Send.Result(group * 10).Result((group * 10) + 1).ReadyForQuery();
            }
            server.AnswerCommand();
        });
        await Open(Transaction);
        var results = new List<PgPipelineResult<int>>();
        await using (var pipeline = Connection.CreatePipeline())
        {
            for (var group = 1; group <= 3; group++)
            {
                for (var i = 1; i <= 2; i++)
                    results.Add(pipeline.AddScalar<int>(Command(X)));
                pipeline.Sync();
            }
            if (!disposes)
            {
                // The last one first.
                for (var i = results.Count - 1; i >= 0; i--)
                    Assert.That(await Mode.Run(results[i].GetResult, () => results[i].GetResultAsync()), Is.EqualTo((((i / 2) + 1) * 10) + (i % 2)));
            }
            if (Mode == WaitMode.Blocking)
                pipeline.Dispose();
        }
        Assert.That(await Scalar(), Is.EqualTo(42));
    }

    [Test]
    public async Task A_group_of_a_batch_is_sent_when_the_group_before_it_is_answered([Values] bool inTransaction, [Values] bool fails)
    {
        Play(server =>
        {
            server.Login();
            for (var group = 1; group <= 3; group++)
            {
                if (inTransaction && group == 1)
                    server.ExpectBegin();
                server.ExpectStatement();
                server.Expect<Sync>();
                server.Channel.AwaitClientWaiting();
                Assert.That(server.Channel.Unread, Is.Zero);
                if (inTransaction && group == 1)
                    server.Send.ParseComplete().BindComplete().CommandComplete("BEGIN");
                if (fails && group == 2)
                    server.Send.ErrorResponse("22012", "division by zero").ReadyForQuery(inTransaction ? 'T' : 'I');
                else
                    server.Send.Result(group).ReadyForQuery(inTransaction ? 'T' : 'I');
            }
            server.AnswerCommand();
        });
        await Open(Transaction);
        if (inTransaction)
            await Begin();
        await using var batch = new PgBatch(Connection) { EnableErrorBarriers = true };
        for (var i = 0; i < 3; i++)
            batch.BatchCommands.Add(new PgBatchCommand(X));
        var read = new List<int>();
        async Task ReadAll()
        {
            await using var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
            do
            {
                while (await Mode.Read(reader))
                    read.Add(reader.GetInt32(0));
            }
            while (await Mode.NextResult(reader));
        }
        if (fails)
            await Catch<PostgresException>(ReadAll);
        else
            await ReadAll();
        Assert.That(read, Is.EqualTo(fails ? new[] { 1, 3 } : new[] { 1, 2, 3 }));
        Assert.That(await Scalar(), Is.EqualTo(42));
    }

    [Test]
    public async Task A_result_of_a_pipeline_whose_time_is_over_before_the_group_in_front_of_it_is_answered_is_not_sent()
    {
        using var failed = new ManualResetEventSlim();
        Play(server =>
        {
            server.Login();
            server.ExpectStatement();
            server.Expect<Sync>();
            server.LetTimePassUntil(() => failed.IsSet);
            server.Send.Result(1).ReadyForQuery();
            server.ExpectUndoing();
            server.Expect<Sync>();
            server.Send.ErrorResponse("42601").ReadyForQuery();
            server.AnswerCommand();
        });
        await Open(Transaction);
        await using (var pipeline = Connection.CreatePipeline())
        {
            var first = pipeline.AddScalar<int>(Command(X));
            pipeline.Sync();
            var command = Command(X);
            command.CommandTimeout = 2;
            var second = pipeline.AddScalar<int>(command);
            var error = await Catch<PgException>(() => Mode.Run(second.GetResult, () => second.GetResultAsync()));
            failed.Set();
            Assert.That((error.Code, error.Message.Contains("before it was sent", StringComparison.Ordinal)), Is.EqualTo((PgErrorCode.Timeout, true)));
            Assert.That(await Mode.Run(first.GetResult, () => first.GetResultAsync()), Is.EqualTo(1));
        }
        Assert.That(await Scalar(), Is.EqualTo(42));
    }

    [Test]
    public async Task Behind_an_error_barrier_all_rows_come_at_once()
    {
        PlayFlights(client =>
        {
            client.Expect(Unnamed, Answer.Select(1));
            client.Expect(Unnamed, new Answer().Result(2, 3).ReadyForQuery());
        });
        await Open(Transaction);
        await using var batch = new PgBatch(Connection) { FetchSize = 1, EnableErrorBarriers = true };
        batch.BatchCommands.Add(new PgBatchCommand(X));
        batch.BatchCommands.Add(new PgBatchCommand(X));
        var read = new List<int>();
        await using var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
        do
        {
            while (await Mode.Read(reader))
                read.Add(reader.GetInt32(0));
        }
        while (await Mode.NextResult(reader));
        Assert.That(read, Is.EqualTo(new[] { 1, 2, 3 }));
    }

    [Test]
    public async Task Named_statements_are_always_described()
    {
        PlayFlights(client =>
        {
            client.Expect(Unnamed, Answer.Select(1));
            client.Expect("Pa Ba D E S", Answer.Select(2));
            client.Expect("Ba D E S", Described(3));
            client.Expect("Ba D E S", Described(4));
        });
        await Open(Prepared + ";Auto Prepare Min Usages=2");
        for (var i = 1; i <= 4; i++)
            Assert.That(await Rows(X), Is.EqualTo(new[] { i }));
    }

    [Test]
    public async Task A_backend_that_does_not_know_the_statement_is_told_unseen()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect("Ba D E S", Missing());
            client.Expect(Anew, Again(2));
            client.Expect("Ba D E S", Described(3));
            client.Expect("Ba D E S", Missing());
            client.Expect(Anew, Again(4));
        });
        await Open(Prepared);
        for (var i = 1; i <= 4; i++)
            Assert.That(await Rows(X), Is.EqualTo(new[] { i }));
    }

    [Test]
    public async Task A_backend_that_knows_the_name_already_is_used_unseen()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Duplicate());
            client.Expect("Ba D E S", Described(1));
            client.Expect("Ba D E S", Described(2));
        });
        await Open(Prepared);
        Assert.That(await Rows(X), Is.EqualTo(new[] { 1 }));
        Assert.That(await Rows(X), Is.EqualTo(new[] { 2 }));
    }

    [Test]
    public async Task A_transaction_that_meets_a_backend_with_the_name_begins_again()
    {
        PlayFlights(client =>
        {
            client.Expect("P B E Pa Ba D E S", BeginDone().Raw(Duplicate('E')));
            client.Expect("'ROLLBACK'", new Answer().CommandComplete("ROLLBACK").ReadyForQuery());
            client.Expect("P B E Ba D E S", BeginDone().BindComplete().RowDescription(("value", 23)).DataRow(1).CommandComplete("SELECT 1").ReadyForQuery('T'));
        });
        await Open(Prepared);
        await Begin();
        Assert.That(await Rows(X), Is.EqualTo(new[] { 1 }));
    }

    [Test]
    public async Task A_transaction_that_has_done_something_fails_with_a_precise_error_and_the_next_use_works()
    {
        PlayFlights(client =>
        {
            client.Expect("P B E P B D E S", BeginDone().Command("INSERT 0 1").ReadyForQuery('T'));
            client.Expect("Pa Ba D E S", Duplicate('E'));
            client.Expect("'ROLLBACK'", new Answer().CommandComplete("ROLLBACK").ReadyForQuery());
            client.Expect("Ba D E S", Described(1));
        });
        await Open(Prepared);
        var transaction = await Begin();
        var insert = Command("INSERT INTO t VALUES (1)");
        insert.AutoPrepare = false;
        await Mode.ExecuteNonQuery(insert);
        var error = await Outdated(() => Rows(X));
        Assert.That(error.InnerException, Has.Property(nameof(PostgresException.SqlState)).EqualTo("42P05"));
        await Mode.Rollback(transaction);
        Assert.That(await Rows(X), Is.EqualTo(new[] { 1 }));
    }

    [Test]
    public async Task A_backend_that_describes_the_statement_otherwise_is_read_by_its_own_description()
    {
        var bits = BitConverter.DoubleToInt64Bits(2.5);
        byte[] binary = [.. Answer.Int32((int)(bits >> 32)), .. Answer.Int32((int)bits)];
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", new Answer().ParseComplete().BindComplete().RowDescription(("a", 20)).DataRow(binary).CommandComplete("SELECT 1").ReadyForQuery());
            client.Expect("Ba D E S", new Answer().BindComplete().RowDescription(("b", 701)).DataRow(binary).CommandComplete("SELECT 1").ReadyForQuery());
            client.Expect("Ba D E S", new Answer().BindComplete().RowDescription(("c", 23), ("d", 25)).DataRow(Answer.Int32(5), "text"u8.ToArray())
                .CommandComplete("SELECT 1").ReadyForQuery());
        });
        await Open(Prepared);
        Assert.That(await Described(), Is.EqualTo(new object[] { "a", bits }));
        Assert.That(await Described(), Is.EqualTo(new object[] { "b", 2.5 }));
        Assert.That(await Described(), Is.EqualTo(new object[] { "c", 5, "d", "text" }));
    }

    [Test]
    public async Task Clients_give_one_name_to_one_text_with_the_same_types_and_another_to_any_other()
    {
        List<string> names = [];
        Play(server =>
        {
            for (var client = 0; client < 2; client++)
            {
                if (client > 0)
                    server = server.Server.Accept();
                server.Login();
                for (var i = 0; i < 4; i++)
                {
                    names.Add(server.Expect<Parse>().Statement);
                    Assert.That(server.Expect<Bind>().Statement, Is.EqualTo(names[^1]));
                    server.Expect<Describe>();
                    server.Expect<Execute>();
                    server.Expect<Sync>();
                    server.Write(Answer.Select(i).Bytes);
                }
            }
        });
        for (var client = 0; client < 2; client++)
        {
            // A data source of its own, as in another process.
            await using var source = Server.DataSource(Prepared);
            await using var connection = source.CreateConnection();
            await Mode.Open(connection);
            foreach (var (sql, value) in new (string, object)[] { ("SELECT $1", 1), ("SELECT $1", 1L), ("SELECT $1", "x"), ("SELECT $1 ", 1) })
                await Mode.ExecuteScalar(new PgCommand(sql, connection) { Parameters = { new PgParameter { Value = value } } });
        }
        Assert.That(names[4..], Is.EqualTo(names[..4]));
        Assert.That(names[..4], Is.Unique);
    }

    [Test]
    public async Task Sessions_that_know_of_no_pooler_have_names_of_their_own()
    {
        List<string> names = [];
        Play(server =>
        {
            for (var client = 0; client < 2; client++)
            {
                server = client == 0 ? server : server.Server.Accept();
                server.Login();
                var flights = new Flights(server);
                flights.Expect("Pa Ba D E S", Answer.Select(1));
                flights.Expect("Ba E S", Known(2));
                names.Add(flights.Name(0));
            }
        });
        await using var source = Server.DataSource(AtOnce);
        for (var client = 0; client < 2; client++)
        {
            await using var connection = source.CreateConnection();
            await Mode.Open(connection);
            for (var i = 1; i <= 2; i++)
                Assert.That(await Mode.ExecuteScalar(new PgCommand(X, connection)), Is.EqualTo(i));
        }
        Assert.That(names, Is.Unique);
        Assert.That(names, Has.All.StartsWith(Loxo.Session.StatementName.Of(X, [])));
        Assert.That(names, Has.All.Length.LessThanOrEqualTo(63));
    }

    [Test]
    public async Task Prepare_is_eager_and_its_statement_is_described_with_each_use()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Da S", new Answer().ParseComplete().Add('t', [0, 0]).RowDescription(("value", 23)).ReadyForQuery());
            client.Expect("Ba D E S", Described(1));
            client.Expect("Ba D E S", Missing());
            client.Expect(Anew, Again(2));
        });
        await Open(Prepared);
        await using var command = Command(X);
        await Mode.Prepare(command);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(2));
    }

    [Test]
    public async Task Prepare_in_a_transaction_that_meets_a_backend_with_the_name_begins_again()
    {
        PlayFlights(client =>
        {
            client.Expect("P B E Pa Da S", BeginDone().Raw(Duplicate('E')));
            client.Expect("'ROLLBACK'", new Answer().CommandComplete("ROLLBACK").ReadyForQuery());
            client.Expect("P B E Da S", BeginDone().Add('t', [0, 0]).RowDescription(("value", 23)).ReadyForQuery('T'));
            client.Expect("Ba D E S", Described(1));
        });
        await Open(Prepared);
        await Begin();
        await using var command = Command(X);
        await Mode.Prepare(command);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
    }

    [Test]
    public async Task Prepare_that_meets_a_backend_with_the_name_succeeds()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Da S", Duplicate());
            client.Expect("Da S", new Answer().Add('t', [0, 0]).RowDescription(("value", 23)).ReadyForQuery());
            client.Expect("Ba D E S", Described(1));
        });
        await Open(Prepared);
        await using var command = Command(X);
        await Mode.Prepare(command);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
    }

    // Names and values of the only row.
    private async Task<List<object>> Described()
    {
        var reader = await Mode.ExecuteReader(Command(X));
        Assert.That(await Mode.Read(reader), Is.True);
        var seen = new List<object>();
        for (var i = 0; i < reader.FieldCount; i++)
        {
            seen.Add(reader.GetName(i));
            seen.Add(reader.GetValue(i));
        }
        await Mode.Close(reader);
        return seen;
    }
}
