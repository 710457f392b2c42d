using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>When statements are parsed, described and closed (design: statements are prepared by default).</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PreparingTests(WaitMode mode) : StatementTest(mode)
{
    [Test]
    public async Task A_text_is_first_run_unnamed_then_prepared_in_the_same_flight_then_only_bound()
    {
        PlayFlights(client =>
        {
            client.Expect(Unnamed, Answer.Select(1));
            client.Expect("Pa Ba D E S", Answer.Select(2));
            client.Expect("Ba E S", Known(3));
            client.Expect("Ba E S", Known(4, 5));
        });
        await Open(Default);
        foreach (var expected in new int[][] { [1], [2], [3], [4, 5] })
            Assert.That(await Rows("SELECT x"), Is.EqualTo(expected));
    }

    [TestCase(1)]
    [TestCase(3)]
    [TestCase(5)]
    public async Task The_use_with_which_a_text_is_prepared_is_the_users_to_choose(int uses)
    {
        PlayFlights(client =>
        {
            for (var i = 1; i < uses; i++)
                client.Expect(Unnamed, Answer.Select(i));
            client.Expect("Pa Ba D E S", Answer.Select(uses));
            client.Expect("Ba E S", Known(uses + 1));
        });
        await Open($"{Default}Auto Prepare Min Usages={uses}");
        for (var i = 1; i <= uses + 1; i++)
            Assert.That(await Rows("SELECT x"), Is.EqualTo(new[] { i }));
    }

    [Test]
    public async Task What_made_room_is_closed_in_front_of_the_next_flight()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect("Pb Bb D E S", Answer.Select(2));
            client.Expect("Ca Bb E S", new Answer().CloseComplete().Raw(Known(3)));
            client.Expect("Bb E S", Known(4));
            client.Expect("Pa Ba D E S", Answer.Select(5));
        });
        await Open(AtOnce + "Max Auto Prepare=1");
        foreach (var (sql, value) in new[] { ("SELECT x", 1), ("SELECT y", 2), ("SELECT y", 3), ("SELECT y", 4), ("SELECT x", 5) })
            Assert.That(await Rows(sql), Is.EqualTo(new[] { value }));
    }

    [Test]
    public async Task What_made_room_and_is_needed_in_the_same_flight_is_closed_where_it_is_needed()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect("Pb Bb D E S", Answer.Select(2));
            client.Expect("Pc Bc D E Ca Pa Ba D E S", new Answer().Result(3).CloseComplete().Result(4).ReadyForQuery());
            client.Expect("Cb Bc E S", new Answer().CloseComplete().Raw(Known(5)));
        });
        await Open(AtOnce + "Max Auto Prepare=2");
        await Rows("SELECT x");
        await Rows("SELECT y");
        Assert.That(await Rows("SELECT z; SELECT x"), Is.EqualTo(new[] { 3, 4 }));
        Assert.That(await Rows("SELECT z"), Is.EqualTo(new[] { 5 }));
    }

    [Test]
    public async Task What_a_flight_uses_makes_no_room_in_it()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E P B D E Ba D E S", new Answer().Result(1).Result(2).BindComplete().RowDescription(("value", 23)).DataRow(3)
                .CommandComplete("SELECT 1").ReadyForQuery());
            client.Expect("Ba E S", Known(4));
        });
        await Open(AtOnce + "Max Auto Prepare=1");
        Assert.That(await Rows("SELECT x; SELECT y; SELECT x"), Is.EqualTo(new[] { 1, 2, 3 }));
        Assert.That(await Rows("SELECT x"), Is.EqualTo(new[] { 4 }));
    }

    [TestCase("CREATE TABLE t ()")]
    [TestCase("SET search_path = other")]
    [TestCase("DO 'whatever'")]
    [TestCase("DEALLOCATE ALL")]
    public async Task After_a_statement_that_may_change_meanings_what_was_prepared_before_is_parsed_again(string sql)
    {
        PlayFlights(client =>
        {
            client.Expect(Unnamed, Answer.Select(1));
            client.Expect("Pa Ba D E S", Answer.Select(2));
            client.Expect(Unnamed, new Answer().Command("DONE").ReadyForQuery());
            client.Expect(Anew, Again(3));
            client.Expect("Ba E S", Known(4));
        });
        await Open(Default);
        await Rows("SELECT x");
        await Rows("SELECT x");
        await Execute(sql);
        Assert.That(await Rows("SELECT x"), Is.EqualTo(new[] { 3 }));
        Assert.That(await Rows("SELECT x"), Is.EqualTo(new[] { 4 }));
    }

    [Test]
    public async Task A_plain_statement_changes_no_meaning()
    {
        PlayFlights(client =>
        {
            client.Expect(Unnamed, Answer.Select(1));
            client.Expect("Pa Ba D E S", Answer.Select(2));
            client.Expect(Unnamed, new Answer().Command("INSERT 0 1").ReadyForQuery());
            client.Expect("Ba E S", Known(3));
        });
        await Open(Default);
        await Rows("SELECT x");
        await Rows("SELECT x");
        await Execute("INSERT INTO t VALUES (1)");
        Assert.That(await Rows("SELECT x"), Is.EqualTo(new[] { 3 }));
    }

    [Test]
    public async Task The_end_of_a_transaction_that_changed_meanings_changes_them_back([Values] bool commits)
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect("P B E P B D E S", BeginDone().Command("CREATE TABLE").ReadyForQuery('T'));
            client.Expect(Anew, new Answer().CloseComplete().Result(2).ReadyForQuery('T'));
            client.Expect("Ba E S", Rows(new Answer().BindComplete(), 3).ReadyForQuery('T'));
            client.Expect(commits ? "'COMMIT'" : "'ROLLBACK'", new Answer().CommandComplete(commits ? "COMMIT" : "ROLLBACK").ReadyForQuery());
            client.Expect(Anew, Again(4));
            client.Expect("Ba E S", Known(5));
        });
        await Open(AtOnce);
        await Rows("SELECT x");
        var transaction = await Begin();
        await Execute("CREATE TABLE t ()");
        Assert.That(await Rows("SELECT x"), Is.EqualTo(new[] { 2 }));
        Assert.That(await Rows("SELECT x"), Is.EqualTo(new[] { 3 }));
        await (commits ? Mode.Commit(transaction) : Mode.Rollback(transaction));
        Assert.That(await Rows("SELECT x"), Is.EqualTo(new[] { 4 }));
        Assert.That(await Rows("SELECT x"), Is.EqualTo(new[] { 5 }));
    }

    [Test]
    public async Task A_text_twice_in_one_group_is_parsed_once()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E Ba D E S", Rows(new Answer().Result(1).BindComplete().RowDescription(("value", 23)), 2).ReadyForQuery());
            client.Expect("Ba E Ba E S", Rows(Rows(new Answer().BindComplete(), 3).BindComplete(), 4).ReadyForQuery());
        });
        await Open(AtOnce);
        Assert.That(await Rows("SELECT x; SELECT x"), Is.EqualTo(new[] { 1, 2 }));
        Assert.That(await Rows("SELECT x; SELECT x"), Is.EqualTo(new[] { 3, 4 }));
    }

    [Test]
    public async Task A_text_in_two_groups_is_closed_and_parsed_in_each_since_the_first_may_fail()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect(Anew, Again(2));
            client.Expect("Ba E S", Known(3));
        });
        await Open(AtOnce);
        await Run(Barriers("SELECT x", "SELECT x"));
        Assert.That(await Rows("SELECT x"), Is.EqualTo(new[] { 3 }));
    }

    [Test]
    public async Task A_statement_that_could_only_be_parsed_in_a_later_group_is_not_left_behind_on_the_server()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", new Answer());
            client.Expect(Unnamed, new Answer());
            client.Expect(Anew, new Answer().ErrorResponse("42P01", "relation t does not exist").ReadyForQuery()
                .Command("CREATE TABLE").ReadyForQuery().CloseComplete().Command("INSERT 0 1").ReadyForQuery());
            client.Expect("Ca Pa Ba D E S", new Answer().CloseComplete().Command("INSERT 0 1").ReadyForQuery());
            client.Expect("Ba E S", new Answer().BindComplete().CommandComplete("INSERT 0 1").ReadyForQuery());
        });
        await Open(AtOnce);
        var error = await Catch<PostgresException>(() => Run(Barriers("INSERT INTO t VALUES (1)", "CREATE TABLE t ()", "INSERT INTO t VALUES (1)")));
        Assert.That(error.SqlState, Is.EqualTo("42P01"));
        Assert.That(await Execute("INSERT INTO t VALUES (1)"), Is.EqualTo(1));
        Assert.That(await Execute("INSERT INTO t VALUES (1)"), Is.EqualTo(1));
    }

    [Test]
    public async Task What_the_server_could_not_parse_takes_no_place_and_is_not_closed()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", new Answer().ErrorResponse("42601", "syntax error").ReadyForQuery());
            client.Expect("Pb Bb D E S", Answer.Select(1));
            client.Expect("Bb E S", Known(2));
        });
        await Open(AtOnce + "Max Auto Prepare=1");
        await Catch<PostgresException>(() => Rows("SELECT FROM FROM"));
        await Rows("SELECT x");
        Assert.That(await Rows("SELECT x"), Is.EqualTo(new[] { 2 }));
        Assert.That(Connection.Session!.Statements.Count, Is.EqualTo(1));
    }

    [Test]
    public async Task A_statement_that_fails_when_it_runs_stays_prepared()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", new Answer().ParseComplete().BindComplete().RowDescription(("value", 23)).ErrorResponse("22012").ReadyForQuery());
            client.Expect("Ba E S", new Answer().BindComplete().ErrorResponse("22012").ReadyForQuery());
            client.Expect("Ba E S", Known(3));
        });
        await Open(AtOnce);
        await Catch<PostgresException>(() => Rows("SELECT x"));
        await Catch<PostgresException>(() => Rows("SELECT x"));
        Assert.That(await Rows("SELECT x"), Is.EqualTo(new[] { 3 }));
    }

    [Test]
    public async Task What_an_error_skipped_is_parsed_with_its_next_use()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E Pb Bb D E S",
                new Answer().ParseComplete().BindComplete().RowDescription(("value", 23)).ErrorResponse("22012").ReadyForQuery());
            client.Expect("Pb Bb D E S", Answer.Select(2));
        });
        await Open(AtOnce);
        await Catch<PostgresException>(() => Rows("SELECT x; SELECT y"));
        Assert.That(await Rows("SELECT y"), Is.EqualTo(new[] { 2 }));
    }

    [Test]
    public async Task A_value_that_cannot_be_written_sends_nothing_and_loses_no_Close()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect("Pb Bb D E S", Answer.Select(2));
            client.Expect("Ca Bb E S", new Answer().CloseComplete().Raw(Known(3)));
        });
        await Open(AtOnce + "Max Auto Prepare=1");
        await Rows("SELECT x");
        await Rows("SELECT y");
        var wrong = Command("SELECT $1");
        wrong.AutoPrepare = false;
        wrong.Parameters.Add(new PgParameter { PgDbType = PgDbType.Varchar, Value = "half a pair: \ud800" });
        await Catch<PgException>(() => Mode.ExecuteScalar(wrong));
        Assert.That(await Rows("SELECT y"), Is.EqualTo(new[] { 3 }));
    }

    private PgBatch Barriers(params string[] texts)
    {
        var batch = Connection.CreateBatch();
        batch.EnableErrorBarriers = true;
        foreach (var sql in texts)
            batch.BatchCommands.Add(new PgBatchCommand(sql));
        return batch;
    }

    private Task<int> Run(PgBatch batch) => Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync());
}
