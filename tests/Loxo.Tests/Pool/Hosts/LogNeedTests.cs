using Loxo.Pool.Hosts;
using Loxo.Session;
using Loxo.Tests.Wire;
using Loxo.Transport;

namespace Loxo.Tests.Pool.Hosts;

public class LogNeedTests
{
    private const ulong Page = 8192, Segment = 16 * 1024 * 1024;

    private readonly SimulatedTime _time = new();

    // The server says where the next record begins, behind the header of its page; the one before ends where the page begins.
    [TestCase(Segment + 40, Page, Segment)]
    [TestCase((3 * Page) + 24, Page, 3 * Page)]
    [TestCase(3 * Page, Page, 3 * Page)]
    [TestCase((3 * Page) + 48, Page, (3 * Page) + 48)]
    [TestCase((5 * Page) + 24, 2 * Page, (5 * Page) + 24)]
    public void The_end_of_the_last_record_is_not_behind_the_header_of_a_page(ulong next, ulong blockSize, ulong end) =>
        Assert.That(LogNeed.EndOfRecords(new(next), blockSize), Is.EqualTo(new PgLogSequenceNumber(end)));

    [Test]
    public void Only_what_a_standby_has_said_since_the_search_began_rules_it_out()
    {
        var state = new HostState(new HostAddress("db", 5432), _time);
        state.Learn(PgHostRole.Standby, state.Ask());
        state.LearnLog(new(100), state.Ask());
        _time.Advance(TimeSpan.FromMilliseconds(1));
        Assert.That(new LogNeed(new(101), _time.GetTimestamp()).IsKnownUnmet(state), Is.False, "asked before");
        var need = new LogNeed(new(101), _time.GetTimestamp());
        state.LearnLog(new(100), state.Ask());
        Assert.That(need.IsKnownUnmet(state), Is.True);
        state.LearnLog(new(101), state.Ask());
        Assert.That(need.IsKnownUnmet(state), Is.False);
        state.LearnLog(new(100), state.Ask());
        state.Doubt();
        Assert.That(need.IsKnownUnmet(state), Is.False, "it may have become the primary");
    }

    [Test]
    public void An_answer_to_an_earlier_question_replaces_no_later_one()
    {
        var state = new HostState(new HostAddress("db", 5432), _time);
        var (earlier, later) = (state.Ask(), state.Ask());
        state.LearnLog(new(200), later);
        state.LearnLog(new(100), earlier);
        Assert.That(state.Log!.Position, Is.EqualTo(new PgLogSequenceNumber(200)));
        state.Forget();
        Assert.That(state.Log, Is.Null);
    }
}
