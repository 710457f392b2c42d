using System.Globalization;
using System.Numerics;
using System.Text;

namespace Loxo.IntegrationTests.Types;

/// <summary>
/// The one table of values that every way of exchanging a type is tried with: scalar, array, NULL, parameter, text format. A new type, or
/// a new .NET type for an old one, is a few lines here.
/// </summary>
public static class TypeCorpus
{
    public static IReadOnlyList<TypeSample> All { get; } =
        [.. Numbers(), .. Decimals(), .. Texts(), .. Bytes(), .. Dates(), .. Times(), .. Timestamps(), .. Intervals(), .. CatalogueTypes(), .. NetworkSamples.All, .. GeometricSamples.All];

    public static IEnumerable<string> Types => All.Select(sample => sample.Type).Distinct();

    public static IEnumerable<TypeSample> Of(string type) => All.Where(sample => sample.Type == type);

    private static IEnumerable<TypeSample> Numbers() =>
    [
        Value("boolean", "true", true), Value("boolean", "false", false),
        Value("smallint", "-32768", short.MinValue), Value("smallint", "32767", short.MaxValue),
        Value<byte>("smallint", "255", 255), Value<sbyte>("smallint", "-128", -128), Value("smallint", "32767", 32767),
        Value("smallint", "-1", -1L), Value("smallint", "7", 7f), Value("smallint", "7", 7d), Value("smallint", "7", 7m),
        Value("integer", "-2147483648", int.MinValue), Value("integer", "2147483647", int.MaxValue),
        Value("integer", "-2147483648", (long)int.MinValue), Value<short>("integer", "-7", -7), Value<byte>("integer", "7", 7),
        Value<sbyte>("integer", "-7", -7), Value("integer", "7", 7f), Value("integer", "2147483647", 2147483647d), Value("integer", "-7", -7m),
        Value("bigint", "-9223372036854775808", long.MinValue), Value("bigint", "9223372036854775807", long.MaxValue),
        Value("bigint", "2147483647", int.MaxValue), Value<short>("bigint", "-7", -7), Value<byte>("bigint", "7", 7), Value<sbyte>("bigint", "-7", -7),
        Value("bigint", "7", 7f), Value("bigint", "7", 7d), Value("bigint", "-9223372036854775808", (decimal)long.MinValue),
        Value("real", "3.4028235e38", float.MaxValue), Value("real", "1e-45", float.Epsilon), Value("real", "0.1", 0.1f), Value("real", "NaN", float.NaN),
        Value("real", "-Infinity", float.NegativeInfinity), Value("real", "1.5", 1.5d),
        Value("double precision", "1.7976931348623157e308", double.MaxValue), Value("double precision", "5e-324", double.Epsilon),
        Value("double precision", "0.1", 0.1d), Value("double precision", "NaN", double.NaN), Value("double precision", "Infinity", double.PositiveInfinity),
        Value("double precision", "1.5", 1.5f),
    ];

    private static IEnumerable<TypeSample> Decimals() =>
    [
        .. new[]
        {
            "0", "0.00", "1", "-1", "1.50", "9999", "10000", "10001", "123456789.987654321", "-0.0001", "0.00001234", "100000000000000000000",
            "12345678901234567890.12345678", "79228162514264337593543950335", "-79228162514264337593543950335", "7.9228162514264337593543950335",
            "0.0000000000000000000000000001", "99999999999999.99",
        }.Select(text => Value("numeric", text, decimal.Parse(text, CultureInfo.InvariantCulture))),
        Value("numeric", "79228162514264337593543950336", BigInteger.Pow(2, 96)), Value("numeric", "-1" + new string('0', 200), -BigInteger.Pow(10, 200)),
        Value<byte>("numeric", "255", 255), Value<short>("numeric", "-32768", short.MinValue), Value("numeric", "2147483647", int.MaxValue),
        Value("numeric", "-9223372036854775808", long.MinValue), Value("numeric", "0.1", 0.1d), Value("numeric", "0.1", 0.1f),
        Value("numeric", "NaN", double.NaN), Value("numeric", "Infinity", double.PositiveInfinity), Value("numeric", "-Infinity", float.NegativeInfinity),
        Reference("numeric", "NaN", "NaN"), Reference("numeric", "0." + new string('3', 1000), "0." + new string('3', 1000)),
        Reference("numeric", new string('9', 1000), new string('9', 1000)),
        Value("money", "0.01", 0.01m), Value("money", "-92233720368547758.08", -92233720368547758.08m), Value("money", "92233720368547758.07", 92233720368547758.07m),
    ];

    private static IEnumerable<TypeSample> Texts()
    {
        foreach (var type in new[] { "text", "character varying", "character varying(100)" })
        {
            yield return Reference(type, "", "");
            yield return Reference(type, "it's \"quoted\", {with}\\braces\t", "it's \"quoted\", {with}\\braces\t");
            yield return Reference(type, "grün € 漢字 \U0001F600", "grün € 漢字 \U0001F600");
            yield return Reference(type, "NULL", "NULL");
        }
        yield return Reference("text", new string('x', 100_000), new string('x', 100_000));
        yield return Value("text", "ü", 'ü');
        yield return Reference("text", "abc", "abc".ToCharArray());
        yield return Reference("text", "ü", Encoding.UTF8.GetBytes("ü"));
        yield return Reference("character(5)", "ab", "ab   ");
        yield return Reference("name", "pg_class", "pg_class");
        yield return Reference("xml", "<a b=\"c\">d</a>", "<a b=\"c\">d</a>");
        yield return Reference("refcursor", "my cursor", "my cursor");
        yield return Reference("json", "{ \"a\" : [1, null] }", "{ \"a\" : [1, null] }");
        yield return Reference("json", "[1]", Encoding.UTF8.GetBytes("[1]"));
        yield return Reference("jsonb", "{\"a\": [1, null]}", "{\"a\": [1, null]}");
        yield return Reference("jsonb", "[1]", Encoding.UTF8.GetBytes("[1]"));
        yield return Reference("jsonpath", "$.\"a\"[*]?(@ > 1)", "$.\"a\"[*]?(@ > 1)");
        yield return Value("\"char\"", "x", 'x');
        yield return Value("\"char\"", "x", (byte)'x');
        yield return Value("\"char\"", "", '\0');
    }

    private static IEnumerable<TypeSample> Bytes() =>
    [
        Reference<byte[]>("bytea", "\\x", []), Reference<byte[]>("bytea", "\\x00ff5c27", [0, 255, 0x5c, 0x27]),
        Value("uuid", "00112233-4455-6677-8899-aabbccddeeff", new Guid("00112233-4455-6677-8899-aabbccddeeff")),
        Value("uuid", "00000000-0000-0000-0000-000000000000", Guid.Empty),
    ];

    private static IEnumerable<TypeSample> Dates() =>
    [
        Value("date", "2000-01-01", new DateOnly(2000, 1, 1)), Value("date", "1999-12-31", new DateOnly(1999, 12, 31)),
        Value("date", "2024-02-29", new DateOnly(2024, 2, 29)), Value("date", "0001-01-02", new DateOnly(1, 1, 2)),
        Value("date", "9999-12-30", new DateOnly(9999, 12, 30)), Value("date", "infinity", DateOnly.MaxValue), Value("date", "-infinity", DateOnly.MinValue),
        Value("date", "2024-02-29", new DateTime(2024, 2, 29)), Value("date", "infinity", DateTime.MaxValue),
        Value("date", "5874897-12-31", 2145031948), Value("date", "4714-11-24 BC", -2451545),
    ];

    private static IEnumerable<TypeSample> Times() =>
    [
        Value("time without time zone", "00:00", TimeOnly.MinValue), Value("time without time zone", "23:59:59.999999", new TimeOnly(863_999_999_990)),
        Value("time without time zone", "12:34:56.789", new TimeOnly(12, 34, 56, 789)), Value("time without time zone", "24:00", TimeSpan.FromDays(1)),
        Value("time without time zone", "24:00", 86_400_000_000),
        Value("time with time zone", "12:34:56.789+05:30", new DateTimeOffset(1, 1, 2, 12, 34, 56, 789, new TimeSpan(5, 30, 0))),
        Value("time with time zone", "00:00-14", new DateTimeOffset(1, 1, 2, 0, 0, 0, TimeSpan.FromHours(-14))),
    ];

    private static IEnumerable<TypeSample> Timestamps() =>
    [
        Value("timestamp without time zone", "2024-02-29 12:34:56.789012", new DateTime(2024, 2, 29, 12, 34, 56, 789, 12)),
        Value("timestamp without time zone", "1999-12-31 23:59:59.999999", new DateTime(2000, 1, 1).AddTicks(-10)),
        Value("timestamp without time zone", "0001-01-01 00:00:00.000001", new DateTime(10)),
        Value("timestamp without time zone", "9999-12-31 23:59:59.999999", new DateTime(3155378975999999990)),
        Value("timestamp without time zone", "infinity", DateTime.MaxValue), Value("timestamp without time zone", "-infinity", DateTime.MinValue),
        Value("timestamp without time zone", "294276-12-31 23:59:59.999999", 9223371331199999999),
        Value("timestamp without time zone", "4714-11-24 BC", -211813488000000000),
        Value("timestamp with time zone", "2024-02-29 12:34:56.789012+00", new DateTime(2024, 2, 29, 12, 34, 56, 789, 12, DateTimeKind.Utc)),
        Value("timestamp with time zone", "2024-02-29 12:34:56.789012+05:30", new DateTimeOffset(2024, 2, 29, 7, 4, 56, 789, 12, TimeSpan.Zero)),
        Value("timestamp with time zone", "infinity", DateTime.MaxValue), Value("timestamp with time zone", "-infinity", DateTimeOffset.MinValue),
        Value("timestamp with time zone", "infinity", long.MaxValue),
    ];

    private static IEnumerable<TypeSample> Intervals() =>
    [
        Value("interval", "0", TimeSpan.Zero), Value("interval", "1 day 01:00", new TimeSpan(25, 0, 0)),
        Value("interval", "-3 days -04:05:06.789", -new TimeSpan(3, 4, 5, 6, 789)), Value("interval", "-00:00:00.000001", new TimeSpan(-10)),
        Value("interval", "1 year 2 mons -3 days 04:05:06.789", new PgInterval(14, -3, 14706789000)),
        Value("interval", "178956970 years 7 mons", new PgInterval(int.MaxValue, 0, 0)), Value("interval", "-1 mon 1 day -00:00:01", new PgInterval(-1, 1, -1_000_000)),
    ];

    private static IEnumerable<TypeSample> CatalogueTypes() =>
    [
        Value("oid", "4294967295", uint.MaxValue), Value("xid", "4294967295", uint.MaxValue), Value("cid", "7", 7u),
        Value("xid8", "18446744073709551615", ulong.MaxValue), Value("regclass", "pg_class", 1259u), Value("regtype", "integer", 23u),
        Value("regproc", "pg_typeof", 1619u), Value("regnamespace", "pg_catalog", 11u), Value("regconfig", "simple", 3748u),
        Reference<uint[]>("oidvector", "1 2 4294967295", [1, 2, uint.MaxValue]),
        Reference<short[]>("int2vector", "1 -2", [1, -2]),
    ];

    private static TypeSample Value<T>(string type, string literal, T value)
        where T : struct => new ValueSample<T>(type, literal, value);

    private static TypeSample Reference<T>(string type, string literal, T value)
        where T : class => new ReferenceSample<T>(type, literal, value);
}
