using Loxo.Types;

namespace Loxo.Tests.Types;

public class TsQueryTextFormatTests
{
    [TestCase("", "00000000")]
    [TestCase("!'a' <2> 'b':*AB & 'c' | 'd'", "00000008020301000064000202010000630002040002010c01620002010100006100")]
    public void A_query_is_words_and_operators(string text, string hex) => FormCheck.BothWays(new TsQueryTextFormat(isToSend: false), text, hex);

    [Test]
    public void What_is_no_query_is_refused() => FormCheck.Refuses(new TsQueryTextFormat(isToSend: false), "a b");

    [Test]
    public void The_empty_query_is_not_sent() =>
        Assert.That(() => FormCheck.ToBinary(new TsQueryTextFormat(isToSend: true), ""), Throws.TypeOf<InvalidCastException>());

    // Showing a query may take more of the stack than reading it did.
    [Test]
    public void Whatever_depth_a_small_stack_has_no_room_for_is_refused()
    {
        var depths = new List<(int Depth, bool IsShown)>();
        var thread = new Thread(() => depths.AddRange(Enumerable.Range(1, 200).Select(i => (i * 50, IsShown(i * 50)))), maxStackSize: 256 * 1024);
        thread.Start();
        thread.Join();
        Assert.That((depths[0].IsShown, depths[^1].IsShown), Is.EqualTo((true, false)));
    }

    private static bool IsShown(int depth)
    {
        byte[] binary = [0, 0, (byte)((depth + 1) >> 8), (byte)(depth + 1), .. Enumerable.Repeat(new byte[] { 2, 1 }, depth).SelectMany(negation => negation), 1, 0, 0, 0x61, 0];
        try
        {
            return new TsQueryTextFormat(isToSend: false).ToText(binary).Length == depth + 3;
        }
        catch (PgException)
        {
            return false;
        }
    }
}
