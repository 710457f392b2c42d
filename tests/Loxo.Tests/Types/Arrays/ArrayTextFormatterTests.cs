using Loxo.Types;

namespace Loxo.Tests.Types;

public class ArrayTextFormatterTests
{
    [TestCase("integer", "000000020000000000000017000000020000000100000002000000010000000400000001000000040000000200000004000000030000000400000004", "{{1,2},{3,4}}")]
    [TestCase("integer", "000000010000000000000017000000020000000000000004000000010000000400000002", "[0:1]={1,2}")]
    [TestCase("integer", "000000000000000000000017", "{}")]
    [TestCase("box", "00000001000000010000025b000000020000000100000020400800000000000040100000000000003ff00000000000004000000000000000ffffffff", "{(3,4),(1,2);NULL}")]
    public void An_array_of_any_dimensions_is_shown(string element, string hex, string text)
    {
        FormCheck.Shows(new ArrayTextFormatter(CodecCheck.Type(element)), hex, text);
        FormCheck.OnlyWhole(new ArrayTextFormatter(CodecCheck.Type(element)), hex);
    }

    [Test]
    public void Elements_are_quoted_where_they_have_to_be()
    {
        var hex = CodecCheck.Write<string?[]>("text[]", ["plain", "a b", null, "null", "", "x\"y\\z", "{,}"]);
        FormCheck.Shows(new ArrayTextFormatter(CodecCheck.Type("text")), hex, """{plain,"a b",NULL,"null","","x\"y\\z","{,}"}""");
    }

    [Test]
    public void An_array_of_any_type_says_its_type_itself()
    {
        FormCheck.Shows(new AnyArrayTextFormatter("anyarray", TypeCatalog.BuiltIn.Find), CodecCheck.Write<int[]>("integer[]", [1, 2]), "{1,2}");
        Assert.That(() => new AnyArrayTextFormatter("anyarray", TypeCatalog.BuiltIn.Find).ToText(Convert.FromHexString("000000000000000000fffff0")), Throws.TypeOf<PgException>());
    }

    [TestCase("000000070000000000000017")]
    [TestCase("ffffffff0000000000000017")]
    [TestCase("0000000100000000000000197fffffff00000001")]
    [TestCase("0000000100000000000000177fffffff00000001")]
    [TestCase("000000010000000000000017ffffffff00000001")]
    [TestCase("0000000200000000000000177fffffff00000001ffffffff00000001")]
    public void A_hostile_header_is_refused(string hex) =>
        Assert.That(() => new ArrayTextFormatter(CodecCheck.Type("integer")).ToText(Convert.FromHexString(hex)), Throws.TypeOf<PgException>());

    [Test]
    public void A_hostile_depth_is_refused_instead_of_ending_the_process()
    {
        const int depth = 50_000;
        var bytes = new List<byte>();
        for (var level = 0; level < depth; level++)
        {
            var rest = System.Net.IPAddress.HostToNetworkOrder((depth - level - 1) * 24 + 12);
            bytes.AddRange([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x08, 0xe5, 0, 0, 0, 1, 0, 0, 0, 1, .. BitConverter.GetBytes(rest)]);
        }
        bytes.AddRange([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 23]);
        Assert.That(() => new AnyArrayTextFormatter("anyarray", TypeCatalog.BuiltIn.Find).ToText(bytes.ToArray()), Throws.TypeOf<PgException>().With.Message.Contains("nested too deeply"));
    }
}
