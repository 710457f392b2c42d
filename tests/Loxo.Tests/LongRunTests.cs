using System.Text.RegularExpressions;
using Loxo.Tests.Architecture;

namespace Loxo.Tests;

public partial class LongRunTests
{
    [Test]
    public void All_long_tests_together_take_an_hour_if_nothing_else_is_said() => Assert.That(LongRun.UsualMinutes, Is.EqualTo(60));

    [Test]
    public void Each_long_test_has_a_share_for_the_servers_it_runs_on()
    {
        var begun = from path in Repository.Files("tests")
                    where path.EndsWith(".cs", StringComparison.Ordinal)
                    let text = File.ReadAllText(path)
                    from begin in Begins().Matches(text)
                    let runsOnBoth = path.Contains("IntegrationTests", StringComparison.Ordinal) && !text.Contains("OneServer", StringComparison.Ordinal)
                    select (begin.Groups[1].Value, runsOnBoth ? 2 : 1);

        Assert.That(begun.Distinct(), Is.EquivalentTo(LongRun.Shares.Select(share => (share.Key, share.Value.Servers))));
    }

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

    [GeneratedRegex(@"LongRun\.Begin\(""?([^"",)]*)")]
    private static partial Regex Begins();
}
