namespace Loxo.IntegrationTests.Transactions;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class SavepointTests(WaitMode mode) : DatabaseTest(mode)
{
    [SetUp]
    public Task CreateTable() => Execute("CREATE TEMP TABLE things (id int)");

    [TestCase("plain")]
    [TestCase("With Capitals")]
    [TestCase("quote\"inside")]
    [TestCase("semicolon; DROP TABLE things")]
    [TestCase("select")]
    [TestCase("größe")]
    public async Task Rolling_back_to_a_savepoint_undoes_what_came_after_it(string name)
    {
        await using var transaction = Connection.BeginTransaction();
        await Execute("INSERT INTO things VALUES (1)");
        await Save(transaction, name);
        await Execute("INSERT INTO things VALUES (2)");
        await RollbackTo(transaction, name);
        await Mode.Commit(transaction);

        Assert.That(await Sum(), Is.EqualTo(1));
    }

    [Test]
    public async Task A_failed_transaction_goes_on_after_rolling_back_to_a_savepoint()
    {
        await using var transaction = Connection.BeginTransaction();
        await Execute("INSERT INTO things VALUES (1)");
        await Save(transaction, "a");
        await Catch<PostgresException>(() => Execute("SELECT 1/0"));
        await RollbackTo(transaction, "a");
        await Execute("INSERT INTO things VALUES (4)");
        await Mode.Commit(transaction);

        Assert.That(await Sum(), Is.EqualTo(5));
    }

    [Test]
    public async Task A_released_savepoint_keeps_what_came_after_it()
    {
        await using var transaction = Connection.BeginTransaction();
        await Save(transaction, "a");
        await Execute("INSERT INTO things VALUES (1)");
        await Release(transaction, "a");
        await Mode.Commit(transaction);

        Assert.That(await Sum(), Is.EqualTo(1));
    }

    [Test]
    public async Task A_savepoint_may_be_rolled_back_to_twice()
    {
        await using var transaction = Connection.BeginTransaction();
        await Save(transaction, "a");
        for (var i = 0; i < 2; i++)
        {
            await Execute("INSERT INTO things VALUES (1)");
            await RollbackTo(transaction, "a");
        }
        await Mode.Commit(transaction);

        Assert.That(await Sum(), Is.Zero);
    }

    [Test]
    public async Task A_savepoint_as_the_first_command_begins_the_transaction()
    {
        await using var transaction = Connection.BeginTransaction();
        await Save(transaction, "a");
        await Execute("INSERT INTO things VALUES (1)");
        await Mode.Rollback(transaction);

        Assert.That(await Sum(), Is.Zero);
    }

    [Test]
    public async Task An_unknown_savepoint_is_refused_by_its_name()
    {
        await using var transaction = Connection.BeginTransaction();

        var error = await Catch<PostgresException>(() => RollbackTo(transaction, "nowhere"));

        Assert.That(error.MessageText, Does.Contain("nowhere"));
        await Mode.Rollback(transaction);
        await AssertUsable();
    }

    [TestCase(null)]
    [TestCase("")]
    [TestCase("nul\0character")]
    public async Task A_name_that_cannot_be_one_is_refused_before_anything_is_sent(string? name)
    {
        await using var transaction = Connection.BeginTransaction();

        await Catch<ArgumentException>(() => Save(transaction, name!));

        await Execute("INSERT INTO things VALUES (1)");
        await Mode.Commit(transaction);
        Assert.That(await Sum(), Is.EqualTo(1));
    }

    private Task Save(PgTransaction transaction, string name) => Mode.Run(() => transaction.Save(name), () => transaction.SaveAsync(name));

    private Task RollbackTo(PgTransaction transaction, string name) =>
        Mode.Run(() => transaction.Rollback(name), () => transaction.RollbackAsync(name));

    private Task Release(PgTransaction transaction, string name) => Mode.Run(() => transaction.Release(name), () => transaction.ReleaseAsync(name));

    private Task<long> Sum() => Scalar<long>("SELECT coalesce(sum(id), 0) FROM things");
}
