using System.Collections;
using System.Collections.Specialized;

namespace Loxo.IntegrationTests.Types;

/// <summary>Samples of bit strings, places and snapshots.</summary>
public static class SystemSamples
{
    public static IEnumerable<TypeSample> All { get; } =
    [
        .. new[] { "", "1", "10101", "1111111100000000111" }.SelectMany(digits => Bits("bit varying", digits)),
        .. Bits("bit(3)", "101"), .. Bits("bit(40)", "1000000000000000000000000000000011111111"),
        new ValueSample<bool>("bit(1)", "1", true), new ValueSample<bool>("bit(1)", "0", false), new ValueSample<bool>("bit varying", "1", true),
        new ValueSample<BitVector32>("bit(32)", "10000000000000000000000000000101", new BitVector32(unchecked((int)0x80000005))),
        .. Texts("tid", PgTid.Parse, "(0,1)", "(4294967294,65535)"),
        .. Texts("pg_lsn", PgLogSequenceNumber.Parse, "16/B374D848", "0/0", "FFFFFFFF/FFFFFFFF"),
        new ValueSample<ulong>("pg_lsn", "16/B374D848", 0x16B374D848),
        .. new[] { "10:20:10,14,15", "10:10:" }.SelectMany(text => Snapshots("pg_snapshot", text).Concat(Snapshots("txid_snapshot", text))),
    ];

    private static IEnumerable<TypeSample> Bits(string type, string digits) =>
    [
        new ReferenceSample<BitArray>(type, digits, new BitArray([.. digits.Select(digit => digit == '1')])),
        new ReferenceSample<string>(type, digits, digits),
    ];

    private static IEnumerable<TypeSample> Snapshots(string type, string text) =>
        [new ReferenceSample<PgSnapshot>(type, text, PgSnapshot.Parse(text)), new ReferenceSample<string>(type, text, text)];

    private static IEnumerable<TypeSample> Texts<T>(string type, Func<string, IFormatProvider?, T> parse, params string[] texts)
        where T : struct => texts.SelectMany(text => new TypeSample[]
        {
            new ValueSample<T>(type, text, parse(text, null)),
            new ReferenceSample<string>(type, text, text),
        });
}
