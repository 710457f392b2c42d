using System.Text;
using System.Text.Json.Nodes;

namespace Loxo.Tests.Types;

[TestFixture("json"), TestFixture("jsonb")]
public class JsonArrayFormatTests(string type)
{
    private static readonly Point3?[] Points = [new(1, 2), null, new(3, 4, "]")];

    private string PointsHex => Array("""{"X":1,"Y":2,"Name":null}""", null, """{"X":3,"Y":4,"Name":"]"}""");

    [Test]
    public void An_array_of_a_class_is_read_and_written_and_NULL_is_null() => CodecCheck.BothWays(type + "[]", Points, PointsHex);

    [Test]
    public void A_list_of_a_class_is_read_and_written()
    {
        CodecCheck.BothWays(type + "[]", Points.ToList(), PointsHex);
        CodecCheck.BothWays<IReadOnlyList<Point3?>>(type + "[]", Points, PointsHex);
        CodecCheck.BothWays<int[]>(type + "[]", [1, -2], Array("1", "-2"));
        CodecCheck.BothWays<int[][]>(type + "[]", [[1], [], [2, 3]], Array("[1]", "[]", "[2,3]"));
    }

    [Test]
    public void A_list_known_only_at_run_time_is_written()
    {
        foreach (var value in new object[] { Points, Points.ToList(), Points.ToHashSet() })
            Assert.That(CodecCheck.Write(writer => CodecCheck.Type(type + "[]").CodecForValue(value)!.WriteObject(writer, value)), Is.EqualTo(PointsHex), value.GetType().Name);
    }

    [Test]
    public void Elements_keep_their_discriminator() =>
        CodecCheck.BothWays<Shape[]>(type + "[]", [new Circle(1), new Square(2)], Array("""{"kind":"circle","R":1}""", """{"kind":"square","A":2}"""));

    [Test]
    public void An_empty_list_is_an_empty_array() => CodecCheck.BothWays<List<Point3>>(type + "[]", [], "0000000000000000" + Oid);

    [Test]
    public void Text_and_documents_are_elements_of_their_own()
    {
        CodecCheck.BothWays<string?[]>(type + "[]", ["[1]", null], Array("[1]", null));
        Assert.That(CodecCheck.Write<JsonNode?[]>(type + "[]", [new JsonArray(1), null]), Is.EqualTo(Array("[1]", null)));
        Assert.That(CodecCheck.Read<JsonNode?[]>(type + "[]", Array("[1]", null))[0]!.ToJsonString(), Is.EqualTo("[1]"));
        Assert.That(CodecCheck.Write(type + "[]", new JsonArray(1, null)), Is.EqualTo(Array("1", null)));
    }

    [Test]
    public void What_is_no_list_is_refused()
    {
        Assert.That(CodecCheck.Type(type + "[]").CodecFor<Point3>(), Is.Null);
        Assert.That(CodecCheck.Type(type + "[]").CodecFor<string>(), Is.Null);
        Assert.That(CodecCheck.Type(type + "[]").CodecForValue("[]"), Is.Null);
        Assert.That(() => CodecCheck.Write(type + "[]", new Dictionary<string, int>()), Throws.TypeOf<InvalidCastException>().With.Message.Contains("something else than an array"));
    }

    [Test]
    public void Only_a_whole_array_is_read() => CodecCheck.OnlyWhole<Point3[]>(type + "[]", PointsHex);

    [Test]
    public void A_count_that_the_bytes_cannot_hold_is_refused() => Assert.That(
        () => CodecCheck.Read<Point3[]>(type + "[]", "0000000100000000" + Oid + "7fffffff00000001"), Throws.TypeOf<PgException>().With.Message.Contains("claims"));

    [Test]
    public void Text_format_is_read_as_the_same_list() => Assert.That(
        CodecCheck.ReadText<Point3?[]>(type + "[]", """{"{\"X\":1,\"Y\":2}",NULL}"""), Is.EqualTo(new Point3?[] { new(1, 2), null }));

    private string Oid => type == "jsonb" ? "00000eda" : "00000072";

    private string Array(params string?[] elements)
    {
        var hex = new StringBuilder("00000001").Append(elements.Contains(null) ? "00000001" : "00000000").Append(Oid).Append($"{elements.Length:x8}00000001");
        foreach (var element in elements.Select(element => element is null ? null : JsonSamples.Hex(type, element)))
            hex.Append(element is null ? "ffffffff" : $"{element.Length / 2:x8}{element}");
        return hex.ToString();
    }
}
