using Loxo.Tests.Wire;

namespace Loxo.Tests;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PgBatchTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public async Task Without_barriers_one_Sync_ends_the_batch_and_the_first_error_skips_the_rest()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectStatement();
            server.ExpectStatement();
            server.ExpectCommand();
            server.Send.Command("INSERT 0 1").ErrorResponse("23505").ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var error = await Catch<PostgresException>(() => Run(Batch(barriers: false)));
        Assert.That(error.SqlState, Is.EqualTo("23505"));
        await AssertUsable();
    }

    [Test]
    public async Task With_barriers_each_statement_stands_for_itself()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.ExpectCommand();
            server.ExpectCommand();
            server.Send.Command("INSERT 0 1").ReadyForQuery().ErrorResponse("23505").ReadyForQuery().Command("UPDATE 5").ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var batch = Batch(barriers: true);
        var error = await Catch<PostgresException>(() => Run(batch));
        Assert.That(error.SqlState, Is.EqualTo("23505"));
        Assert.That(batch.BatchCommands.Cast<PgBatchCommand>().Select(command => command.RecordsAffected), Is.EqualTo(new[] { 1, -1, 5 }));
        await AssertUsable();
    }

    [Test]
    public async Task Definitions_that_a_later_statement_changes_count_as_changed_when_that_has_run()
    {
        long before = -1;
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.ExpectCommand();
            server.Send.Command("INSERT 0 1").ReadyForQuery();
            server.Channel.AwaitClientWaiting();
            before = Connection.Session!.Context.Database.Invalidations;
            server.Send.Command("ALTER TABLE").ReadyForQuery();
        });
        await Open();
        var batch = new PgBatch(Connection) { EnableErrorBarriers = true };
        batch.BatchCommands.Add(new PgBatchCommand("INSERT INTO t VALUES (1)"));
        batch.BatchCommands.Add(new PgBatchCommand("ALTER TABLE t ADD x int"));
        await Run(batch);
        Assert.That(Connection.Session!.Context.Database.Invalidations, Is.GreaterThan(before));
    }

    [Test]
    public async Task Several_errors_are_thrown_together()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.ExpectCommand();
            server.ExpectCommand();
            server.Send.ErrorResponse("23505").ReadyForQuery().Command("UPDATE 5").ReadyForQuery().ErrorResponse("22012").ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        var error = await Catch<PgException>(() => Run(Batch(barriers: true)));
        var all = (error.InnerException as AggregateException)!.InnerExceptions.Cast<PostgresException>();
        Assert.That(all.Select(one => one.SqlState), Is.EqualTo(new[] { "23505", "22012" }));
        await AssertUsable();
    }

    [Test]
    public async Task A_copy_before_a_barrier_ends_the_connection_since_nobody_can_tell_which_groups_the_server_has_skipped()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.ExpectCommand();
            server.ExpectCommand();
            // While it copies, the server passes over the first Sync; the second group's Parse ends the copy.
            server.Send.ParseComplete().BindComplete().NoData().CopyInResponse();
        });
        await Open();
        var error = await Catch<PgException>(() => Run(Batch(barriers: true)));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.NotSupported));
        Assert.That(error.Message, Does.Contain("COPY FROM STDIN").And.Contain("closed"));
        Assert.That(Connection.State, Is.EqualTo(System.Data.ConnectionState.Closed));
    }

    [Test]
    public async Task The_failed_statement_is_told_when_asked_for()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectStatement();
            server.ExpectStatement();
            server.ExpectCommand();
            server.Send.Command("INSERT 0 1").ErrorResponse("23505").ReadyForQuery();
        });
        await Open("Include Failed Batched Command=true");
        var batch = Batch(barriers: false);
        var error = await Catch<PostgresException>(() => Run(batch));
        Assert.That(error.BatchCommand, Is.SameAs(batch.BatchCommands[1]));
    }

    private PgBatch Batch(bool barriers)
    {
        var batch = Connection.CreateBatch();
        batch.EnableErrorBarriers = barriers;
        foreach (var sql in new[] { "INSERT", "INSERT AGAIN", "UPDATE" })
            batch.BatchCommands.Add(new PgBatchCommand(sql));
        return batch;
    }

    private Task<int> Run(PgBatch batch) => Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync());
}
