using System.Text.RegularExpressions;
using FsCheck;
using FsCheck.Fluent;
using Loxo.Sql;

namespace Loxo.Tests.Sql;

/// <summary>Several words are looked for at once, and found where a regular expression finds one of them.</summary>
public class SqlWordSetTests
{
    private static readonly string[] Words = ["insert", "into", "share", "pg_notify", "pg_try_lock", "pg_try_lock_shared"];

    private static readonly string[] Pieces =
    [
        .. Words, "INSERT", "Into", "shar", "e", "pg_try_lock_", "shared", "_", "$", "1", "é", "\u212A", " ", "\n", "(", "'", "--", "/*", ".", "x", "in", "to",
    ];

    [Test]
    public void A_word_is_found_wherever_it_stands_by_itself()
    {
        var found = 0;
        var alternatives = string.Join('|', Words);
        var oracle = new Regex($@"(?<![A-Za-z0-9_$\u0080-\uffff])(?:{alternatives})(?![A-Za-z0-9_$\u0080-\uffff])", RegexOptions.IgnoreCase | RegexOptions.CultureInvariant);
        var words = new SqlWordSet(Words);
        Prop.ForAll(Gen.Elements(Pieces).ArrayOf().Select(string.Concat).ToArbitrary(), text =>
        {
            var expected = oracle.IsMatch(text);
            found += expected ? 1 : 0;
            return words.IsIn(text) == expected;
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(20_000));
        Assert.That(found, Is.InRange(2_000, 18_000), "both answers were tried");
    }

    [Test]
    public void A_word_is_found_at_both_ends_of_a_long_text()
    {
        var words = new SqlWordSet(Words);
        var filler = new string('x', 100_000);
        Assert.That(words.IsIn("insert " + filler), Is.True);
        Assert.That(words.IsIn(filler + " SHARE"), Is.True);
        Assert.That(words.IsIn(filler + "share"), Is.False);
        Assert.That(words.IsIn(""), Is.False);
    }
}
