using Loxo.IntegrationTests.Chaos;

namespace Loxo.IntegrationTests.Transactions;

/// <summary>BEGIN has no round trip of its own.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class RoundTripTests(WaitMode mode) : ChaosTest(mode)
{
    [Test]
    public async Task BEGIN_travels_with_the_first_command()
    {
        var (connection, link) = await Open();
        var before = link.ToServer.Passed;
        await using var transaction = connection.BeginTransaction();
        Assert.That(link.ToServer.Passed, Is.EqualTo(before));
        var commands = link.ToClient.Saw('C', 2);
        var secondAnswer = link.ToClient.Saw('Z', 2);

        await Scalar(connection, "SELECT 1");

        await Finish(commands);
        Assert.That(secondAnswer.IsCompleted, Is.False, "BEGIN and the command have one ReadyForQuery");
        await Start(() => Mode.Commit(transaction));
        await Finish(secondAnswer);
    }

    [Test]
    public async Task A_transaction_in_a_pipeline_sends_nothing_behind_the_answer_to_its_COMMIT()
    {
        var (connection, link) = await Open();
        await using var transaction = connection.BeginTransaction();
        var pipeline = connection.CreatePipeline();
        pipeline.AddNonQuery("SELECT 1");
        var commit = pipeline.AddCommit();

        await Start(() => Mode.Run(commit.Wait, () => commit.WaitAsync()));
        var sent = link.ToServer.Passed;
        await Start(() => Mode.Dispose(pipeline));

        Assert.That(link.ToServer.Passed, Is.EqualTo(sent));
    }

    [Test]
    public async Task A_transaction_without_a_command_sends_nothing_at_all()
    {
        var (connection, link) = await Open();
        var before = link.ToServer.Passed;

        var transaction = connection.BeginTransaction();
        await Start(() => Mode.Commit(transaction));

        Assert.That(link.ToServer.Passed, Is.EqualTo(before));
    }

    [Test]
    public async Task A_savepoint_takes_the_BEGIN_along()
    {
        var (connection, link) = await Open();
        await using var transaction = connection.BeginTransaction();
        var commands = link.ToClient.Saw('C', 2);
        var secondAnswer = link.ToClient.Saw('Z', 2);

        await Start(() => Mode.Run(() => transaction.Save("a"), () => transaction.SaveAsync("a")));

        await Finish(commands);
        Assert.That(secondAnswer.IsCompleted, Is.False);
    }

    [Test]
    public async Task A_connection_lost_in_the_middle_of_COMMIT_is_reported([Values] bool reset, [Values] bool inPipeline)
    {
        var (connection, link) = await Open();
        await using var transaction = connection.BeginTransaction();
        await Scalar(connection, "SELECT 1");
        link.ToClient.GateAfterBytes(0);
        var sent = link.ToServer.Saw(inPipeline ? 'S' : 'Q');
        var committing = Start(() => Commit(transaction, inPipeline));
        await Finish(sent);
        if (reset)
            link.Reset();
        else
            link.Cut();

        var error = await Error<PgException>(committing);
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.CommitOutcomeUnknown));
        Assert.That(error.IsTransient, Is.False);
        await AssertClosedButReusable(connection);
    }

    [Test]
    public async Task A_COMMIT_that_is_not_answered_ends_by_the_command_timeout([Values] bool inPipeline)
    {
        var (connection, link) = await Open("Command Timeout=1;Cancellation Timeout=200");
        await using var transaction = connection.BeginTransaction();
        await Scalar(connection, "SELECT 1");
        link.ToClient.GateAfterBytes(0);

        var error = await Error<PgException>(Start(() => Commit(transaction, inPipeline)));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.CommitOutcomeUnknown));
        Assert.That(error.InnerException, Is.InstanceOf<PgException>().With.Property(nameof(PgException.Code)).EqualTo(PgErrorCode.Timeout));
        await AssertClosedButReusable(connection);
    }

    [Test]
    public async Task The_end_of_a_group_that_is_lost_tells_whether_the_group_may_be_committed([Values] bool inTransaction)
    {
        var (connection, link) = await Open();
        await using var transaction = inTransaction ? connection.BeginTransaction() : null;
        var pipeline = connection.CreatePipeline();
        link.ToClient.GateAfterBytes(0);
        var sent = link.ToServer.Saw('S');
        pipeline.AddNonQuery("SELECT 1");
        var sync = pipeline.Sync();
        var ending = Start(() => Mode.Run(sync.Wait, () => sync.WaitAsync()));
        await Finish(sent);
        link.Cut();
        var error = await Error<PgException>(ending);
        Assert.That(error.Code, Is.EqualTo(inTransaction ? PgErrorCode.ConnectionClosed : PgErrorCode.CommitOutcomeUnknown));
        Assert.That(error.IsTransient, Is.EqualTo(inTransaction));
        await Mode.Dispose(pipeline);
        await AssertClosedButReusable(connection);
    }

    private async Task Commit(PgTransaction transaction, bool inPipeline)
    {
        if (!inPipeline)
        {
            await Mode.Commit(transaction);
            return;
        }
        var pipeline = transaction.Connection!.CreatePipeline();
        try
        {
            var commit = pipeline.AddCommit();
            await Mode.Run(commit.Wait, () => commit.WaitAsync());
        }
        finally
        {
            await Mode.Dispose(pipeline);
        }
    }
}
