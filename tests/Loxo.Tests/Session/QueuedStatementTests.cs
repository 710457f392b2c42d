using Loxo.Session;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>Prepared statements, transactions and streams of commands that are on their way at once.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class QueuedStatementTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public async Task A_statement_whose_Parse_may_be_skipped_is_parsed_again_behind_the_group()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectStatement();
            var flights = new Flights(server);
            flights.Expect("Pa Ba D E S", new Answer());
            flights.Expect("Ca Pa Ba D E S", new Answer());
            server.Write(new Answer().ErrorResponse("22012").ReadyForQuery().CloseComplete().Result(1).ReadyForQuery().Bytes);
        });
        await Open("Max Auto Prepare=256;");
        var commands = QueuedCommands.On(Connection, Mode);
        var failing = commands.Read(commands.Add("SELECT 1 / 0", endsGroup: false));
        var skipped = commands.AddPrepared("SELECT x");
        var reading = commands.Read(skipped);
        Assert.That(await commands.Read(commands.AddPrepared("SELECT x")), Is.EqualTo([1]));
        await Catch<PostgresException>(() => failing);
        Assert.That(await reading, Is.Empty);
        Assert.That(skipped.Query.SkippedAfter, Is.Not.Null);
        await commands.End();
    }

    [Test]
    public async Task A_statement_is_parsed_once_in_a_group_wherever_its_Parse_stands()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectStatement();
            var flights = new Flights(server);
            flights.Expect("Pa Ba D E Ba D E S", new Answer());
            server.Write(new Answer().Result(0).Result(1).BindComplete().RowDescription(("value", 23)).DataRow(2).CommandComplete("SELECT 1")
                .ReadyForQuery().Bytes);
        });
        await Open("Max Auto Prepare=256;");
        var commands = QueuedCommands.On(Connection, Mode);
        var queued = new[]
        {
            commands.Add("SELECT 0", endsGroup: false), commands.AddPrepared("SELECT x", endsGroup: false), commands.AddPrepared("SELECT x"),
        };
        for (var i = 0; i < queued.Length; i++)
            Assert.That(await commands.Read(queued[i]), Is.EqualTo([i]));
        await commands.End();
    }

    [Test]
    public async Task A_command_that_is_refused_because_of_a_stream_leaves_a_pending_BEGIN_pending()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectBegin();
            server.ExpectCommand();
            server.Write(new Answer().ParseComplete().BindComplete().CommandComplete("BEGIN").Result(1).ReadyForQuery('T').Bytes);
        });
        await Open();
        await Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync());
        var commands = QueuedCommands.On(Connection, Mode);
        using var stream = new MemoryStream(new byte[100_000]);
        var streaming = Command("SELECT $1::bytea");
        streaming.Parameters.Add(new PgParameter { Value = stream });
        Assert.Throws<PgException>(() => commands.Queue.TryAdd(streaming, ResultMode.Collect));
        Assert.That(await commands.Read(commands.Add("SELECT 1")), Is.EqualTo([1]));
        await commands.End();
    }
}
