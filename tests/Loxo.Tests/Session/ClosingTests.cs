using System.Data;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>Somebody else closes, cancels or breaks the connection while a command waits.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class ClosingTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public async Task Closing_the_connection_wakes_a_command_that_waits()
    {
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Channel.AwaitClientWaiting();
            Connection.Close();
            server.Channel.AwaitShutdown();
        });
        await Open();
        var error = await Catch<PgException>(() => Rows());
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task Closing_an_idle_connection_says_goodbye_once()
    {
        Play(server =>
        {
            server.Login();
            server.Expect<Terminate>();
            server.Channel.AwaitShutdown();
        });
        await Open();
        await Mode.Close(Connection);
        await Mode.Close(Connection);
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task Closing_with_an_open_reader_reads_the_rest_and_says_goodbye()
    {
        Play(server =>
        {
            BeginRows(server);
            server.Channel.AwaitClientWaiting();
            server.Write(new Answer().DataRow(2).CommandComplete("SELECT 2").ReadyForQuery().Bytes);
            server.Expect<Terminate>();
            server.Channel.AwaitShutdown();
        });
        await CloseUnderReader();
    }

    [Test]
    public async Task Closing_with_an_open_reader_cancels_a_rest_that_does_not_come()
    {
        Play(server =>
        {
            BeginRows(server);
            server.LetTimePassUntil(() => server.Server.Connections == 2);
            server.ExpectCancel().End();
            server.Send.ErrorResponse("57014").ReadyForQuery();
            server.Expect<Terminate>();
            server.Channel.AwaitShutdown();
        });
        // The clock goes on until the cancel request is seen, which takes its time.
        await CloseUnderReader("Cancellation Timeout=3600000;");
    }

    [Test]
    public async Task Closing_with_an_open_reader_takes_no_longer_than_Cancellation_Timeout([Values] bool canCancel)
    {
        Server.Dialer.Next(Dialing.Succeeds, Dialing.NeverEnds);
        Play(server =>
        {
            BeginRows(server, canCancel);
            server.Channel.AwaitClientWaiting();
            server.LetTimePassUntilShutdown();
            Assert.That(server.Channel.Unread, Is.Zero, "a running command is not said goodbye to");
        });
        await CloseUnderReader();
    }

    [Test]
    public async Task Breaking_cancelling_and_closing_at_once_end_the_command_and_nobody_hangs()
    {
        for (var i = 0; i < 50; i++)
        {
            var command = default(PgCommand);
            using var barrier = new Barrier(3);
            Play(server =>
            {
                server.Login();
                server.ExpectCommand();
                server.Channel.AwaitClientWaiting();
                var cancelling = Task.Run(() => AtOnce(barrier, command!.Cancel));
                var closing = Task.Run(() => AtOnce(barrier, Connection.Close));
                AtOnce(barrier, server.Reset);
                Task.WaitAll(cancelling, closing);
            });
            await Open();
            command = Command();
            var error = await Catch(() => Mode.ExecuteNonQuery(command));
            Assert.That(error, Is.InstanceOf<PgException>().Or.InstanceOf<OperationCanceledException>());
            StartOver();
        }
    }

    private static void BeginRows(ScriptedPeer server, bool hasKey = true)
    {
        if (hasKey)
        {
            server.Login();
        }
        else
        {
            server.Expect<Startup>();
            server.Send.AuthenticationOk().ParameterStatus("server_version", "18.1").ParameterStatus("standard_conforming_strings", "on").ReadyForQuery();
        }
        server.ExpectCommand();
        server.Write(new Answer().ParseComplete().BindComplete().RowDescription(("value", 23)).DataRow(1).Bytes);
    }

    private async Task CloseUnderReader(string keywords = "")
    {
        await Open(keywords);
        var reader = await Mode.ExecuteReader(Command());
        Assert.That(await Mode.Read(reader), Is.True);
        await Mode.Close(Connection);
        Assert.That(reader.IsClosed, Is.True);
        Assert.That(() => reader.GetInt32(0), Throws.InvalidOperationException);
    }

    private static void AtOnce(Barrier barrier, Action action)
    {
        barrier.SignalAndWait();
        action();
    }

    private static async Task<Exception?> Catch(Func<Task> action)
    {
        try
        {
            await action();
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }
}
