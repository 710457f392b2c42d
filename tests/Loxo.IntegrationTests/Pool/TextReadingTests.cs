namespace Loxo.IntegrationTests.Pool;

/// <summary>The server may be told to read texts in another way than the classifier does; what such a text hides is reset all the same.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class TextReadingTests(WaitMode mode) : ResetTest(mode)
{
    // In SJIS, UTF-8's second byte of this letter and the backslash are one character, so that the string ends at the quote.
    private const string Sjis = "SELECT E'\u00C1\\', pg_advisory_lock(42) --'";

    private const string Escaped = """SELECT '\'', pg_advisory_lock(42) --'""";

    [Test]
    public async Task A_text_that_another_encoding_makes_another_one([Values(
        "SET LOCAL client_encoding = 'SJIS'", "SET LOCAL NAMES 'SJIS'", "SELECT set_config('client_encoding', 'SJIS', true)")] string setting, [Values] bool inTransaction)
    {
        var database = Keep(await TestDatabase.Create());
        var source = Source(OneSession, database.ConnectionString);
        await LookedThrough(source);
        var connection = await Rent(source);
        await using var batch = new PgBatch(connection);
        foreach (var sql in inTransaction ? ["BEGIN", setting, Sjis, "COMMIT"] : new[] { setting, Sjis })
            batch.BatchCommands.Add(new PgBatchCommand(sql));

        await Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync());

        await AssertReset(source, connection);
    }

    [Test]
    public async Task A_text_that_code_in_front_of_it_makes_another_one([Values] bool isEncoding, [Values] bool byFunction)
    {
        var (setting, text) = isEncoding ? ("client_encoding", Sjis) : ("standard_conforming_strings", Escaped);
        var value = isEncoding ? "SJIS" : "off";
        var set = byFunction ? $"PERFORM set_config('{setting}', '{value}', true)" : $"SET LOCAL {setting} = '{value}'";
        var database = Keep(await TestDatabase.Create(
            $"CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN {set}; SET LOCAL escape_string_warning = off; RETURN 1; END $$",
            "CREATE VIEW v AS SELECT f()"));
        var source = Source(OneSession, database.ConnectionString);
        await FoundOffending(source);
        var connection = await Rent(source);

        await Execute(connection, $"SELECT * FROM v; {text}");

        await AssertReset(source, connection);
    }

    private async Task AssertReset(PgDataSource source, PgConnection connection)
    {
        Assert.That(await State(connection), Does.Contain("locks 1"), "the text takes a lock");
        Assert.That(await IsResetByClose(connection), Is.True);
        var next = await Rent(source);
        Assert.That(await State(next), Does.Contain("locks 0"));
        await Mode.Close(next);
    }
}
