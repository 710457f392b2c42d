using System.Data;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class DbTypesTests
{
    [TestCase(DbType.Byte, PgDbType.Smallint)]
    [TestCase(DbType.VarNumeric, PgDbType.Numeric)]
    [TestCase(DbType.Currency, PgDbType.Money)]
    [TestCase(DbType.DateTime, PgDbType.TimestampTz)]
    [TestCase(DbType.DateTime2, PgDbType.Timestamp)]
    [TestCase(DbType.DateTimeOffset, PgDbType.TimestampTz)]
    [TestCase(DbType.StringFixedLength, PgDbType.Text)]
    [TestCase(DbType.AnsiString, PgDbType.Text)]
    [TestCase(DbType.Xml, PgDbType.Xml)]
    public void A_type_of_ADO_NET_has_a_type_of_PostgreSQL(DbType type, PgDbType expected) => Assert.That(DbTypes.ToPgDbType(type), Is.EqualTo(expected));

    [TestCase(DbType.Object)]
    [TestCase(DbType.SByte)]
    [TestCase(DbType.UInt16)]
    [TestCase(DbType.UInt32)]
    [TestCase(DbType.UInt64)]
    public void Some_have_none(DbType type) => Assert.That(DbTypes.ToPgDbType(type), Is.Null);

    [TestCase(PgDbType.TimestampTz, DbType.DateTime)]
    [TestCase(PgDbType.Varchar, DbType.String)]
    [TestCase(PgDbType.Jsonb, DbType.Object)]
    [TestCase(PgDbType.Array | PgDbType.Integer, DbType.Object)]
    public void A_type_of_PostgreSQL_has_a_type_of_ADO_NET_or_is_Object(PgDbType type, DbType expected) =>
        Assert.That(DbTypes.ToDbType(type), Is.EqualTo(expected));

    [Test]
    public void The_way_back_leads_to_the_same_type()
    {
        foreach (var type in Enum.GetValues<PgDbType>().Where(type => DbTypes.ToDbType(type) is not (DbType.Object or DbType.String)))
            Assert.That(DbTypes.ToPgDbType(DbTypes.ToDbType(type)), Is.EqualTo(type));
    }
}
