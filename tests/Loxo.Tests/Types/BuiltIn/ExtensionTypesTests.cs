using System.Text;
using Loxo.Types.BuiltIn;

namespace Loxo.Tests.Types.BuiltIn;

public class ExtensionTypesTests
{
    [TestCase("cube", typeof(PgCube))]
    public void A_type_of_an_extension_has_a_default(string type, Type expected) =>
        Assert.That(ExtensionTypes.Codecs[type]().First().ValueType, Is.EqualTo(expected));

    [TestCase("cube", "(1, 2),(3, 4)")]
    public void Its_text_becomes_binary_and_back(string type, string text)
    {
        var form = ExtensionTypes.TextForms[type];
        var binary = CodecCheck.Write(writer => form.WriteBinary(writer, Encoding.UTF8.GetBytes(text)));
        Assert.That(form.ToText(Convert.FromHexString(binary)), Is.EqualTo(text));
    }

    [Test]
    public void Each_is_read_as_a_string_too() =>
        Assert.That(ExtensionTypes.Codecs.Where(type => type.Value().All(codec => codec.ValueType != typeof(string))).Select(type => type.Key), Is.Empty);
}
