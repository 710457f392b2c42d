namespace Loxo.IntegrationTests.Types;

/// <summary>Samples of numbers and times that only PgNumeric, PgDate, PgTimestamp and PgInterval hold, and of wide and unsigned integers.</summary>
public static class ExactSamples
{
    private static readonly string[] Numbers =
    [
        "0", "0.00", "1", "-1.50", "9999", "10000.0001", "0.00000000001", "-1e40", "NaN", "Infinity", "-Infinity", "79228162514264337593543950336",
        new string('9', 131_072) + "." + new string('9', 16_383), "-0." + new string('0', 16_382) + "1",
    ];

    private static readonly string[] Dates = ["2000-01-01", "0001-01-01", "0001-12-31 BC", "0044-03-15 BC", "4714-11-24 BC", "10000-01-01", "5874897-12-31", "infinity", "-infinity"];

    private static readonly string[] Timestamps =
    [
        "2000-01-01 00:00:00", "2024-02-29 12:34:56.789012", "0001-12-31 23:59:59.999999 BC", "4714-11-24 00:00:00 BC", "294276-12-31 23:59:59.999999", "infinity", "-infinity",
    ];

    public static IEnumerable<TypeSample> All { get; } =
    [
        .. Numbers.Select(text => Value("numeric", text, PgNumeric.Parse(text))),
        Value<sbyte>("numeric", "-128", -128), Value<ushort>("numeric", "65535", ushort.MaxValue), Value("numeric", "4294967295", uint.MaxValue),
        Value("numeric", "18446744073709551615", ulong.MaxValue), Value("numeric", "-170141183460469231731687303715884105728", Int128.MinValue),
        Value("numeric", "340282366920938463463374607431768211455", UInt128.MaxValue),
        Value("bigint", "4294967295", uint.MaxValue), Value("bigint", "9223372036854775807", (ulong)long.MaxValue),
        .. Dates.Select(text => Value("date", text, PgDate.Parse(text))),
        .. Timestamps.Select(text => Value("timestamp without time zone", text, PgTimestamp.Parse(text))),
        .. Timestamps.Select(text => Value("timestamp with time zone", InUtc(text), PgTimestamp.Parse(text))),
        Value("interval", "-178956970 years -8 mons -2147483648 days", new PgInterval(int.MinValue, int.MinValue, 0)),
        Value("interval", "2562047788:00:54.775807", new PgInterval(0, 0, long.MaxValue)),
    ];

    private static string InUtc(string text) => text.Contains("infinity") ? text : text.EndsWith(" BC") ? text[..^3] + "+00 BC" : text + "+00";

    private static TypeSample Value<T>(string type, string literal, T value)
        where T : struct => new ValueSample<T>(type, literal, value);
}
