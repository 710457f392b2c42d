using Loxo.Types;

namespace Loxo.Tests.Types;

public class TypeFacetsTests
{
    [TestCase("varchar", 14, 10, null, null, null)]
    [TestCase("_varchar", 14, 10, null, null, null)]
    [TestCase("bit", 3, 3, null, null, null)]
    [TestCase("numeric", 655366, null, 10, 2, null)]
    [TestCase("numeric", 198658, null, 3, -2, null)]
    [TestCase("timestamptz", 3, null, 3, null, null)]
    [TestCase("interval", 268435458, null, 2, null, "second")]
    [TestCase("interval", 2147418115, null, 3, null, null)]
    [TestCase("numeric", -1, null, null, null, null)]
    [TestCase("integer", 4, null, null, null, null)]
    [TestCase("varchar", 3, null, null, null, null)]
    public void A_modifier_says_length_precision_and_scale(string type, int modifier, int? length, int? precision, int? scale, string? fields)
    {
        var facets = TypeFacets.Of(CodecCheck.Type(type), modifier);
        Assert.That((facets.Length, facets.Precision, facets.Scale, facets.Fields), Is.EqualTo((length, precision, scale, fields)));
    }
}
