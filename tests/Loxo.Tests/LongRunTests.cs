namespace Loxo.Tests;

public class LongRunTests
{
    [Test]
    public void All_long_tests_together_take_an_hour_if_nothing_else_is_said() => Assert.That(LongRun.UsualMinutes, Is.EqualTo(60));

    [Test]
    public void What_there_is_no_time_for_is_said()
    {
        using var run = LongRun.Begin("pipelines", cases: int.MaxValue);

        var done = run.Of(Enumerable.Range(0, 1000), "numbers").ToList();

        Assert.That(done, Has.Count.EqualTo(1));
        Assert.That(run.Done, Is.EqualTo("1 of 1,000 numbers"));
    }

    [Test]
    public void Work_is_done_once_and_whole_where_there_is_time()
    {
        using var run = LongRun.Begin("queued commands", cases: 1);

        var done = run.Of(Enumerable.Range(0, 1000), "numbers").ToList();

        Assert.That(done, Is.EquivalentTo(Enumerable.Range(0, 1000)).And.Not.Ordered);
        Assert.That(run.Done, Is.EqualTo("all 1,000 numbers"));
    }
}
