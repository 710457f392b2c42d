using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Loxo.Protocol.Authentication;

namespace Loxo.Tests.Protocol.Authentication;

public class SaslPrepTests
{
    [TestCase("I\u00ADX", "IX", TestName = "RFC 4013 example 1: a soft hyphen maps to nothing")]
    [TestCase("user", "user", TestName = "RFC 4013 example 2: nothing to do")]
    [TestCase("USER", "USER", TestName = "RFC 4013 example 3: case is kept")]
    [TestCase("\u00AA", "a", TestName = "RFC 4013 example 4: NFKC of a feminine ordinal")]
    [TestCase("\u2168", "IX", TestName = "RFC 4013 example 5: NFKC of a roman numeral")]
    [TestCase("\u0007", "\u0007", TestName = "RFC 4013 example 6: a prohibited character, so as it is")]
    [TestCase("\u06271", "\u06271", TestName = "RFC 4013 example 7: a bidirectional mix, so as it is")]
    public void The_examples_of_RFC_4013_are_prepared_as_PostgreSQL_does(string password, string prepared) =>
        Assert.That(SaslPrep.Prepare(password), Is.EqualTo(prepared));

    // What PostgreSQL 18 was seen to store, by comparing the keys that it derived.
    [TestCase("a\u00A0b", "a b", TestName = "a no-break space becomes a space")]
    [TestCase("a\u200Bb", "a b", TestName = "a zero-width space becomes a space")]
    [TestCase("a\u2060b", "ab", TestName = "a word joiner maps to nothing")]
    [TestCase("\u00AD", "\u00AD", TestName = "a password of which nothing would be left is kept")]
    [TestCase("m\u00B2\u00BD", "m21\u20442", TestName = "superscripts and fractions")]
    [TestCase("ＡＢＣ", "ABC", TestName = "full-width letters")]
    [TestCase("ﬁﬀ", "fiff", TestName = "ligatures")]
    [TestCase("…", "...", TestName = "an ellipsis")]
    [TestCase("e\u0301", "é", TestName = "a decomposed accent is composed")]
    [TestCase("a\u0323\u0307", "\u1EA1\u0307", TestName = "two marks compose one after the other")]
    [TestCase("a\u0307\u0323", "\u1EA1\u0307", TestName = "marks are put in order first")]
    [TestCase("\u0344", "\u0308\u0301", TestName = "a composed mark stays apart")]
    [TestCase("\u212B", "Å", TestName = "the angstrom sign is a letter")]
    [TestCase("\u0958", "\u0915\u093C", TestName = "a letter excluded from composition stays apart")]
    [TestCase("\u1112\u1161\u11AB", "한", TestName = "jamos become a Hangul syllable")]
    [TestCase("\uD55C\u1100", "한\u1100", TestName = "a syllable with a trailing consonant takes no other")]
    [TestCase("\uFB1D", "\u05D9\u05B4", TestName = "a Hebrew presentation form ends in a mark")]
    [TestCase("\uFDFA", "\u0635\u0644\u0649 \u0627\u0644\u0644\u0647 \u0639\u0644\u064A\u0647 \u0648\u0633\u0644\u0645", TestName = "the longest decomposition")]
    [TestCase("\U0001D400\U0001D7CE", "A0", TestName = "mathematical letters and digits of the second plane")]
    [TestCase("\U0002F800", "\u4E3D", TestName = "a compatibility ideograph of the third plane")]
    [TestCase("\u0627\u0031\u0628", "\u0627\u0031\u0628", TestName = "right to left with a digit inside is permitted")]
    [TestCase("\uFE8D\u0031\uFE8D", "\u0627\u0031\u0627", TestName = "right to left from end to end is prepared")]
    [TestCase("\u0627\u0061\u00AA\u0627", "\u0627\u0061\u00AA\u0627", TestName = "right to left with a Latin letter is kept")]
    [TestCase("\u00BD\u0627", "\u00BD\u0627", TestName = "right to left that starts with a number is kept")]
    [TestCase("\u00BD\u0007", "\u00BD\u0007", TestName = "a control character makes the rest be kept too")]
    [TestCase("\u00BD\u0221", "\u00BD\u0221", TestName = "a character unassigned in Unicode 3.2 makes the rest be kept")]
    [TestCase("\u00BD\U0001F600", "\u00BD\U0001F600", TestName = "so does an emoji")]
    [TestCase("\u0340", "\u0340", TestName = "a prohibited character is looked for before the normalization removes it")]
    [TestCase("\u03F9", "\u03F9", TestName = "a newer character is looked for before the normalization replaces it")]
    [TestCase("\u00BD\uE000", "\u00BD\uE000", TestName = "private use")]
    public void Other_passwords_are_prepared_as_a_server_was_seen_to_do(string password, string prepared) =>
        Assert.That(SaslPrep.Prepare(password), Is.EqualTo(prepared));

    [Test]
    public void Half_a_surrogate_pair_makes_the_password_be_kept() => // in no attribute: those are stored as UTF-8, which cannot hold it
        Assert.That(SaslPrep.Prepare("\u00BD\uD800"), Is.EqualTo("\u00BD\uD800"));

    [Test]
    public void Any_text_is_prepared_or_kept_and_preparing_again_changes_nothing_more()
    {
        var interesting = "aé½\u0301\u0323\u00AD\u00A0\u0627\u05D0\u1112\u1161\u11AB\uAC00\u0915\u093C\uFB1D\u2126\u0007\uD835\uDC00";
        var texts = Gen.Elements([.. interesting]).ArrayOf().Select(characters => new string(characters));

        Prop.ForAll(texts.ToArbitrary(), text =>
        {
            var once = SaslPrep.Prepare(text);
            return SaslPrep.Prepare(once) == once;
        }).QuickCheckThrowOnFailure();
    }

    [Test]
    public void ASCII_is_never_changed() =>
        Prop.ForAll(Gen.Choose(0, 127).Select(code => (char)code).ArrayOf().Select(characters => new string(characters)).ToArbitrary(),
            text => ReferenceEquals(SaslPrep.Prepare(text), text)).QuickCheckThrowOnFailure();

    [Test]
    public void Every_permitted_character_has_the_class_and_the_normal_form_that_Python_gives_it()
    {
        // Python's stringprep and unicodedata; PostgreSQL 18 was seen to agree with them on every character of the first two planes.
        const string fingerprint = "696542aa4719658807ecfb992d43ddd932deedd2dced9da2b7402258ca27f72c";
        var classes = new SaslPrepClasses();
        var nfkc = new Nfkc();
        var lines = new StringBuilder();
        for (var codePoint = 0; codePoint <= 0x10FFFF; codePoint++)
        {
            if (classes.Of(codePoint) is SaslPrepClass.Prohibited)
                continue;
            lines.Append(CultureInfo.InvariantCulture, $"{codePoint:X}{(char)classes.Of(codePoint)}");
            foreach (var part in nfkc.Normalize([codePoint]))
                lines.Append(CultureInfo.InvariantCulture, $" {part:X}");
            lines.Append('\n');
        }

        var hash = SHA256.HashData(Encoding.ASCII.GetBytes(lines.ToString()));
        Assert.That(Convert.ToHexStringLower(hash), Is.EqualTo(fingerprint));
    }

    [Test]
    public void Every_Hangul_syllable_survives_being_taken_apart_and_put_together()
    {
        var nfkc = new Nfkc();
        for (var syllable = 0xAC00; syllable <= 0xD7A3; syllable++)
        {
            if (nfkc.Normalize([syllable]) is not [var same] || same != syllable)
                Assert.Fail($"U+{syllable:X4}");
        }
    }

    [Test]
    public void Nothing_normalizes_to_nothing() => Assert.That(new Nfkc().Normalize([]), Is.Empty);
}
