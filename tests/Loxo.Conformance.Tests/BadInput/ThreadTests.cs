using System.Reflection;

namespace Loxo.Conformance.BadInput;

/// <summary>
/// Every public member of what talks to the server, called by two threads at once: none hangs, none throws what is not documented, and the
/// connection can be used afterwards or says that it is closed.
/// </summary>
[NonParallelizable]
public sealed class ThreadTests
{
    private const int Times = 5;

    // What a state offers to both threads. A reader is for one thread: it reads where the bytes lie, and a lock would cost every value. So is
    // what reads rows of a COPY or a large object.
    private static readonly (Type Type, string State)[] _shared =
    [
        (typeof(PgConnection), "new"), (typeof(PgConnection), "closed"), (typeof(PgConnection), "open"), (typeof(PgConnection), "being read"),
        (typeof(PgConnection), "in a transaction"), (typeof(PgConnection), "in a failed transaction"), (typeof(PgConnection), "in a pipeline"),
        (typeof(PgConnection), "disposed"),
        (typeof(PgCommand), "ready"), (typeof(PgCommand), "prepared"), (typeof(PgCommand), "being read"), (typeof(PgCommand), "of a data source"),
        (typeof(PgBatch), "ready"), (typeof(PgBatch), "of a data source"), (typeof(PgTransaction), "in use"), (typeof(PgTransaction), "failed"),
        (typeof(PgPipeline), "new"), (typeof(PgPipelineResult<int>), "not sent"), (typeof(PgPipelineResult<int>), "sent"),
        (typeof(PgBinaryImporter), "begun"), (typeof(PgBinaryImporter), "in a row"), (typeof(PgBinaryImporter), "completed"),
        (typeof(PgRawCopyStream), "importing"), (typeof(PgRawCopyStream), "exporting"),
        (typeof(PgDataSource), "open"), (typeof(PgDataSource), "disposed"), (typeof(PgMultiHostDataSource), "open"),
    ];

    private static IEnumerable<TestCaseData> States() => _shared.Select(one => new TestCaseData(one.Type, one.State).SetArgDisplayNames(one.Type.Name, one.State));

    [TestCaseSource(nameof(States))]
    public async Task Two_threads_get_documented_answers(Type type, string state)
    {
        var wrong = new SortedSet<string>(StringComparer.Ordinal);
        var make = Subjects.Of(type).Single(one => one.State == state).Make;
        foreach (var method in Members.Of(type).Where(one => Members.CanBeCalled(one) && !one.IsStatic && one is MethodInfo { IsSpecialName: false }))
        {
            for (var i = 0; i < Times; i++)
                await Try(method, make, wrong);
        }

        Assert.That(wrong, Is.Empty, string.Join('\n', wrong.Take(200)));
        await using var connection = await Subjects.Source.OpenConnectionAsync();
        Assert.That(await new PgCommand("SELECT 42", connection).ExecuteScalarAsync(), Is.EqualTo(42));
    }

    private static async Task Try(MethodBase method, Func<Task<Subject>> make, SortedSet<string> wrong)
    {
        await using var subject = await make();
        using var start = new Barrier(2);
        var sensible = Call.Of(method).First();
        var answers = await Task.WhenAll(Enumerable.Range(0, 2).Select(_ => Task.Run(() =>
        {
            var call = sensible();
            start.SignalAndWait();
            return call.Try(subject);
        })));
        foreach (var answer in answers.OfType<string>())
            wrong.Add($"{method.Name}: {answer}");
        if (await subject.Examine() is { } problem)
            wrong.Add($"{method.Name}: {problem}");
    }
}
