namespace Loxo.IntegrationTests.Execution;

/// <summary>A connection that is kept open: what one statement did is no burden for those long after it.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class LongLivedSessionTests(WaitMode mode) : DatabaseTest(mode)
{
    protected override string ConnectionString => base.ConnectionString + ";Pooling=false";

    [Test]
    public async Task Statements_stay_prepared_through_transactions_after_a_setting_or_a_table_was_made()
    {
        await Execute("SET work_mem = '8MB'");
        await Execute("CREATE TEMP TABLE kept (id int)");
        for (var i = 0; i < 3; i++)
            await InTransaction("SELECT 77");
        var prepared = await PreparedAt();

        for (var i = 0; i < 3; i++)
            await InTransaction("SELECT 77");

        Assert.That(await PreparedAt(), Is.EqualTo(prepared));
    }

    [Test]
    public async Task A_routine_that_was_changed_is_told_by_its_own_transaction_and_not_by_later_ones()
    {
        var told = 0;
        Connection.Session!.Context.Database.RoutinesMayChange = _ => told++;
        await InTransaction("CREATE FUNCTION pg_temp.told() RETURNS int LANGUAGE sql AS 'SELECT 1'");
        Assert.That(told, Is.EqualTo(2), "when it was sent, and when others can see it");

        for (var i = 0; i < 3; i++)
            await InTransaction("SELECT 77");

        Assert.That(told, Is.EqualTo(2));
    }

    [Test]
    public async Task What_was_parsed_after_a_change_that_is_undone_at_once_is_parsed_again()
    {
        await Execute("CREATE TEMP TABLE undone (id int); INSERT INTO undone VALUES (1)");
        for (var i = 0; i < 3; i++)
            await Rows("SELECT * FROM undone");
        await Catch<PostgresException>(() => Execute("ALTER TABLE undone ADD name text; SELECT * FROM undone; SELECT 1 / 0"));

        await using var transaction = Connection.BeginTransaction();
        await Execute("SELECT 77");
        Assert.That(await Rows("SELECT * FROM undone"), Is.EqualTo(new object[][] { [1] }));
    }

    private async Task InTransaction(string sql)
    {
        await using var transaction = Connection.BeginTransaction();
        await Execute(sql);
        await Mode.Commit(transaction);
    }

    private async Task<DateTime> PreparedAt()
    {
        await using var command = Command("SELECT prepare_time FROM pg_prepared_statements WHERE statement = 'SELECT 77'");
        command.AutoPrepare = false;
        return (DateTime)(await Mode.ExecuteScalar(command))!;
    }
}
