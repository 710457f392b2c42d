using Loxo.Tests.Wire;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

public sealed class DeadlineTests
{
    private readonly SimulatedTime _time = new();

    [Test]
    public void No_deadline_never_expires()
    {
        var none = Deadline.In(Timeout.InfiniteTimeSpan, _time);
        _time.Advance(TimeSpan.FromDays(1000));
        Assert.That((none.NextWait, none.Left, none.HasExpired), Is.EqualTo((Timeout.Infinite, Timeout.InfiniteTimeSpan, false)));
        Assert.That(Deadline.None.NextWait, Is.EqualTo(Timeout.Infinite));
    }

    [Test]
    public void Each_wait_has_the_same_time()
    {
        var each = Deadline.EachWait(500);
        _time.Advance(TimeSpan.FromDays(1));
        Assert.That((each.NextWait, each.HasExpired), Is.EqualTo((500, false)));
    }

    [Test]
    public void A_total_shrinks_as_time_passes_and_ends_at_zero()
    {
        var total = Deadline.In(TimeSpan.FromSeconds(2), _time);
        Assert.That(total.NextWait, Is.EqualTo(2000));
        _time.Advance(TimeSpan.FromMilliseconds(1999.5));
        Assert.That((total.NextWait, total.HasExpired), Is.EqualTo((1, false)), "a part of a millisecond is not yet nothing");
        _time.Advance(TimeSpan.FromMilliseconds(0.5));
        Assert.That((total.NextWait, total.HasExpired), Is.EqualTo((0, true)));
        _time.Advance(TimeSpan.FromDays(1));
        Assert.That((total.NextWait, total.Left), Is.EqualTo((0, TimeSpan.Zero)));
    }

    [Test]
    public void A_total_longer_than_a_wait_can_be_is_cut_not_overflown() =>
        Assert.That(Deadline.In(TimeSpan.FromDays(365), _time).NextWait, Is.EqualTo(int.MaxValue));

    [Test]
    public void One_attempt_gets_a_part_of_the_time_or_what_is_left()
    {
        var total = Deadline.In(TimeSpan.FromSeconds(9), _time);
        Assert.That(total.AtMost(TimeSpan.FromSeconds(3), _time).NextWait, Is.EqualTo(3000));
        _time.Advance(TimeSpan.FromSeconds(7));
        Assert.That(total.AtMost(TimeSpan.FromSeconds(3), _time).NextWait, Is.EqualTo(2000));
        Assert.That(Deadline.None.AtMost(TimeSpan.FromSeconds(3), _time).NextWait, Is.EqualTo(3000));
    }
}
