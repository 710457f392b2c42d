namespace Loxo.Tests.Types;

public class SystemCodecsTests
{
    [TestCase("000000010002", 1u, (ushort)2, "(1,2)")]
    [TestCase("ffffffffffff", uint.MaxValue, ushort.MaxValue, "(4294967295,65535)")]
    public void A_tid_is_a_block_and_a_place_in_it(string hex, uint block, ushort offset, string text)
    {
        CodecCheck.BothWays("tid", new PgTid(block, offset), hex);
        CodecCheck.BothWays("tid", text, hex);
        CodecCheck.OnlyWhole<PgTid>("tid", hex);
    }

    [TestCase("00000016b374d848", "16/B374D848")]
    [TestCase("0000000000000001", "0/1")]
    [TestCase("ffffffffffffffff", "FFFFFFFF/FFFFFFFF")]
    public void A_place_in_the_log_is_a_number(string hex, string text)
    {
        CodecCheck.BothWays("pg_lsn", PgLogSequenceNumber.Parse(text), hex);
        CodecCheck.BothWays("pg_lsn", PgLogSequenceNumber.Parse(text).Value, hex);
        CodecCheck.BothWays("pg_lsn", text, hex);
        CodecCheck.OnlyWhole<PgLogSequenceNumber>("pg_lsn", hex);
        CodecCheck.OnlyWhole<ulong>("pg_lsn", hex);
    }

    [TestCase("00000003000000000000000a0000000000000014000000000000000a000000000000000e000000000000000f", "10:20:10,14,15")]
    [TestCase("00000000000000000000000a000000000000000a", "10:10:")]
    public void A_snapshot_is_its_numbers(string hex, string text)
    {
        CodecCheck.BothWays("pg_snapshot", PgSnapshot.Parse(text), hex);
        CodecCheck.BothWays("txid_snapshot", PgSnapshot.Parse(text), hex);
        CodecCheck.BothWays("pg_snapshot", text, hex);
        CodecCheck.OnlyWhole<PgSnapshot>("pg_snapshot", hex);
    }

    [TestCase("7fffffff000000000000000a000000000000000a")]
    [TestCase("ffffffff000000000000000a000000000000000a")]
    [TestCase("000000000000000000000014000000000000000a")]
    [TestCase("00000001000000000000000a00000000000000140000000000000014")]
    public void A_snapshot_that_cannot_be_is_refused(string hex) => Assert.That(() => CodecCheck.Read<PgSnapshot>("pg_snapshot", hex), Throws.TypeOf<PgException>());
}
