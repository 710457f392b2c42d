using FsCheck;
using FsCheck.Fluent;
using Loxo.Session;

namespace Loxo.Tests.Session;

public class StatementNameTests
{
    // What a server keeps of an identifier (NAMEDATALEN - 1); names of prepared statements are not cut, but tools show them so.
    private const int LongestIdentifier = 63;

    // SHA-256 of the text in UTF-16, the types and the length of the text, computed elsewhere.
    private const string Golden = "loxo_437511e741eacbcb8fc134dfe4c6ce";

    [Test]
    public void It_is_the_same_in_every_process_and_every_version() =>
        Assert.That(StatementName.Of("SELECT $1", [23]), Is.EqualTo(Golden));

    [Test]
    public void Equal_texts_and_types_have_one_name_whatever_object_they_are() => Check((sql, types) =>
        Assert.That(StatementName.Of(new string(sql.AsSpan()), [.. types]), Is.EqualTo(StatementName.Of(sql, types))));

    [Test]
    public void Other_types_have_another_name() => Check((sql, types) =>
    {
        var name = StatementName.Of(sql, types);
        for (var i = 0; i < types.Length; i++)
        {
            uint[] other = [.. types];
            other[i]++;
            Assert.That(StatementName.Of(sql, other), Is.Not.EqualTo(name));
        }
        Assert.That(StatementName.Of(sql, [.. types, 0]), Is.Not.EqualTo(name));
    });

    [Test]
    public void Another_text_has_another_name() => Check((sql, types) =>
    {
        var name = StatementName.Of(sql, types);
        foreach (var other in new[] { sql + " ", sql + "\0", " " + sql, sql.ToUpperInvariant() + "x" })
            Assert.That(StatementName.Of(other, types), Is.Not.EqualTo(name));
    });

    [Test]
    public void Characters_of_the_text_are_never_taken_for_types()
    {
        // In memory the text 'ab' is the type 0x00620061.
        Assert.That(StatementName.Of("ab", []), Is.Not.EqualTo(StatementName.Of("", [0x00620061])));
        Assert.That(StatementName.Of("xab", [1]), Is.Not.EqualTo(StatementName.Of("x", [0x00620061, 1])));
    }

    [Test]
    public void Texts_that_differ_in_half_a_surrogate_pair_only_are_told_apart() =>
        Assert.That(StatementName.Of("\ud800", []), Is.Not.EqualTo(StatementName.Of("\ud801", [])));

    [Test]
    public void It_is_a_plain_identifier() => Check((sql, types) =>
    {
        var name = StatementName.Of(sql, types);
        Assert.That(name, Does.Match("^loxo_[0-9a-f]{30}$"));
        Assert.That(name, Has.Length.LessThanOrEqualTo(LongestIdentifier));
    });

    private static void Check(Action<string, uint[]> property) => Prop.ForAll(
        ArbMap.Default.ArbFor<string>().Filter(text => text is not null),
        ArbMap.Default.ArbFor<uint[]>().Filter(types => types is not null),
        property).QuickCheckThrowOnFailure();
}
