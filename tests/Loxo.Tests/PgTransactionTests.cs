using System.Data;
using Loxo.Tests.Wire;

namespace Loxo.Tests;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PgTransactionTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public async Task Beginning_sends_nothing_and_the_first_command_takes_BEGIN_along()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectBegin();
            server.ExpectCommand();
            server.Send.ParseComplete().BindComplete().CommandComplete("BEGIN").Result(1).ReadyForQuery('T');
            Complete(server, "COMMIT");
        });
        await Open();
        var transaction = await Begin();
        Assert.That((transaction.Connection, transaction.IsolationLevel), Is.EqualTo((Connection, IsolationLevel.ReadCommitted)));
        Assert.That(await Scalar(), Is.EqualTo(1));
        await Mode.Commit(transaction);
        Assert.That(transaction.Connection, Is.Null);
    }

    [Test]
    public async Task A_transaction_without_a_command_is_unknown_to_the_server([Values] End end)
    {
        Play(static server =>
        {
            server.Login();
            server.AnswerCommand();
        });
        await Open();
        var transaction = await Begin();
        await Finish(transaction, end);
        Assert.That(transaction.Connection, Is.Null);
        await AssertUsable();
    }

    [Test]
    public async Task A_transaction_that_is_over_can_be_disposed_and_nothing_else([Values] End end)
    {
        Play(static server =>
        {
            server.Login();
            server.AnswerCommand();
        });
        await Open();
        var transaction = await Begin();
        await Finish(transaction, end);
        Func<Task>[] calls =
        [
            () => Mode.Commit(transaction),
            () => Mode.Rollback(transaction),
            () => Mode.Run(() => transaction.Save("s"), () => transaction.SaveAsync("s")),
            () => Mode.Run(() => transaction.Rollback("s"), () => transaction.RollbackAsync("s")),
            () => Mode.Run(() => transaction.Release("s"), () => transaction.ReleaseAsync("s")),
        ];
        foreach (var call in calls)
            await Assert.ThrowsAsync(end == End.Dispose ? typeof(ObjectDisposedException) : typeof(InvalidOperationException), () => call());
        await Mode.Dispose(transaction);
        await AssertUsable();
    }

    [Test]
    public async Task A_commit_of_a_failed_transaction_says_that_it_was_rolled_back_and_the_connection_can_be_used()
    {
        Play(server =>
        {
            server.Login();
            Begun(server);
            Complete(server, "COMMIT", "ROLLBACK");
            server.AnswerCommand();
        });
        await Open();
        var transaction = await BeginOnServer();
        var error = await Catch<PgException>(() => Mode.Commit(transaction));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TransactionRolledBack));
        Assert.That(transaction.Connection, Is.Null);
        await AssertUsable();
    }

    [Test]
    public async Task A_commit_that_the_server_refuses_ends_the_transaction()
    {
        Play(server =>
        {
            server.Login();
            Begun(server);
            Assert.That(server.Expect<Query>().Sql, Is.EqualTo("COMMIT"));
            server.Send.ErrorResponse("23503", "deferred").ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var transaction = await BeginOnServer();
        Assert.That((await Catch<PostgresException>(() => Mode.Commit(transaction))).SqlState, Is.EqualTo("23503"));
        Assert.That(transaction.Connection, Is.Null);
        await AssertUsable();
    }

    [Test]
    public async Task A_connection_that_ends_behind_the_answer_to_COMMIT_leaves_a_transaction_that_is_committed(
        [Values("", "57P01", "58000")] string sqlState)
    {
        Play(server =>
        {
            server.Login();
            Begun(server);
            Assert.That(server.Expect<Query>().Sql, Is.EqualTo("COMMIT"));
            var answer = server.Send.CommandComplete("COMMIT");
            // Delivering notifications comes between the two messages (ProcessNotifyInterrupt, async.c), and may fail.
            if (sqlState.Length > 0)
                answer.ErrorResponse(sqlState);
            server.End();
        });
        await Open();
        var transaction = await BeginOnServer();
        await Mode.Commit(transaction);
        Assert.That((transaction.Connection, Connection.State), Is.EqualTo((default(PgConnection), ConnectionState.Closed)));
        await Catch<InvalidOperationException>(() => Mode.Commit(transaction));
    }

    [Test]
    public async Task An_error_behind_the_answer_to_COMMIT_does_not_undo_it()
    {
        Play(server =>
        {
            server.Login();
            Begun(server);
            Assert.That(server.Expect<Query>().Sql, Is.EqualTo("COMMIT"));
            server.Send.CommandComplete("COMMIT").ErrorResponse("53200", "out of memory").ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var transaction = await BeginOnServer();
        await Mode.Commit(transaction);
        Assert.That(transaction.Connection, Is.Null);
        await AssertUsable();
    }

    [Test]
    public async Task A_connection_that_ends_with_an_error_in_place_of_the_answer_has_not_committed()
    {
        Play(server =>
        {
            server.Login();
            Begun(server);
            Assert.That(server.Expect<Query>().Sql, Is.EqualTo("COMMIT"));
            server.Send.ErrorResponse("57P01", "terminating connection");
            server.End();
        });
        await Open();
        var transaction = await BeginOnServer();
        Assert.That((await Catch<PostgresException>(() => Mode.Commit(transaction))).SqlState, Is.EqualTo("57P01"));
    }

    [Test]
    public async Task Disposing_sends_ROLLBACK_and_its_reply_is_read_in_front_of_the_next()
    {
        Play(server =>
        {
            server.Login();
            Begun(server);
            Assert.That(server.Expect<Query>().Sql, Is.EqualTo("ROLLBACK"));
            server.ExpectCommand();
            server.Send.CommandComplete("ROLLBACK").ReadyForQuery();
            server.Write(Answer.Select(42).Bytes);
        });
        await Open();
        var transaction = await BeginOnServer();
        await Mode.Dispose(transaction);
        await Mode.Dispose(transaction);
        Assert.That(transaction.Connection, Is.Null);
        await AssertUsable();
    }

    [Test]
    public async Task Disposing_closes_an_open_reader_first_and_its_error_does_not_matter()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectBegin();
            server.ExpectCommand();
            server.Send.ParseComplete().BindComplete().CommandComplete("BEGIN").ParseComplete().BindComplete().RowDescription(("value", 23)).DataRow(1)
                .ErrorResponse("22012").ReadyForQuery('E');
            Assert.That(server.Expect<Query>().Sql, Is.EqualTo("ROLLBACK"));
            server.ExpectCommand();
            server.Send.CommandComplete("ROLLBACK").ReadyForQuery();
            server.Write(Answer.Select(42).Bytes);
        });
        await Open();
        var transaction = await Begin();
        var reader = await Mode.ExecuteReader(Command());
        await Mode.Dispose(transaction);
        Assert.That(reader.IsClosed, Is.True);
        await AssertUsable();
    }

    [Test]
    public async Task A_transaction_that_SQL_has_ended_is_over()
    {
        Play(server =>
        {
            server.Login();
            Begun(server);
            server.ExpectCommand();
            server.Send.Command("COMMIT").ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var transaction = await BeginOnServer();
        await Execute("COMMIT");
        Assert.That(transaction.Connection, Is.Null);
        await Catch<InvalidOperationException>(() => Mode.Commit(transaction));
        await Mode.Dispose(transaction);
        await AssertUsable();
    }

    [Test]
    public async Task Savepoints_are_quoted()
    {
        Play(server =>
        {
            server.Login();
            Begun(server);
            foreach (var verb in new[] { "SAVEPOINT", "ROLLBACK TO SAVEPOINT", "RELEASE SAVEPOINT" })
            {
                Assert.That(server.Expect<Query>().Sql, Is.EqualTo(verb + " \"my \"\"point\"\"\""));
                server.Send.CommandComplete(verb.Split(' ')[0]).ReadyForQuery('T');
            }
        });
        await Open();
        var transaction = await BeginOnServer();
        const string Name = "my \"point\"";
        await Mode.Run(() => transaction.Save(Name), () => transaction.SaveAsync(Name));
        await Mode.Run(() => transaction.Rollback(Name), () => transaction.RollbackAsync(Name));
        await Mode.Run(() => transaction.Release(Name), () => transaction.ReleaseAsync(Name));
        Assert.That(transaction.Connection, Is.SameAs(Connection));
        Server.Finish();
    }

    [Test]
    public async Task A_savepoint_that_is_refused_leaves_the_transaction_open()
    {
        Play(server =>
        {
            server.Login();
            Begun(server);
            server.Expect<Query>();
            server.Send.ErrorResponse("3B001", "savepoint does not exist").ReadyForQuery('E');
            Complete(server, "ROLLBACK");
        });
        await Open();
        var transaction = await BeginOnServer();
        await Catch<PostgresException>(() => Mode.Run(() => transaction.Rollback("s"), () => transaction.RollbackAsync("s")));
        Assert.That(transaction.Connection, Is.SameAs(Connection));
        await Mode.Rollback(transaction);
        Assert.That(transaction.Connection, Is.Null);
    }

    [Test]
    public async Task A_call_whose_token_is_cancelled_beforehand_does_nothing()
    {
        Play(server =>
        {
            server.Login();
            Begun(server);
            Complete(server, "COMMIT");
        });
        await Open();
        var transaction = await BeginOnServer();
        var cancelled = new CancellationToken(canceled: true);
        await Catch<OperationCanceledException>(() => transaction.CommitAsync(cancelled));
        await Catch<OperationCanceledException>(() => transaction.RollbackAsync(cancelled));
        await Catch<OperationCanceledException>(() => transaction.SaveAsync("s", cancelled));
        await Catch<OperationCanceledException>(() => transaction.RollbackAsync("s", cancelled));
        await Catch<OperationCanceledException>(() => transaction.ReleaseAsync("s", cancelled));
        await Mode.Commit(transaction);
    }

    [Test]
    public async Task One_transaction_at_a_time()
    {
        Play(static server => server.Login());
        await Open();
        var first = await Begin();
        var error = await Catch<InvalidOperationException>(Begin);
        Assert.That(error.Message, Does.Contain("Save"));
        await Mode.Rollback(first);
        await Mode.Commit(await Begin());
    }

    [Test]
    public async Task The_connections_end_is_the_transactions_end()
    {
        Play(static server =>
        {
            server.Login();
            server.Expect<Terminate>();
        });
        await Open();
        var transaction = await Begin();
        await Mode.Close(Connection);
        Assert.That(transaction.Connection, Is.Null);
        await Mode.Dispose(transaction);
    }

    public enum End
    {
        Commit,
        Rollback,
        Dispose,
    }

    private static void Begun(ScriptedPeer server)
    {
        server.ExpectBegin();
        server.ExpectCommand();
        server.Send.ParseComplete().BindComplete().CommandComplete("BEGIN").Command("DO").ReadyForQuery('T');
    }

    private static void Complete(ScriptedPeer server, string sql, string? tag = null)
    {
        Assert.That(server.Expect<Query>().Sql, Is.EqualTo(sql));
        server.Send.CommandComplete(tag ?? sql).ReadyForQuery();
    }

    private async Task<PgTransaction> BeginOnServer()
    {
        var transaction = await Begin();
        await Execute();
        return transaction;
    }

    private Task<PgTransaction> Begin() => Mode.Run(() => Connection.BeginTransaction(), () => Connection.BeginTransactionAsync().AsTask());

    private Task Finish(PgTransaction transaction, End end) => end switch
    {
        End.Commit => Mode.Commit(transaction),
        End.Rollback => Mode.Rollback(transaction),
        _ => Mode.Dispose(transaction),
    };
}
