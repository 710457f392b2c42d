using Loxo.Types;

namespace Loxo.Tests.Types;

public class TypeNameTests
{
    [TestCase("mood", null, "mood", false)]
    [TestCase(" Mood ", null, "mood", false)]
    [TestCase("public.Mood[]", "public", "mood", true)]
    [TestCase("\"My Schema\".\"Mood\"", "My Schema", "Mood", false)]
    [TestCase("\"a.b\"", null, "a.b", false)]
    [TestCase("\"say \"\"hi\"\"\"", null, "say \"hi\"", false)]
    [TestCase("vector(3)", null, "vector", false)]
    [TestCase("vector(3)[]", null, "vector", true)]
    [TestCase("gis.geometry(Point, 4326)", "gis", "geometry", false)]
    [TestCase("mood[3][]", null, "mood", true)]
    [TestCase("", null, "", false)]
    public void A_name_is_read_as_SQL_writes_it(string text, string? schema, string name, bool isArray) =>
        Assert.That(TypeName.Parse(text), Is.EqualTo(new TypeName(schema, name, isArray)));

    [TestCase("mood")]
    [TestCase("public.mood[]")]
    [TestCase("\"My Schema\".\"Mood\"")]
    [TestCase("\"say \"\"hi\"\"\"")]
    [TestCase("\"1st\"")]
    public void A_name_is_shown_as_SQL_writes_it(string text) => Assert.That(TypeName.Parse(text).ToString(), Is.EqualTo(text));
}
