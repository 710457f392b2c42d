using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>The messages of a result that is fetched in portions, and the order of the replies.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PortalFetchTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public async Task The_next_portion_is_asked_for_when_the_one_before_has_been_read()
    {
        Play(server =>
        {
            server.Login();
            ExpectStatement(server);
            server.Write(Portion(1, 2).Bytes);
            ExpectExecute(server, 2);
            server.Write(new Answer().DataRow(3).CommandComplete("SELECT 1").Bytes);
            server.Expect<Sync>();
            server.Write(new Answer().ReadyForQuery().Bytes);
            server.AnswerCommand();
        });
        await Open();
        Assert.That(await Fetch(), Is.EqualTo(new[] { 1, 2, 3 }));
        await AssertUsable();
    }

    [Test]
    public async Task A_reader_that_is_closed_early_closes_the_portal()
    {
        Play(server =>
        {
            server.Login();
            ExpectStatement(server);
            server.Write(Portion(1, 2).Bytes);
            Assert.That(server.Expect<Close>(), Is.EqualTo(new Close('P', "")));
            server.Expect<Sync>();
            server.Write(new Answer().CloseComplete().ReadyForQuery().Bytes);
            server.AnswerCommand();
        });
        await Open();
        var reader = await Mode.ExecuteReader(Fetching("SELECT value FROM t"));
        Assert.That(await Mode.Read(reader), Is.True);
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task A_reader_of_a_statement_that_changes_something_lets_it_run_to_its_end()
    {
        const string Change = "INSERT INTO t SELECT generate_series(1, 5) RETURNING value";
        Play(server =>
        {
            server.Login();
            ExpectStatement(server, Change);
            server.Write(Portion(1, 2).Bytes);
            ExpectExecute(server, 0);
            server.Write(new Answer().DataRow(3).DataRow(4).DataRow(5).CommandComplete("INSERT 0 3").Bytes);
            server.Expect<Sync>();
            server.Write(new Answer().ReadyForQuery().Bytes);
            server.AnswerCommand();
        });
        await Open();
        var reader = await Mode.ExecuteReader(Fetching(Change));
        Assert.That(await Mode.Read(reader), Is.True);
        await Mode.Close(reader);
        Assert.That(reader.RecordsAffected, Is.EqualTo(5));
        await AssertUsable();
    }

    [Test]
    public async Task An_error_in_a_later_portion_is_thrown_there([Values] bool inTheFirst)
    {
        Play(server =>
        {
            server.Login();
            ExpectStatement(server);
            server.Write((inTheFirst ? Described().DataRow(1) : Portion(1, 2)).Bytes);
            if (!inTheFirst)
                ExpectExecute(server, 2);
            server.Write(new Answer().ErrorResponse("22012").Bytes);
            server.Expect<Sync>();
            server.Write(new Answer().ReadyForQuery().Bytes);
            server.AnswerCommand();
        });
        await Open();
        var error = await Catch<PostgresException>(Fetch);
        Assert.That(error.SqlState, Is.EqualTo("22012"));
        await AssertUsable();
    }

    [Test]
    public async Task Replies_out_of_place_break_the_session(
        [Values("too few rows", "too many rows", "suspended twice", "complete after suspended")] string what)
    {
        Play(server =>
        {
            server.Login();
            ExpectStatement(server);
            server.Write((what switch
            {
                "too few rows" => Described().DataRow(1).Add('s', []),
                "too many rows" => Described().DataRow(1).DataRow(2).DataRow(3).Add('s', []),
                "suspended twice" => Portion(1, 2).Add('s', []),
                _ => Portion(1, 2).CommandComplete("SELECT 2"),
            }).Bytes);
        });
        await Open();
        var error = await Catch<PgException>(Fetch);
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ProtocolViolation));
    }

    [Test]
    public async Task A_portal_is_never_suspended_that_was_asked_for_all_rows()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Write(Portion(1, 2).Bytes);
        });
        await Open();
        var error = await Catch<PgException>(() => Rows("SELECT value FROM t"));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ProtocolViolation));
    }

    private async Task<List<int>> Fetch()
    {
        var values = new List<int>();
        var reader = await Mode.ExecuteReader(Fetching("SELECT value FROM t"));
        while (await Mode.Read(reader))
            values.Add(reader.GetInt32(0));
        await Mode.Close(reader);
        return values;
    }

    private PgCommand Fetching(string sql) => new(sql, Connection) { FetchSize = 2 };

    // The columns are asked for first, since a result in portions cannot be kept and converted.
    private static void ExpectStatement(ScriptedPeer server, string sql = "SELECT value FROM t")
    {
        server.Expect<Parse>();
        Assert.That(server.Expect<Describe>(), Is.EqualTo(new Describe('S', "")));
        server.Expect<Sync>();
        server.Write(new Answer().ParseComplete().Add('t', [0, 0]).RowDescription(("value", 23)).ReadyForQuery().Bytes);
        Assert.That(server.Expect<Parse>().Sql, Is.EqualTo(sql));
        server.Expect<Bind>();
        Assert.That(server.Expect<Describe>(), Is.EqualTo(new Describe('P', "")));
        ExpectExecute(server, 2);
    }

    private static void ExpectExecute(ScriptedPeer server, int rows)
    {
        Assert.That(server.Expect<Execute>(), Is.EqualTo(new Execute("", rows)));
        server.Expect<Flush>();
    }

    private static Answer Described() => new Answer().ParseComplete().BindComplete().RowDescription(("value", 23));

    private static Answer Portion(int first, int second) => Described().DataRow(first).DataRow(second).Add('s', []);
}
