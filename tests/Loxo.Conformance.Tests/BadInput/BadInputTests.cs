using System.Reflection;

namespace Loxo.Conformance.BadInput;

/// <summary>
/// Every public member, found by reflection, in every state of its object, with arguments that are null, of the wrong kind or out of range:
/// it answers, or throws an exception that is documented for it, and the connection can be used or says that it is closed.
/// </summary>
[NonParallelizable]
public sealed class BadInputTests
{
    // Codecs and what they write with are tried by the tests of codecs and the fuzzer of the decoders; the mapper by the builders, which
    // have the same members, as its changes would be global; rows of a replication by the tests of its decoder, which makes them.
    private static readonly Type[] _triedElsewhere =
        [typeof(Codec), typeof(Codec<>), typeof(ValueCodec<>), typeof(ReferenceCodec<>), typeof(MessageWriter), typeof(PgTypeMapper), typeof(ReplicationTuple)];

    private static IEnumerable<TestCaseData> Types() => Members.Types()
        .Where(type => !_triedElsewhere.Contains(type.IsGenericType ? type.GetGenericTypeDefinition() : type)).Select(type => new TestCaseData(type).SetArgDisplayNames(type.Name));

    [TestCaseSource(nameof(Types))]
    public async Task A_member_answers_or_throws_what_is_documented(Type type)
    {
        var wrong = new SortedSet<string>(StringComparer.Ordinal);
        var states = Subjects.Of(type);
        if (states.Count == 0 && Members.Of(type).Any(method => !method.IsStatic && method is MethodInfo && method.GetParameters().Length > 0))
            Assert.Fail($"There is no object of {type} to try.");
        foreach (var method in Members.Of(type).Where(Members.CanBeCalled))
        {
            foreach (var make in Call.Of(method))
            {
                if (make().IsStatic)
                    await Try(make(), "static", () => Subjects.Of(new object()), wrong);
                else
                {
                    foreach (var (state, subject) in states)
                        await Try(make(), state, subject, wrong);
                }
            }
        }

        Assert.That(wrong, Is.Empty, $"{wrong.Count} calls:\n" + string.Join('\n', wrong.Take(400)));
        await AssertNoBrokenConnectionIsHandedOut();
    }

    private static async Task Try(Call call, string state, Func<Task<Subject>> make, SortedSet<string> wrong)
    {
        await using var subject = await make();
        if (await call.Try(subject) is { } answer)
            wrong.Add($"{call} {state}: {answer}");
        if (await subject.Examine() is { } problem)
            wrong.Add($"{call} {state}: {problem}");
    }

    private static async Task AssertNoBrokenConnectionIsHandedOut()
    {
        for (var i = 0; i < 3; i++)
        {
            await using var connection = await Subjects.Source.OpenConnectionAsync();
            await using var command = new PgCommand("SELECT 42", connection);
            Assert.That(await command.ExecuteScalarAsync(), Is.EqualTo(42));
        }
    }
}
