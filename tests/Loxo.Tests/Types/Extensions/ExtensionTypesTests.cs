using System.Collections.Immutable;
using System.Text;
using Loxo.Protocol;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class ExtensionTypesTests
{
    private static IEnumerable<string> Names => ExtensionTypes.All.Keys;

    [TestCaseSource(nameof(Names))]
    public void Every_type_has_a_text_and_is_read_as_a_string(string name)
    {
        Assert.That(ExtensionTypes.All[name].Format, Is.Not.Null);
        Assert.That(Type(name).CodecFor<string>(), Is.Not.Null);
        Assert.That(Type(name).CodecFor<string>(FormatCode.Text)!.Read("x"u8), Is.EqualTo("x"));
        Assert.That(Type(name).ClrTypes, Is.Unique);
        Assert.That(Type(name).Array!.CodecFor<string[]>(), Is.Not.Null);
    }

    // As PostgreSQL 15 sends them.
    [TestCase("ltree", "01612e625f31", "a.b_1")]
    [TestCase("ltree", "01", "")]
    [TestCase("lquery", "012a2e617c62402a2e637b312c327d", "*.a|b@*.c{1,2}")]
    [TestCase("ltxtquery", "016120262021622a", "a & !b*")]
    [TestCase("citext", "4d6978c3a4", "Mixä")]
    public void Labels_are_text_behind_a_version(string name, string hex, string text)
    {
        var codec = Type(name).CodecFor<string>()!;
        Assert.That(codec.Read(Convert.FromHexString(hex)), Is.EqualTo(text));
        Assert.That(CodecCheck.Write(writer => codec.Write(writer, text)), Is.EqualTo(hex));
        Assert.That(Type(name).ToText(Convert.FromHexString(hex)), Is.EqualTo(text));
    }

    [Test]
    public void Another_version_is_refused() =>
        Assert.That(() => Type("ltree").CodecFor<string>()!.Read([2, 0x61]), Throws.TypeOf<PgException>().With.Message.Contains("only 1 is known"));

    [Test]
    public void A_hstore_is_a_dictionary_first()
    {
        var hstore = Type("hstore");
        Assert.That(hstore.Default!.ValueType, Is.EqualTo(typeof(Dictionary<string, string?>)));
        Assert.That(hstore.CodecForValue(new SortedDictionary<string, string?>())!.ValueType, Is.EqualTo(typeof(IDictionary<string, string?>)));
        Assert.That(hstore.CodecForValue(ImmutableDictionary<string, string?>.Empty)!.ValueType, Is.EqualTo(typeof(ImmutableDictionary<string, string?>)));
        Assert.That(hstore.DefaultFor(FormatCode.Text)!.ReadObject("a=>1"u8), Is.EqualTo(new Dictionary<string, string?> { ["a"] = "1" }));
    }

    [Test]
    public void An_array_of_hstore_holds_dictionaries()
    {
        // array_send(array['a=>1'::hstore]); the OID of hstore is 16385 there.
        const string hex = "00000001000000000000400100000001000000010000000e0000000100000001610000000131";
        var codec = Type("hstore").Array!.CodecFor<Dictionary<string, string?>[]>()!;
        Assert.That(codec.Read(Convert.FromHexString(hex)), Is.EqualTo(new[] { new Dictionary<string, string?> { ["a"] = "1" } }));
    }

    internal static TypeEntry Type(string name) =>
        new TypeEntry(ExtensionTypes.All[name].Codecs, ExtensionTypes.All[name].Format) { Oid = 16_385, ArrayOid = 16_386, Name = name, DisplayName = name }.WithArray();

    [TestCase("cube", typeof(PgCube))]
    public void A_type_of_an_extension_has_a_default(string type, Type expected) =>
        Assert.That(ExtensionTypes.All[type].Codecs().First().ValueType, Is.EqualTo(expected));

    [TestCase("cube", "(1, 2),(3, 4)")]
    public void Its_text_becomes_binary_and_back(string type, string text)
    {
        var form = ExtensionTypes.All[type].Format;
        var binary = CodecCheck.Write(writer => form.WriteBinary(writer, Encoding.UTF8.GetBytes(text)));
        Assert.That(form.ToText(Convert.FromHexString(binary)), Is.EqualTo(text));
    }

    [Test]
    public void Each_is_read_as_a_string_too() =>
        Assert.That(ExtensionTypes.All.Where(type => type.Value.Codecs().All(codec => codec.ValueType != typeof(string))).Select(type => type.Key), Is.Empty);
}
