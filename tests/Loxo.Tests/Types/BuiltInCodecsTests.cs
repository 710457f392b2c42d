namespace Loxo.Tests.Types;

public class BuiltInCodecsTests
{
    [TestCase("boolean", typeof(bool))]
    [TestCase("smallint", typeof(short))]
    [TestCase("integer", typeof(int))]
    [TestCase("bigint", typeof(long))]
    [TestCase("real", typeof(float))]
    [TestCase("double precision", typeof(double))]
    [TestCase("numeric", typeof(decimal))]
    [TestCase("money", typeof(decimal))]
    [TestCase("text", typeof(string))]
    [TestCase("jsonb", typeof(string))]
    [TestCase("bytea", typeof(byte[]))]
    [TestCase("uuid", typeof(Guid))]
    [TestCase("date", typeof(DateOnly))]
    [TestCase("time", typeof(TimeOnly))]
    [TestCase("timetz", typeof(DateTimeOffset))]
    [TestCase("timestamp", typeof(DateTime))]
    [TestCase("timestamptz", typeof(DateTime))]
    [TestCase("interval", typeof(TimeSpan))]
    [TestCase("\"char\"", typeof(char))]
    [TestCase("oid", typeof(uint))]
    [TestCase("xid8", typeof(ulong))]
    [TestCase("oidvector", typeof(uint[]))]
    [TestCase("int2vector", typeof(short[]))]
    [TestCase("void", typeof(DBNull))]
    [TestCase("inet", typeof(System.Net.IPAddress))]
    [TestCase("cidr", typeof(System.Net.IPNetwork))]
    [TestCase("macaddr", typeof(System.Net.NetworkInformation.PhysicalAddress))]
    [TestCase("macaddr8", typeof(System.Net.NetworkInformation.PhysicalAddress))]
    [TestCase("uuid[]", typeof(Guid[]))]
    public void The_default_NET_type_of_a_type_is_fixed(string type, Type expected) =>
        Assert.That(CodecCheck.Type(type).Default!.ValueType, Is.EqualTo(expected));
}
