using System.Text;
using Loxo.Session;
using Loxo.Tests.Types;
using Loxo.Types;

namespace Loxo.Tests.Session;

/// <summary>Where fields lie in the bytes that record_send and array_send make, and what is refused.</summary>
public sealed class NestedRowsTests
{
    private const uint Pair = 20_000, Pairs = 20_001, Near = 20_002, Nears = 20_003, List = 20_004, Circle = 20_005;

    // SELECT record_send(ROW(1, NULL::text, 'a b'::text))
    private const string Three = "00000003" + "000000170000000400000001" + "00000019ffffffff" + "0000001900000003612062";
    private const string One = "00000001" + "000000100000000101";
    private const string Couple = "00000002" + "0000001700000004000000ff" + "000000190000000178";

    private readonly DatabaseTypes _types = DatabaseTypes.Make(TypeSettings.Default, TypeMappings.None);

    [SetUp]
    public void LearnTypes() => _types.Add(
    [
        new() { Oid = Pair, Schema = "app", Name = "pair", Kind = 'c', Fields = [new("a", 23, -1), new("b", 25, -1)], Array = Pairs },
        new() { Oid = Near, Schema = "app", Name = "near", Kind = 'd', Base = Pair, Array = Nears },
        new() { Oid = List, Schema = "app", Name = "list", Kind = 'd', Base = Nears },
    ], byPath: true);

    [Test]
    public void A_record_is_one_row_that_is_described_before_it_is_read()
    {
        var (rows, value) = Open(2249, Three);
        Assert.That((rows.HasRows, rows.IsOnRow, rows.FieldCount), Is.EqualTo((true, false, 3)));
        Assert.That(Enumerable.Range(0, 3).Select(i => (rows[i].Name, rows[i].Type!.Name)), Is.EqualTo(new[] { ("f1", "int4"), ("f2", "text"), ("f3", "text") }));

        Assert.That(rows.MoveNext(value), Is.True);

        Assert.That(Row(rows, value), Is.EqualTo(new[] { "00000001", null, "612062" }));
        Assert.That(rows.MoveNext(value), Is.False);
        Assert.That(rows.IsOnRow, Is.False);
        Assert.That(rows.MoveNext(value), Is.False);
    }

    [Test]
    public void A_composite_has_the_names_of_its_fields_also_below_domains()
    {
        foreach (var type in new[] { Pair, Near })
        {
            var (rows, value) = Open(type, Couple);
            Assert.That((rows.FieldCount, rows[0].Name, rows[1].Name), Is.EqualTo((2, "a", "b")));
            Assert.That(rows.MoveNext(value), Is.True);
            Assert.That(Row(rows, value), Is.EqualTo(new[] { "000000ff", "78" }));
        }
    }

    [Test]
    public void Elements_of_an_array_are_rows_and_NULL_is_a_row_of_NULLs()
    {
        foreach (var (type, element) in new[] { (Pairs, Pair), (Nears, Near), (List, Near) })
        {
            var (rows, value) = Open(type, Vector(element, Couple, null, Couple));
            Assert.That(All(rows, value), Is.EqualTo(new string?[][] { ["000000ff", "78"], [null, null], ["000000ff", "78"] }));
        }
    }

    [Test]
    public void Records_in_an_array_have_their_own_fields_each()
    {
        var (rows, value) = Open(2287, Vector(2249, null, One, Three, null, "00000000", One));
        Assert.That((rows.FieldCount, rows[0].Type!.Name), Is.EqualTo((1, "bool")), "before the first row");

        Assert.That(All(rows, value), Is.EqualTo(new string?[][] { [null], ["01"], ["00000001", null, "612062"], [null, null, null], [], ["01"] }));
        Assert.That(rows[0].Type!.Name, Is.EqualTo("bool"));
    }

    [Test]
    public void An_empty_array_has_no_rows_and_composites_in_it_are_described()
    {
        var (records, value) = Open(2287, "0000000000000000000008c9");
        Assert.That((records.HasRows, records.FieldCount, records.MoveNext(value)), Is.EqualTo((false, 0, false)));
        Assert.That(Open(Pairs, "000000000000000000004e20").Rows.FieldCount, Is.EqualTo(2));
        Assert.That(Open(2287, Vector(2249, null, null)).Rows.FieldCount, Is.Zero);
    }

    [Test]
    public void Bytes_that_are_cut_anywhere_or_too_many_are_refused()
    {
        foreach (var (type, hex) in new[] { (2249u, Three), (Pair, Couple), (2287u, Vector(2249, Three, null, One)), (Pairs, Vector(Pair, Couple, null, Couple)) })
        {
            var whole = Convert.FromHexString(hex);
            Assert.That(() => ReadAll(type, whole), Throws.Nothing);
            for (var length = 0; length < whole.Length; length++)
                Assert.That(() => ReadAll(type, whole[..length]), Throws.TypeOf<PgException>(), $"{length} bytes of {hex}");
            Assert.That(() => ReadAll(type, [.. whole, 0]), Throws.TypeOf<PgException>(), "one byte more than " + hex);
        }
    }

    [Test]
    public void Bytes_that_are_wrong_anywhere_make_no_other_error()
    {
        foreach (var (type, hex) in new[] { (2249u, Three), (Pair, Couple), (2287u, Vector(2249, Three, null, One)), (Pairs, Vector(Pair, Couple, null, Couple)) })
        {
            var whole = Convert.FromHexString(hex);
            for (var i = 0; i < whole.Length; i++)
            {
                foreach (var wrong in new byte[] { 0, 1, 2, 0x7f, 0x80, 0xff })
                {
                    byte[] changed = [.. whole];
                    changed[i] = wrong;
                    LearnTypes(); // other fields make types be forgotten
                    Assert.That(Failure(() => ReadAll(type, changed)), Is.Null.Or.TypeOf<PgException>().Or.TypeOf<InvalidCastException>(), $"{wrong} at {i} of {hex}");
                }
            }
        }
    }

    [Test]
    public void A_record_of_more_fields_than_a_row_can_have_is_refused()
    {
        Assert.That(Open(2249, Fields(1664)).Rows.FieldCount, Is.EqualTo(1664));
        Assert.That(() => Open(2249, Fields(1665)), Throws.TypeOf<PgException>().With.Message.Contains("1665 fields"));

        static string Fields(int count) => $"{count:x8}" + string.Concat(Enumerable.Repeat("00000017ffffffff", count));
    }

    [Test]
    public void An_element_that_is_malformed_is_passed()
    {
        var (rows, value) = Open(Pairs, Vector(Pair, Couple, "00000002", Couple));
        Assert.That(rows.MoveNext(value), Is.True);
        Assert.That(() => rows.MoveNext(value), Throws.TypeOf<PgException>());
        Assert.That(rows.IsOnRow, Is.False);
        Assert.That(rows.MoveNext(value), Is.True);
        Assert.That(Row(rows, value), Is.EqualTo(new[] { "000000ff", "78" }));
    }

    [Test]
    public void A_composite_with_other_fields_than_are_known_is_refused()
    {
        var types = DatabaseTypes.Make(TypeSettings.Default, TypeMappings.None);
        types.Add([new() { Oid = Pair, Schema = "app", Name = "pair", Kind = 'c', Fields = [new("a", 23, -1)] }], byPath: true);
        var value = Convert.FromHexString(Couple);
        var rows = NestedRows.Open(types.Find(Pair)!, types, value);

        Assert.That(() => rows.MoveNext(value), Throws.TypeOf<PgException>().With.Message.Contains("other fields"));
        Assert.That(types.IsOutdated, Is.True, "is looked up anew");
    }

    [Test]
    public void Arrays_of_several_dimensions_are_refused() =>
        Assert.That(() => Open(2287, "00000002" + "00000000" + "000008c9" + "0000000100000001" + "0000000100000001" + "00000004" + "00000000"),
            Throws.TypeOf<InvalidCastException>().With.Message.EqualTo(
                "An array of record with 2 dimensions cannot become the rows of a nested reader. Read it as object or Array, or make rows of it with unnest in SQL."));

    [Test]
    public void Other_types_have_no_rows()
    {
        foreach (var name in new[] { "int4", "int4[]", "text", "oidvector", "int4range", "int4multirange[]" })
            Assert.That(NestedRows.Has(CodecCheck.Type(name), _types), Is.False, name);
        foreach (var oid in new[] { 2249u, 2287u, Pair, Pairs, Near, Nears, List })
            Assert.That(NestedRows.Has(_types.Find(oid)!, _types), Is.True, $"{oid}");
    }

    [Test]
    public void Domains_in_a_circle_come_to_an_end()
    {
        var types = DatabaseTypes.Make(TypeSettings.Default, TypeMappings.None);
        types.Add([new() { Oid = Circle, Schema = "app", Name = "circle", Kind = 'd', Base = 23 }], byPath: true);
        types.Add([new() { Oid = Circle, Schema = "app", Name = "circle", Kind = 'd', Base = Circle + 1 }, new() { Oid = Circle + 1, Schema = "app", Name = "other", Kind = 'd', Base = 23 }], byPath: true);
        types.Add([new() { Oid = Circle + 1, Schema = "app", Name = "other", Kind = 'd', Base = Circle }], byPath: true);

        Assert.That(NestedRows.Has(types.Find(Circle)!, types), Is.False);
    }

    private static Exception? Failure(Action action)
    {
        try
        {
            action();
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }

    private void ReadAll(uint type, byte[] value) => All(NestedRows.Open(_types.Find(type)!, _types, value), value);

    private (NestedRows Rows, byte[] Value) Open(uint type, string hex)
    {
        var value = Convert.FromHexString(hex);
        return (NestedRows.Open(_types.Find(type)!, _types, value), value);
    }

    private static List<string?[]> All(NestedRows rows, byte[] value)
    {
        var all = new List<string?[]>();
        while (rows.MoveNext(value))
            all.Add(Row(rows, value));
        return all;
    }

    private static string?[] Row(NestedRows rows, byte[] value) => [.. Enumerable.Range(0, rows.FieldCount)
        .Select(i => rows.TryFind(i, out var start, out var length) ? Convert.ToHexStringLower(value.AsSpan(start, length)) : null)];

    private static string Vector(uint element, params string?[] elements)
    {
        var hex = new StringBuilder($"0000000100000001{element:x8}{elements.Length:x8}00000001");
        foreach (var value in elements)
            hex.Append(value is null ? "ffffffff" : $"{value.Length / 2:x8}{value}");
        return hex.ToString();
    }
}
