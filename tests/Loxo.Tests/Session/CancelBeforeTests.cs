using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

public sealed class CancelBeforeTests() : WireTest(WaitMode.Async)
{
    [Test]
    public async Task A_token_that_is_cancelled_already_sends_nothing()
    {
        Play(server =>
        {
            server.Login();
            server.AnswerCommand();
        });
        await Open();
        var cancelled = new CancellationToken(canceled: true);
        await Catch<OperationCanceledException>(() => Scalar(token: cancelled));
        await Catch<OperationCanceledException>(() => Execute(token: cancelled));
        await Catch<OperationCanceledException>(() => Mode.ExecuteReader(Command(), token: cancelled));
        await AssertUsable();
        Assert.That(Server.Connections, Is.EqualTo(1));
    }

    [Test]
    public async Task A_token_cancelled_while_opening_ends_it_at_once()
    {
        using var source = new CancellationTokenSource();
        Play(server =>
        {
            server.Expect<Startup>();
            server.Channel.AwaitClientWaiting();
            source.Cancel();
            server.Channel.AwaitShutdown();
        });
        var connection = Server.DataSource().CreateConnection();
        var error = await Catch<OperationCanceledException>(() => connection.OpenAsync(source.Token));
        Assert.That(error.CancellationToken, Is.EqualTo(source.Token));
        Assert.That(Server.Connections, Is.EqualTo(1));
    }

    [Test]
    public async Task A_token_cancelled_between_two_rows_stops_nothing_when_the_whole_answer_has_arrived()
    {
        using var source = new CancellationTokenSource();
        Play(server =>
        {
            server.Login();
            server.ExpectCommand();
            server.Write(Answer.Select(1, 2).Bytes);
            server.AnswerCommand();
        });
        await Open();
        await using (var reader = await Command().ExecuteReaderAsync())
        {
            Assert.That(await reader.ReadAsync(source.Token), Is.True);
            await source.CancelAsync();
            await Catch<OperationCanceledException>(() => reader.ReadAsync(source.Token));
            Assert.That(await reader.ReadAsync(), Is.True);
            Assert.That(reader.GetInt32(0), Is.EqualTo(2));
        }
        await AssertUsable();
    }
}
