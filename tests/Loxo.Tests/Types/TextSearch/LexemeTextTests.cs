using System.Text;
using Loxo.Types;

namespace Loxo.Tests.Types;

public class LexemeTextTests
{
    [Test]
    public void Quotes_and_backslashes_are_doubled() => Assert.That(LexemeText.Quote(@"it's a \"), Is.EqualTo(@"'it''s a \\'"));

    [Test]
    public void Words_are_ordered_by_the_bytes_of_their_UTF_8()
    {
        string[] words = ["", "A", "a", "aa", "ab", "b", "é", "\ud7ff", "\ue000", "ｱ", "\uffff", "\U00010000", "😀", "😁", "😀a", "a😀", "aｱ"];
        foreach (var left in words)
        {
            foreach (var right in words)
            {
                var expected = Math.Sign(Encoding.UTF8.GetBytes(left).AsSpan().SequenceCompareTo(Encoding.UTF8.GetBytes(right)));
                Assert.That(Math.Sign(LexemeText.Compare(left, right)), Is.EqualTo(expected), $"{left} and {right}");
            }
        }
    }
}
