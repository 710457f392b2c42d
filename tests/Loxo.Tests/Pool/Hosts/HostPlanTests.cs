using Loxo.Pool;
using Loxo.Pool.Hosts;
using Loxo.Session;
using Loxo.Tests.ConnectionStrings;
using Loxo.Tests.Wire;
using Loxo.Transport;
using static Loxo.PgHostRole;

namespace Loxo.Tests.Pool.Hosts;

/// <summary>
/// The order in which hosts are tried. A host is written as its role (w, r: a primary that takes writes or not; s: standby; u: unknown) with
/// marks: ~ learnt too long ago, ? in doubt, ! failed; a plan as their places, with ? where the host is asked first and * where any role does.
/// </summary>
public class HostPlanTests
{
    private static readonly TimeSpan Recheck = TimeSpan.FromSeconds(10);

    private readonly SimulatedTime _time = new();

    // Any: all that have not failed, in their order.
    [TestCase("any", "w s u", "0 1 2")]
    [TestCase("any", "w? s u!", "0? 1 2?")]
    [TestCase("any", "w! s! u!", "0? 1? 2?")]
    // A target: those that serve, then those that may, then those that could not be reached, then a second look at the others.
    [TestCase("primary", "s w u r", "1 3 2? 0?")]
    [TestCase("primary", "s~ w~ u", "1? 0? 2?")]
    [TestCase("primary", "w? r", "0? 1")]
    [TestCase("primary", "w! s u!", "0? 2? 1?")]
    [TestCase("primary", "s! w", "1 0?")]
    [TestCase("read-write", "r w", "1 0?")]
    [TestCase("read-only", "w s r", "1 2 0?")]
    [TestCase("standby", "w s~ u s", "1? 3 2? 0?")]
    // A preference: those that are preferred, those that may be, any that can be reached, and then the others.
    [TestCase("prefer-primary", "s w u", "1 2? 0* 1* 2* 0?")]
    [TestCase("prefer-standby", "w s! u", "2? 0* 2* 1? 1?* 0?")]
    public void Hosts_are_tried_in_the_order_of_what_is_known_of_them(string target, string hosts, string plan)
    {
        using var group = Group(hosts);

        Assert.That(Written(group, Target(target)), Is.EqualTo(plan));
    }

    [Test]
    public void A_role_that_was_learnt_just_now_is_not_looked_at_again()
    {
        using var group = Group("s");
        Assert.That(Written(group, TargetSessionAttributes.Primary), Is.EqualTo("0?"));
        group.Hosts[0].State.Learn(PgHostRole.Standby, group.Hosts[0].State.Ask());
        Assert.That(Written(group, TargetSessionAttributes.Primary), Is.EqualTo(""));
        _time.Advance(TimeSpan.FromMilliseconds(501));
        Assert.That(Written(group, TargetSessionAttributes.Primary), Is.EqualTo("0?"));
    }

    [Test]
    public void Turns_are_taken_by_those_that_serve_alike()
    {
        using var group = Group("w! s s w s");
        var first = Enumerable.Range(0, 9).Select(turn => HostPlan.Make(group, TargetSessionAttributes.Standby, new HostOrder(HostBalance.RoundRobin, (uint)turn))[0].Host.Index);

        Assert.That(first, Is.EqualTo(new[] { 1, 2, 4, 1, 2, 4, 1, 2, 4 }));
    }

    [Test]
    public void Without_a_time_for_which_news_is_believed_each_host_is_asked()
    {
        using var group = Group("w s", TimeSpan.Zero);

        Assert.That(Written(group, TargetSessionAttributes.Primary), Is.EqualTo("0? 1?"));
        Assert.That(Written(group, TargetSessionAttributes.Any), Is.EqualTo("0 1"));
    }

    [Test]
    public void Roles_are_watched_only_while_connections_are_opened_for_whom_they_matter()
    {
        using var group = Group("w s");
        Assert.That(group.IsWatched, Is.False);
        using (var one = Group("w"))
        {
            Assert.That(() => one.Rent(TargetSessionAttributes.Primary), Throws.InstanceOf<PgException>());
            Assert.That(one.IsWatched, Is.False, "there is one host");
        }
        Assert.That(() => group.Rent(TargetSessionAttributes.Any), Throws.InstanceOf<PgException>());
        Assert.That(group.IsWatched, Is.False, "any host serves");
        Assert.That(() => group.Rent(TargetSessionAttributes.Primary), Throws.InstanceOf<PgException>());
        Assert.That(group.IsWatched, Is.True);
        for (var i = 0; i < 200 && group.IsWatched; i++)
            _time.Advance(TimeSpan.FromSeconds(1));
        Assert.That(group.IsWatched, Is.False, "nobody has opened a connection for some time");
        Assert.That(() => group.Rent(TargetSessionAttributes.Primary), Throws.InstanceOf<PgException>());
        Assert.That((group.IsWatched, _time.TimersSet), Is.EqualTo((true, 1)));
        group.Dispose();
        Assert.That(_time.TimersSet, Is.Zero);
    }

    private static TargetSessionAttributes Target(string word) => Enum.GetValues<TargetSessionAttributes>().Single(target => target.Word() == word);

    private static string Written(HostGroup group, TargetSessionAttributes target) => string.Join(' ', HostPlan
        .Make(group, target, new HostOrder(HostBalance.None, 0))
        .Select(one => one.Host.Index + (one.MustAsk ? "?" : "") + (one.Target == TargetSessionAttributes.Any && target != TargetSessionAttributes.Any ? "*" : "")));

    private HostGroup Group(string hosts, TimeSpan? recheck = null)
    {
        var words = hosts.Split(' ');
        var states = Array.ConvertAll(words, _ => new HostState(new HostAddress("h", 5432), _time));
        foreach (var (state, word) in states.Zip(words))
        {
            if (word.Contains('~'))
                state.Learn(Role(word), state.Ask());
        }
        _time.Advance(Recheck + TimeSpan.FromSeconds(1));
        foreach (var (state, word) in states.Zip(words))
        {
            if (!word.Contains('~') && word[0] != 'u')
                state.Learn(Role(word), state.Ask());
        }
        _time.Advance(TimeSpan.FromSeconds(1));
        foreach (var (state, word) in states.Zip(words))
        {
            if (word.Contains('?'))
                state.Doubt();
            if (word.Contains('!'))
                state.Failed(state.Ask(), new TimeoutException());
        }
        return GivenHosts.Group(states, _time, recheck ?? Recheck);
    }

    private static PgHostRole Role(string word) => word[0] switch { 'w' => ReadWritePrimary, 'r' => ReadOnlyPrimary, _ => Standby };
}
