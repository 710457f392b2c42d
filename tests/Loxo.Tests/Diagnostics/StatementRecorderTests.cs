using Loxo.Diagnostics;

namespace Loxo.Tests.Diagnostics;

/// <summary>Counting statements in memory that does not grow.</summary>
public sealed class StatementRecorderTests
{
    [Test]
    public void The_sum_of_all_counts_survives_evictions()
    {
        var recorder = new StatementRecorder(capacity: 50);
        for (var i = 0; i < 10_000; i++)
            recorder.Get($"SELECT {i}", 0, isPlannable: true).Record(ticks: i, rows: 2, isFailed: i % 10 == 0);
        var statistics = recorder.GetStatistics();
        Assert.That(statistics.Statements, Has.Count.InRange(1, 50));
        Assert.That(statistics.Statements.Sum(static one => one.Calls) + statistics.Others.Calls, Is.EqualTo(10_000));
        Assert.That(statistics.Statements.Sum(static one => one.Rows) + statistics.Others.Rows, Is.EqualTo(20_000));
        Assert.That(statistics.Statements.Sum(static one => one.Errors) + statistics.Others.Errors, Is.EqualTo(1_000));
        Assert.That(statistics.Statements.Sum(static one => one.TotalTime.Ticks) + statistics.Others.TotalTime.Ticks, Is.EqualTo(49_995_000));
        Assert.That(statistics.Evicted, Is.EqualTo(10_000 - statistics.Statements.Count));
    }

    [Test]
    public void A_statement_in_use_is_not_evicted()
    {
        var recorder = new StatementRecorder(capacity: 10);
        var used = recorder.Get("used", 0, isPlannable: true);
        for (var i = 0; i < 1_000; i++)
        {
            used.Record(1, 0, isFailed: false);
            recorder.Get($"SELECT {i}", 0, isPlannable: true).Record(1, 0, isFailed: false);
        }
        Assert.That(recorder.GetStatistics().Statements.Single(static one => one.Text == "used").Calls, Is.EqualTo(1_000));
    }

    [Test]
    public void An_execution_that_ends_after_its_statement_was_evicted_is_counted_among_the_others()
    {
        var recorder = new StatementRecorder(capacity: 1);
        var evicted = recorder.Get("first", 0, isPlannable: true);
        recorder.Get("second", 0, isPlannable: true);
        Assert.That(evicted.IsEvicted);
        evicted.Record(5, 3, isFailed: false);
        Assert.That(recorder.GetStatistics().Others, Has.Property("Calls").EqualTo(1).And.Property("Rows").EqualTo(3));
        Assert.That(recorder.Get("first", 0, isPlannable: true), Is.Not.SameAs(evicted));
    }

    [Test]
    public void Ten_thousand_distinct_statements_take_no_more_memory_than_the_first_thousand()
    {
        var recorder = new StatementRecorder(capacity: 100);
        Run(recorder, 0, 1_000);
        var before = GC.GetTotalMemory(forceFullCollection: true);
        Run(recorder, 1_000, 10_000);
        var grown = GC.GetTotalMemory(forceFullCollection: true) - before;
        // The rest of the process moves by some hundred thousand.
        Assert.That(grown, Is.LessThan(2_000_000), "bytes; 9,000 statements kept would take 9,000,000");
        GC.KeepAlive(recorder);

        static void Run(StatementRecorder recorder, int first, int last)
        {
            for (var i = first; i < last; i++)
                recorder.Get($"SELECT {new string('x', 100)} {i}", 0, isPlannable: true).Record(1, 0, isFailed: false);
        }
    }

    [Test]
    public void Kinds_of_errors_are_bounded()
    {
        var recorder = new StatementRecorder(1);
        for (var i = 0; i < 1_000; i++)
            recorder.CountError($"{i:00000}");
        recorder.CountError("00000");
        var errors = recorder.GetStatistics().Errors;
        Assert.That(errors, Has.Count.EqualTo(101));
        Assert.That((errors["00000"], errors["others"]), Is.EqualTo((2, 900)));
    }

    [Test]
    public void Threads_lose_no_count()
    {
        var recorder = new StatementRecorder(capacity: 4);
        Parallel.For(0, 16, _ =>
        {
            for (var i = 0; i < 2_000; i++)
                recorder.Get($"SELECT {i % 8}", 0, isPlannable: true).Record(1, 1, isFailed: false);
        });
        var statistics = recorder.GetStatistics();
        Assert.That(statistics.Statements.Sum(static one => one.Calls) + statistics.Others.Calls, Is.EqualTo(32_000));
    }

    [TestCase(1), TestCase(10), TestCase(77), TestCase(1_000), TestCase(123_456), TestCase(10_000_000), TestCase(9_999_999_999)]
    public void A_percentile_is_within_an_eighth(long ticks)
    {
        var histogram = new DurationHistogram();
        histogram.Add(ticks);
        Assert.That((double)histogram.Percentile(0.5), Is.EqualTo((double)ticks).Within(12.5).Percent);
    }

    [Test]
    public void Percentiles_are_those_of_the_sorted_durations()
    {
        var random = new Random(7);
        var durations = Enumerable.Range(0, 10_000).Select(_ => (long)Math.Exp(random.NextDouble() * 15)).ToArray();
        var histogram = new DurationHistogram();
        foreach (var one in durations)
            histogram.Add(one);
        Array.Sort(durations);
        Assert.That((double)histogram.Percentile(0.5), Is.EqualTo((double)durations[4_999]).Within(13.0).Percent);
        Assert.That((double)histogram.Percentile(0.99), Is.EqualTo((double)durations[9_899]).Within(13.0).Percent);
        Assert.That(new DurationHistogram().Percentile(0.5), Is.Zero);
    }

    [TestCase(long.MinValue), TestCase(-1L), TestCase(0L), TestCase(long.MaxValue)]
    public void No_duration_is_out_of_range(long ticks) => Assert.DoesNotThrow(() => new DurationHistogram().Add(ticks));
}
