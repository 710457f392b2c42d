namespace Loxo.Tests.Types;

public class PgDbTypeTests
{
    [Test]
    public void There_are_76_members_and_no_number_twice()
    {
        Assert.That(Enum.GetNames<PgDbType>(), Has.Length.EqualTo(76));
        Assert.That(Enum.GetValues<PgDbType>(), Is.Unique);
    }

    // Compiled programs hold these numbers.
    [TestCase(PgDbType.Array, int.MinValue)]
    [TestCase(PgDbType.Range, 0x40000000)]
    [TestCase(PgDbType.Multirange, 0x20000000)]
    [TestCase(PgDbType.Bigint, 1)]
    [TestCase(PgDbType.Integer, 9)]
    [TestCase(PgDbType.Text, 19)]
    [TestCase(PgDbType.TimestampTz, 26)]
    [TestCase(PgDbType.Jsonb, 36)]
    [TestCase(PgDbType.Regtype, 49)]
    [TestCase(PgDbType.JsonPath, 57)]
    [TestCase(PgDbType.PgLsn, 59)]
    [TestCase(PgDbType.Xid8, 64)]
    [TestCase(PgDbType.DateRange, 1073741831)]
    [TestCase(PgDbType.TimestampTzMultirange, 536870938)]
    public void The_numbers_never_change(PgDbType type, int number) => Assert.That((int)type, Is.EqualTo(number));
}
