using System.Data;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class QueryTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public async Task A_query_is_one_flight_and_its_rows_are_read()
    {
        Play(server =>
        {
            server.Login();
            Assert.That(server.ExpectCommand(), Is.EqualTo("SELECT x"));
            server.Write(Answer.Select(1, 2, 3).Bytes);
            server.AnswerCommand();
            server.Expect<Terminate>();
        });
        await Open();
        Assert.That(await Rows("SELECT x"), Is.EqualTo(new[] { 1, 2, 3 }));
        await AssertUsable();
        Connection.Dispose();
    }

    [Test]
    public async Task An_answer_may_arrive_byte_by_byte()
    {
        Play(server =>
        {
            server.Channel.OneByteAtATime = true;
            server.Login();
            server.ExpectCommand();
            server.Write(Answer.Select(1, 2, 3).Bytes);
            server.AnswerCommand();
        });
        await Open();
        Assert.That(await Rows(), Is.EqualTo(new[] { 1, 2, 3 }));
        await AssertUsable();
    }

    [Test]
    public async Task An_answer_may_be_split_anywhere()
    {
        var answer = Answer.Select(1, 2, 3).Bytes;
        Play(server =>
        {
            server.Login();
            for (var split = 1; split < answer.Length; split++)
            {
                server.ExpectCommand();
                server.Write(answer.AsSpan(0, split));
                server.Channel.AwaitClientWaiting();
                server.Write(answer.AsSpan(split));
            }
        });
        await Open();
        for (var split = 1; split < answer.Length; split++)
            Assert.That(await Rows(), Is.EqualTo(new[] { 1, 2, 3 }), $"split at {split}");
    }
}
