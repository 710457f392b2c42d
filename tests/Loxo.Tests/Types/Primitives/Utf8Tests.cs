using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Loxo.Protocol.Frontend;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class Utf8Tests
{
    [Test]
    public void Reading_is_what_UTF_8_says_for_every_text() =>
        Check.One(Config.QuickThrowOnFailure.WithMaxTest(3000), Prop.ForAll(ArbMap.Default.ArbFor<string?>(), text =>
        {
            // Lone surrogates have become U+FFFD here.
            var bytes = Encoding.UTF8.GetBytes(text ?? "");
            return Utf8.Read(bytes) == Encoding.UTF8.GetString(bytes) && new string(Utf8.ReadChars(bytes)) == Encoding.UTF8.GetString(bytes);
        }));

    // Around each length at which the buffer grows or another way of encoding is taken.
    [Test]
    public void Writing_is_what_UTF_8_says_at_any_length_and_place([Values("a", "é", "€", "😀", "aé", "a\0")] string piece)
    {
        foreach (var before in new[] { 0, 1, MessageWriter.InitialSize - 8, MessageWriter.InitialSize })
        {
            foreach (var length in Enumerable.Range(0, 40).Concat([1364, 1365, 1366, 4095, 4096, 4097, 8190, 8192, 8194, 20_000]))
            {
                var text = string.Concat(Enumerable.Repeat(piece, length / piece.Length)) + new string('z', length % piece.Length);
                var writer = new MessageWriter();
                writer.Reserve(before).Fill(7);
                if (text.Contains('\0', StringComparison.Ordinal))
                    Assert.That(() => Utf8.Write(writer, text), Throws.TypeOf<PgException>());
                else
                    Utf8.Write(writer, text);
                var expected = text.Contains('\0', StringComparison.Ordinal) ? [] : Encoding.UTF8.GetBytes(text);
                Assert.That(writer.Pending[before..].SequenceEqual(expected), Is.True, $"{length} behind {before}");
                Assert.That(writer.Pending[..before].ContainsAnyExcept((byte)7), Is.False);
            }
        }
    }

    [TestCase("ff")]
    [TestCase("61c3")]
    [TestCase("eda080")]
    [TestCase("c080")]
    public void Bytes_that_are_not_UTF_8_are_refused_instead_of_replaced(string hex)
    {
        var bytes = Convert.FromHexString(hex);
        Assert.That(() => Utf8.Read(bytes), Throws.TypeOf<PgException>().With.Message.Contains("SQL_ASCII").And.Message.Contains("byte[]"));
        Assert.That(() => Utf8.ReadChars(bytes), Throws.TypeOf<PgException>());
    }

    [Test]
    public void A_NUL_character_is_refused() =>
        Assert.That(() => Utf8.Write(new MessageWriter(), "a\0b"), Throws.TypeOf<PgException>()
            .With.Property(nameof(PgException.Code)).EqualTo(PgErrorCode.ParameterInvalid).And.Message.Contains("NUL"));

    [Test]
    public void Half_a_surrogate_pair_is_refused()
    {
        foreach (var text in new[] { "a\uD800", "\uDC00b" })
        {
            Assert.That(() => Utf8.Write(new MessageWriter(), text), Throws.TypeOf<PgException>()
                .With.Property(nameof(PgException.Code)).EqualTo(PgErrorCode.ParameterInvalid).And.Message.Contains("surrogate"));
        }
    }
}
