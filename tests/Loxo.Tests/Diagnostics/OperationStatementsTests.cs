using Loxo.Diagnostics;

namespace Loxo.Tests.Diagnostics;

/// <summary>Which statements of an operation have run, and how its time is divided.</summary>
public sealed class OperationStatementsTests
{
    private static readonly TimeSpan _elapsed = TimeSpan.FromTicks(600);

    private StatementRecorder _recorder = null!;

    [SetUp]
    public void Begin() => _recorder = new StatementRecorder(10);

    [Test]
    public void Statements_of_a_batch_have_equal_shares_of_its_time()
    {
        var batch = Batch("a", "b", "c");
        batch.Complete(0, 7);
        batch.End(_elapsed, null);
        Assert.That(Counts(), Is.EqualTo("a 1/0 7 200, b 1/0 0 200, c 1/0 0 200"));
    }

    [Test]
    public void Those_behind_a_failed_one_have_not_run()
    {
        var batch = Batch("a", "b", "c");
        batch.Fail(1, "22012");
        batch.End(_elapsed, new InvalidOperationException());
        Assert.That(Counts(), Is.EqualTo("a 1/0 0 300, b 1/1 0 300"));
        Assert.That(_recorder.GetStatistics().Errors, Is.EquivalentTo(new Dictionary<string, long> { ["22012"] = 1 }));
    }

    [Test]
    public void Those_behind_a_barrier_have()
    {
        var batch = Batch("a", "b", "c");
        batch.Fail(0, "22012");
        batch.Complete(2, 1);
        batch.End(_elapsed, null);
        Assert.That(Counts(), Is.EqualTo("a 1/1 0 300, c 1/0 1 300"));
    }

    [Test]
    public void An_error_that_is_not_the_servers_is_that_of_the_first_statement_without_an_end()
    {
        var batch = Batch("a", "b", "c");
        batch.Complete(0, 1);
        batch.End(_elapsed, new TimeoutException());
        Assert.That(Counts(), Is.EqualTo("a 1/0 1 300, b 1/1 0 300"));
        Assert.That(_recorder.GetStatistics().Errors.Keys, Is.EqualTo(new[] { "System.TimeoutException" }));
    }

    [Test]
    public void An_error_without_a_statement_is_counted()
    {
        Batch().End(_elapsed, new TimeoutException());
        Assert.That(_recorder.GetStatistics().Errors, Has.Count.EqualTo(1));
        Assert.That(_recorder.GetStatistics().Statements, Is.Empty);
    }

    [Test]
    public void A_statement_number_of_a_hostile_server_is_ignored()
    {
        var batch = Batch("a");
        batch.Complete(-1, 1);
        batch.Complete(5, 1);
        batch.Fail(5, "22012");
        batch.End(_elapsed, null);
        Assert.That(Counts(), Is.EqualTo("a 1/0 0 600"));
    }

    private OperationStatements Batch(params string[] texts)
    {
        var batch = new OperationStatements(_recorder);
        batch.Add(_recorder.Get("earlier", 0, isPlannable: true));
        batch.Clear();
        foreach (var text in texts)
            batch.Add(_recorder.Get(text, 0, isPlannable: true));
        return batch;
    }

    private string Counts() => string.Join(", ", _recorder.GetStatistics().Statements.OrderBy(static one => one.Text)
        .Select(static one => $"{one.Text} {one.Calls}/{one.Errors} {one.Rows} {one.TotalTime.Ticks}"));
}
