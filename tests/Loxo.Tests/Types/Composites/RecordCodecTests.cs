using Loxo.Types;

namespace Loxo.Tests.Types;

public class RecordCodecTests
{
    // SELECT record_send(ROW(1, NULL::text, 'a b'::text))
    private const string Three = "00000003" + "000000170000000400000001" + "00000019ffffffff" + "0000001900000003612062";
    private const string Empty = "00000000";

    [Test]
    public void A_record_is_its_fields_as_they_are_by_default()
    {
        Assert.That(CodecCheck.Read<object?[]>("record", Three), Is.EqualTo(new object?[] { 1, null, "a b" }));
        Assert.That(CodecCheck.Type("record").Default!.ReadObject(Convert.FromHexString(Three)), Is.TypeOf<object?[]>());
        Assert.That(CodecCheck.Read<object?[]>("record", Empty), Is.Empty);
        CodecCheck.OnlyWhole<object?[]>("record", Three);
    }

    [Test]
    public void A_record_is_a_tuple_of_the_types_that_are_asked_for()
    {
        Assert.That(CodecCheck.Read<(int, string?, string)>("record", Three), Is.EqualTo((1, (string?)null, "a b")));
        Assert.That(CodecCheck.Read<(long?, string?, object)>("record", Three), Is.EqualTo((1L, (string?)null, "a b")));
        Assert.That(CodecCheck.Read<(int, string?, string)?>("record", Three), Is.EqualTo((1, (string?)null, "a b")));
        Assert.That(CodecCheck.Read<Tuple<int, string?, string>>("record", Three), Is.EqualTo(Tuple.Create(1, (string?)null, "a b")));
        Assert.That(CodecCheck.Read<ValueTuple<int>>("record", "00000001" + "000000170000000400000001"), Is.EqualTo(ValueTuple.Create(1)));
        CodecCheck.OnlyWhole<(int, string?, string)>("record", Three);
    }

    [Test]
    public void A_long_tuple_is_one_row()
    {
        var hex = Record(Enumerable.Range(1, 15).Select(i => $"0000001700000004{i:x8}"));
        Assert.That(CodecCheck.Read<(int, int, int, int, int, int, int, int, long)>("record", Record(Enumerable.Range(1, 9).Select(i => $"0000001700000004{i:x8}"))),
            Is.EqualTo((1, 2, 3, 4, 5, 6, 7, 8, 9L)));
        Assert.That(CodecCheck.Read<(int, int, int, int, int, int, int, int, int, int, int, int, int, int, int)>("record", hex).Item15, Is.EqualTo(15));
        Assert.That(CodecCheck.Read<Tuple<int, int, int, int, int, int, int, Tuple<int>>>("record", Record(Enumerable.Range(1, 8).Select(i => $"0000001700000004{i:x8}"))).Rest.Item1,
            Is.EqualTo(8));
    }

    [Test]
    public void Records_and_tuples_nest()
    {
        var hex = Record(["000008c9" + (Three.Length / 2).ToString("x8") + Three, "000000170000000400000007"]);
        Assert.That(CodecCheck.Read<object?[]>("record", hex), Is.EqualTo(new object?[] { new object?[] { 1, null, "a b" }, 7 }));
        Assert.That(CodecCheck.Read<((int, string?, string), int)>("record", hex), Is.EqualTo(((1, (string?)null, "a b"), 7)));
        Assert.That(CodecCheck.Read<(object?[], int)>("record", hex).Item1, Is.EqualTo(new object?[] { 1, null, "a b" }));
    }

    [Test]
    public void An_array_of_records_is_an_array_of_arrays_or_of_texts()
    {
        var hex = "0000000100000000000008c9" + "0000000100000001" + (Three.Length / 2).ToString("x8") + Three;
        Assert.That(CodecCheck.Read<object?[][]>("record[]", hex).Single(), Is.EqualTo(new object?[] { 1, null, "a b" }));
        Assert.That(CodecCheck.Read<string[]>("record[]", hex).Single(), Is.EqualTo("(1,,\"a b\")"));
        Assert.That(CodecCheck.Read<string>("record[]", hex), Is.EqualTo("{\"(1,,\\\"a b\\\")\"}"));
    }

    [Test]
    public void A_tuple_that_does_not_fit_is_refused()
    {
        Assert.That(() => CodecCheck.Read<(int, string?)>("record", Three), Throws.TypeOf<InvalidCastException>().With.Message.StartsWith("A record of 3 fields cannot become "));
        Assert.That(() => CodecCheck.Read<(int, int, string)>("record", Three), Throws.TypeOf<InvalidCastException>().With.Message.EqualTo(
            "Field 1 of the record, which is NULL, cannot become int. Read it as int?."));
        Assert.That(() => CodecCheck.Read<(Guid, string?, string)>("record", Three), Throws.TypeOf<InvalidCastException>().With.Message.StartsWith(
            "PostgreSQL type integer cannot be read as System.Guid."));
        Assert.That(() => CodecCheck.Read<((int, int), string?, string)>("record", Three), Throws.TypeOf<InvalidCastException>());
    }

    [Test]
    public void A_field_of_a_type_that_is_not_known_is_refused() =>
        Assert.That(() => CodecCheck.Read<object?[]>("record", Record(["00fffff00000000161"])), Throws.TypeOf<PgException>().With.Message.EqualTo(
            "Field 0 of the record has the type with OID 16777200, which is not known. Cast the field, or the record, to text in SQL."));

    [Test]
    public void A_field_that_is_no_more_than_text_is_refused() =>
        Assert.That(() => CodecCheck.Read<object?[]>("record", Record(["000004090000000161"])), Throws.TypeOf<PgException>().With.Message.Contains("aclitem"));

    [Test]
    public void Types_are_found_where_they_are_looked_up()
    {
        var codec = new RecordCodec(oid => oid == 16777200 ? CodecCheck.Type("text") : null);
        Assert.That(codec.Read(Convert.FromHexString(Record(["00fffff00000000161"]))), Is.EqualTo(new object?[] { "a" }));
    }

    [Test]
    public void No_record_is_written() => Assert.That(() => CodecCheck.Write("record", new object?[] { 1 }), Throws.TypeOf<InvalidCastException>().With.Message.EqualTo(
        "A record cannot become a value of PostgreSQL type record. Write its fields as parameters of their own and make a record of them with ROW(...) in SQL."));

    [Test]
    public void A_hostile_depth_is_refused_instead_of_ending_the_process()
    {
        const int depth = 100_000;
        var bytes = new List<byte>();
        for (var level = 0; level < depth; level++)
            bytes.AddRange([0, 0, 0, 1, 0, 0, 0x08, 0xc9, .. BitConverter.GetBytes(System.Net.IPAddress.HostToNetworkOrder((depth - level - 1) * 12 + 4))]);
        bytes.AddRange([0, 0, 0, 0]);
        Assert.That(() => CodecCheck.Codec<object?[]>("record").Read(bytes.ToArray()), Throws.TypeOf<PgException>().With.Message.Contains("nested too deeply"));
    }

    private static string Record(IEnumerable<string> fields) => fields.Count().ToString("x8") + string.Concat(fields);
}
