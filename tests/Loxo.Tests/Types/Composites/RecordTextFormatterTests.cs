namespace Loxo.Tests.Types;

public class RecordTextFormatterTests
{
    private const string Record =
        "0000000a000000170000000400000001000002c1ffffffff000002c1000000036120620000001900000000000002c1000000057822795c7a000003ef00000024" +
        "000000010000000000000017000000020000000100000004000000010000000400000002000000100000000101000002bd000000083ff8000000000000" +
        "00000258000000103ff00000000000004000000000000000000002c1000000044e554c4c";

    [Test]
    public void A_record_is_its_fields()
    {
        Assert.That(CodecCheck.Read<string>("record", Record), Is.EqualTo("""(1,,"a b","","x""y\\z","{1,2}",t,1.5,"(1,2)",NULL)"""));
        CodecCheck.OnlyWhole<string>("record", Record);
    }

    [Test]
    public void A_field_of_an_unknown_type_is_refused() =>
        Assert.That(() => CodecCheck.Read<string>("record", "0000000100fffff00000000161"), Throws.TypeOf<PgException>().With.Message.EqualTo(
            "A field of the record has the type with OID 16777200, which is not known. Cast the record or the field to text in SQL."));

    [Test]
    public void A_hostile_depth_is_refused_instead_of_ending_the_process()
    {
        const int depth = 100_000;
        var bytes = new List<byte>();
        for (var level = 0; level < depth; level++)
            bytes.AddRange([0, 0, 0, 1, 0, 0, 0x08, 0xc9, .. BitConverter.GetBytes(System.Net.IPAddress.HostToNetworkOrder((depth - level - 1) * 12 + 4))]);
        bytes.AddRange([0, 0, 0, 0]);
        Assert.That(() => CodecCheck.Codec<string>("record").Read(bytes.ToArray()), Throws.TypeOf<PgException>().With.Message.Contains("nested too deeply"));
    }

    [TestCase(8, true)]
    [TestCase(40, false)]
    public void The_quotes_of_nested_records_do_not_take_all_memory(int depth, bool isText)
    {
        var bytes = new List<byte>();
        for (var level = 0; level < depth; level++)
            bytes.AddRange([0, 0, 0, 1, 0, 0, 0x08, 0xc9, .. BitConverter.GetBytes(System.Net.IPAddress.HostToNetworkOrder((depth - level - 1) * 12 + 4))]);
        bytes.AddRange([0, 0, 0, 0]);
        var codec = CodecCheck.Codec<string>("record");
        if (isText)
            Assert.That(codec.Read(bytes.ToArray()), Does.StartWith("(\"(\"\"(").And.EndsWith(")"));
        else
            Assert.That(() => codec.Read(bytes.ToArray()), Throws.TypeOf<PgException>().With.Message.Contains("each level doubles the quotes"));
    }
}
