using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>Statements behind a pooler that keeps track of what its clients prepare, as pgbouncer does from 1.21 on.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class NamesAtPoolerTests(WaitMode mode) : StatementTest(mode)
{
    private const string Keywords = AtOnce + "Pooler=TransactionPrepared";

    private const string X = "SELECT x";

    /// <summary>pgbouncer remembers the name of a Parse that it has passed on, and closes the connection if the name comes again.</summary>
    [Test]
    public async Task A_name_that_the_server_has_refused_is_closed_before_it_comes_again([Values] bool prepares)
    {
        PlayFlights(client =>
        {
            client.Expect(prepares ? "Pa Da S" : "Pa Ba D E S", new Answer().ErrorResponse("42P01").ReadyForQuery());
            client.Expect("Ca Pa Ba D E S", Again(1));
            client.Expect("Ba D E S", Described(2));
        });
        await Open(Keywords);
        await using var command = Command(X);
        await Catch<PostgresException>(() => prepares ? Mode.Prepare(command) : Rows(X));
        for (var i = 1; i <= 2; i++)
            Assert.That(await Rows(X), Is.EqualTo(new[] { i }));
    }

    [Test]
    public async Task A_name_that_the_server_has_skipped_is_closed_before_it_comes_again()
    {
        PlayFlights(client =>
        {
            client.Expect("P B D E Pa Ba D E S", new Answer().ErrorResponse("42P01").ReadyForQuery());
            client.Expect("Ca Pa Ba D E S", Again(1));
        });
        await Open(Keywords);
        await using var batch = new PgBatch(Connection) { BatchCommands = { new("INSERT INTO t VALUES (1)") { AutoPrepare = false }, new(X) } };
        await Catch<PostgresException>(() => Mode.Run(() => batch.ExecuteNonQuery(), () => batch.ExecuteNonQueryAsync()));
        Assert.That(await Rows(X), Is.EqualTo(new[] { 1 }));
    }

    /// <summary>pgbouncer keeps the statement that it has prepared for a text, and gives it back for a Parse of the same text.</summary>
    [Test]
    public async Task A_text_whose_statement_is_out_of_date_is_sent_unnamed()
    {
        PlayFlights(client =>
        {
            client.Expect("Pa Ba D E S", Answer.Select(1));
            client.Expect("Ba D E S", Outdated());
            client.Expect(Unnamed, Answer.Select(2));
            client.Expect(Unnamed, Answer.Select(3));
        });
        await Open(Keywords);
        for (var i = 1; i <= 3; i++)
            Assert.That(await Rows(X), Is.EqualTo(new[] { i }));
    }
}
