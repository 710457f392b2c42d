using Loxo.Types;

namespace Loxo.Tests.Types;

public class DatabaseTypesTests
{
    private const uint Mood = 20_000, Moods = 20_001, Pair = 20_002, Short = 20_004;

    private DatabaseTypes _types = null!;

    [SetUp]
    public void NothingIsKnown() => _types = DatabaseTypes.Make(TypeSettings.Default, TypeMappings.None);

    [Test]
    public void What_was_learned_is_found_by_OID_and_by_name()
    {
        _types.Add([Enum(Mood, "mood")], byPath: true);

        var mood = _types.Find(Mood)!;
        Assert.That(mood.DisplayName, Is.EqualTo("app.mood"));
        Assert.That(_types.Find(Moods), Is.SameAs(mood.Array));
        Assert.That(_types.Find(TypeName.Parse("app.mood")), Is.SameAs(mood));
        Assert.That(_types.Find(TypeName.Parse("mood[]")), Is.SameAs(mood.Array));
        Assert.That(_types.Find(TypeName.Parse("other")), Is.Null);
        Assert.That(_types.Find(23)!.Name, Is.EqualTo("int4"));
    }

    [Test]
    public void Names_without_schema_are_those_of_the_path_that_they_were_found_by()
    {
        _types.Add([Enum(Mood, "mood")], byPath: false);
        Assert.That(_types.Find(TypeName.Parse("mood")), Is.Null);

        _types.Add([Enum(Mood, "mood")], byPath: true);
        var own = new DatabaseTypes(_types, hidesPath: true);
        Assert.That(own.Find(TypeName.Parse("mood")), Is.Null);
        Assert.That(own.Find(TypeName.Parse("app.mood")), Is.Not.Null);
        Assert.That(own.Find(Mood), Is.Not.Null);
    }

    [Test]
    public void Types_are_made_of_each_other_in_any_order()
    {
        _types.Add(
        [
            new() { Oid = Short, Schema = "app", Name = "short", Kind = 'd', Base = Mood },
            new() { Oid = Pair, Schema = "app", Name = "pair", Kind = 'c', Fields = [new("a", Mood, -1), new("b", Short, -1), new("more", 20_003, -1)], Array = 20_003 },
            new() { Oid = 20_003, Schema = "app", Name = "_pair", Kind = 'b', Element = Pair },
            Enum(Mood, "mood"),
        ], byPath: true);

        Assert.That(_types.Find(Short)!.ClrTypes, Does.Contain(typeof(string)));
        Assert.That(_types.Find(Pair)!.Default!.ValueType, Is.EqualTo(typeof(object[])));
        Assert.That(_types.Find(20_003)!.Element, Is.SameAs(_types.Find(Pair)));
    }

    [Test]
    public void A_composite_with_a_field_that_cannot_be_read_is_text()
    {
        _types.Add(
        [
            new() { Oid = Mood, Schema = "app", Name = "odd", Kind = 'b' },
            new() { Oid = Pair, Schema = "app", Name = "pair", Kind = 'c', Fields = [new("a", Mood, -1)] },
        ], byPath: true);

        Assert.That(_types.Find(Pair)!.HasBinaryCodec, Is.False);
        Assert.That(_types.Find(Mood)!.HasBinaryCodec, Is.False);
    }

    [Test]
    public void A_type_of_an_extension_is_told_by_the_function_that_sends_it()
    {
        _types.Add([new() { Oid = Mood, Schema = "app", Name = "email", Kind = 'b', SendFunction = "textsend" }], byPath: true);

        Assert.That(_types.Find(Mood)!.Default!.ValueType, Is.EqualTo(typeof(string)));
    }

    [Test]
    public void After_definitions_only_OIDs_hold_whose_meaning_never_changes()
    {
        _types.Add([Enum(Mood, "mood"), new() { Oid = Pair, Schema = "app", Name = "pair", Kind = 'c', Fields = [new("a", 23, -1)] }], byPath: true);

        var after = _types.AfterDefinitions();
        Assert.That((after.Find(Pair), after.Find(Mood)?.Name, after.Find(Moods)?.Name), Is.EqualTo((default(TypeEntry), "mood", "_mood")));
        Assert.That(after.Find(TypeName.Parse("mood")), Is.Null, "the name may be that of another type by now");
        Assert.That(_types.Find(Pair), Is.Not.Null, "whoever reads by it reads on");

        Assert.That(_types.Emptied().Find(Mood), Is.Null);
    }

    [Test]
    public void Without_anything_looked_up_there_is_nothing_to_forget() => Assert.That(_types.AfterDefinitions(), Is.SameAs(_types));

    private static TypeDescription Enum(uint oid, string name) =>
        new() { Oid = oid, Schema = "app", Name = name, Kind = 'e', Array = oid + 1, Labels = ["sad", "ok"], IsVisible = true };
}
