namespace Loxo.Tests.Types.TextFormat;

public class SystemRenderingsTests
{
    [TestCase("bit", "00000005a8", "10101")]
    [TestCase("bit varying", "00000000", "")]
    [TestCase("bit varying", "00000009ff80", "111111111")]
    [TestCase("tid", "000000010002", "(1,2)")]
    [TestCase("tid", "ffffffffffff", "(4294967295,65535)")]
    [TestCase("pg_lsn", "00000016b374d848", "16/B374D848")]
    [TestCase("pg_lsn", "0000000000000001", "0/1")]
    [TestCase("pg_snapshot", "00000003000000000000000a0000000000000014000000000000000a000000000000000e000000000000000f", "10:20:10,14,15")]
    [TestCase("pg_snapshot", "00000000000000000000000a000000000000000a", "10:10:")]
    public void Values_of_the_system_are_shown_as_the_server_does(string type, string hex, string text)
    {
        Assert.That(CodecCheck.Read<string>(type, hex), Is.EqualTo(text));
        CodecCheck.OnlyWhole<string>(type, hex);
    }

    [TestCase("bit", "7fffffffff")]
    [TestCase("bit", "80000000")]
    [TestCase("pg_snapshot", "7fffffff000000000000000a000000000000000a")]
    public void A_hostile_count_is_refused(string type, string hex) => Assert.That(() => CodecCheck.Read<string>(type, hex), Throws.TypeOf<PgException>());
}
