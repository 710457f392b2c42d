using Loxo.Pool.Hosts;
using static Loxo.PgHostRole;
using static Loxo.TargetSessionAttributes;

namespace Loxo.Tests.Pool.Hosts;

/// <summary>Which roles serve which target: all combinations.</summary>
public class HostMatchTests
{
    private static readonly Dictionary<TargetSessionAttributes, PgHostRole[]> Table = new()
    {
        [Any] = [Unknown, ReadWritePrimary, ReadOnlyPrimary, PgHostRole.Standby],
        [ReadWrite] = [ReadWritePrimary],
        [ReadOnly] = [ReadOnlyPrimary, PgHostRole.Standby],
        [Primary] = [ReadWritePrimary, ReadOnlyPrimary],
        [TargetSessionAttributes.Standby] = [PgHostRole.Standby],
        [PreferPrimary] = [Unknown, ReadWritePrimary, ReadOnlyPrimary, PgHostRole.Standby],
        [PreferStandby] = [Unknown, ReadWritePrimary, ReadOnlyPrimary, PgHostRole.Standby],
    };

    private static IEnumerable<object[]> Combinations =>
        from target in Enum.GetValues<TargetSessionAttributes>()
        from role in Enum.GetValues<PgHostRole>()
        select new object[] { target, role };

    [TestCaseSource(nameof(Combinations))]
    public void A_role_serves_the_targets_of_the_table(TargetSessionAttributes target, PgHostRole role) =>
        Assert.That(target.Fits(role), Is.EqualTo(Table[target].Contains(role)));

    [Test]
    public void A_preference_is_one_of_the_other_targets() => Assert.That(Enum.GetValues<TargetSessionAttributes>().Select(target => target.Preferred()),
        Is.EqualTo(new[] { Any, ReadWrite, ReadOnly, Primary, TargetSessionAttributes.Standby, Primary, TargetSessionAttributes.Standby }));
}
