using Loxo.Types;

namespace Loxo.Tests.Types;

public class TextFamilyTests
{
    [Test]
    public void Text_is_a_string_unless_something_else_is_asked_for() => Assert.That(TextFamily.All[0], Is.SameAs(TextFamily.String));

    [Test]
    public void No_type_has_two_codecs() => Assert.That(TextFamily.All.Select(codec => codec.ValueType), Is.Unique);
}
