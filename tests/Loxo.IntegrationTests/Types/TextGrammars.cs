using System.Globalization;
using System.Text;

namespace Loxo.IntegrationTests.Types;

/// <summary>Texts of the types that have Parse.</summary>
internal static class TextGrammars
{
    public static string Float(Random random) => random.Next(12) switch
    {
        0 => Pick(random, "NaN", "nan", "Infinity", "-Infinity", "inf", "-INF", "+infinity", "-nan", "-0", "0", "1e400", "-1e-400", "1e4300", "0e999999", "1e-99999"),
        1 => random.Next(-5, 6).ToString(CultureInfo.InvariantCulture),
        2 => $".{random.Next(1000)}",
        3 => $"{random.Next(1000)}.",
        4 => $"+{random.Next(1000)}.{random.Next(1000)}E{random.Next(-30, 30)}",
        5 => $"{random.Next(10)}e+{random.Next(330):00}",
        6 => new string('9', random.Next(1, 30)) + "." + new string('5', random.Next(1, 30)),
        7 => BitConverter.Int64BitsToDouble(random.NextInt64(long.MinValue, long.MaxValue)).ToString("R", CultureInfo.InvariantCulture),
        8 => (random.NextInt64() * Math.Pow(10, random.Next(-30, 10))).ToString("R", CultureInfo.InvariantCulture),
        9 => Pick(random, "0x1F", "1_000", "1e", "e5", "1e5.5", "--1", "0.1e-5"),
        _ => Math.Round((random.NextDouble() - 0.5) * 1000, random.Next(5)).ToString("R", CultureInfo.InvariantCulture),
    };

    public static string Numeric(Random random) => random.Next(8) switch
    {
        0 => Digits(random, 40) + "." + Digits(random, 40),
        1 => $"{Digits(random, 5)}e{random.Next(-200, 200)}",
        2 => Pick(random, "1e131071", "1e131072", "1e-16383", "1e-16384", "0e131073", "1e0000000005", "0e1073741823", "0e1073741824", "5e-00", "0e-16384", "inf", "+inf", "-infinity", "+nan"),
        3 => new string('9', random.Next(1, 100)) + new string('0', random.Next(1, 100)) + "." + new string('0', random.Next(1, 50)) + Digits(random, 3),
        _ => Float(random),
    };

    public static string Date(Random random)
    {
        var year = random.Next(6) switch { 0 => random.Next(10_000, 6_000_000), 1 => random.Next(1, 5000), 2 => random.Next(100), _ => random.Next(1900, 2100) };
        var date = string.Create(CultureInfo.InvariantCulture, $"{year:0000}-{random.Next(1, 13):00}-{random.Next(1, 32):00}");
        return random.Next(20) switch
        {
            0 => Pick(random, "infinity", "-infinity", "Infinity", "epoch", "today", "J2451187", "99-01-08", "10-09-22", "1/8/1999", "20000131", "January 8, 1999"),
            1 => date + " BC",
            2 => Pick(random, "4714-11-24 BC", "4714-11-23 BC", "5874897-12-31", "5874898-01-01", "0000-01-01", "0001-12-31 BC", "1900-02-29", "0005-02-29 BC"),
            3 => date.Replace("-0", "-", StringComparison.Ordinal),
            _ => date,
        };
    }

    public static string Time(Random random) => random.Next(10) switch
    {
        0 => Pick(random, "24:00:00", "24:00:01", "24:00:00.000001", "23:59:60", "23:59:60.5", "00:00:60.9", "106:00:00", "12:34", "12:60:00", "12:00:61", "1:2:3"),
        1 => string.Create(CultureInfo.InvariantCulture, $"{random.Next(24):00}:{random.Next(60):00}:{random.Next(60):00}.{random.Next(10_000_000)}"),
        _ => string.Create(CultureInfo.InvariantCulture, $"{random.Next(24):00}:{random.Next(60):00}:{random.Next(60):00}{(random.Next(2) == 0 ? "" : $".{random.Next(1_000_000):000000}".TrimEnd('0').TrimEnd('.'))}"),
    };

    public static string Timestamp(Random random) => Date(random) is [.. var day, ' ', 'B', 'C'] ? $"{day} {Time(random)} BC" : random.Next(10) switch
    {
        0 => Pick(random, "infinity", "-infinity", "294276-12-31 23:59:59.999999", "294277-01-01 00:00:00", "294276-12-31 24:00:00", "4714-11-24 00:00:00 BC"),
        1 => Date(random) + "T" + Time(random),
        2 => Date(random),
        _ => Date(random) + " " + Time(random),
    };

    /// <summary>Mostly of the years that .NET has too.</summary>
    public static string TimestampTz(Random random) =>
        (random.Next(4) == 0 ? Timestamp(random) : DateTime.UnixEpoch.AddSeconds(random.Next(int.MinValue, int.MaxValue)).ToString("yyyy-MM-dd HH:mm:ss", CultureInfo.InvariantCulture)) + "+00";

    public static string Interval(Random random)
    {
        var text = new StringBuilder();
        if (random.Next(3) == 0)
            return random.Next(2) == 0 ? LargeIsoInterval(random) : IsoInterval(random);
        foreach (var unit in new[] { "year", "mon", "day" })
        {
            if (random.Next(2) == 0)
                text.Append(CultureInfo.InvariantCulture, $"{(text.Length == 0 ? "" : " ")}{Sign(random)}{Count(random)} {unit}{(random.Next(3) == 0 ? "" : "s")}");
        }
        if (text.Length == 0 || random.Next(2) == 0)
            text.Append(text.Length == 0 ? "" : " ").Append(Sign(random)).Append(random.Next(10) == 0 ? Pick(random, "2562047788:00:54.775807", "2562047788:00:54.775808", "106:00:00", "00:60:00") : Time(random));
        return random.Next(30) == 0 ? Pick(random, "infinity", "-infinity", "1 week", "1 decade", "@ 1 day ago", "P", "PT", "P1YT", "178956970 years 8 mons", "1.5 days") : text.ToString();
    }

    public static string Range(Random random, Func<Random, string> bound)
    {
        if (random.Next(30) == 0)
            return Pick(random, "empty", "EMPTY", " empty ", "emptyy", "(,)", "[,]");
        var (first, second) = (bound(random), bound(random));
        // In this order many are in that of their type as well.
        if (random.Next(2) == 0 && string.CompareOrdinal(first, second) > 0)
            (first, second) = (second, first);
        return $"{Pick(random, "[", "(")}{Bound(random, first)},{Bound(random, second)}{Pick(random, "]", ")")}";
    }

    public static string Multirange(Random random, Func<Random, string> bound) =>
        "{" + string.Join(Pick(random, ",", ", ", " ,"), Enumerable.Range(0, random.Next(4)).Select(_ => Range(random, bound))) + "}";

    public static string SmallInteger(Random random) => random.Next(12) switch
    {
        0 => Pick(random, "2147483647", "-2147483648", "2147483648", "9223372036854775807", "-9223372036854775808", "1e2", "1.0", "+5", " 5 ", "0x10"),
        _ => random.Next(-50, 50).ToString(CultureInfo.InvariantCulture),
    };

    public static string Point(Random random) => random.Next(4) switch
    {
        0 => $"{Float(random)},{Float(random)}",
        1 => $"( {Float(random)} , {Float(random)} )",
        _ => $"({Float(random)},{Float(random)})",
    };

    public static string Points(Random random, int count)
    {
        var points = string.Join(Pick(random, ",", ",", " , ", ""), Enumerable.Range(0, count).Select(_ => Point(random)));
        return random.Next(4) switch { 0 => points, 1 => $"[{points}]", 2 => $"( {points} )", _ => $"({points})" };
    }

    public static string Line(Random random) => random.Next(10) == 0 ? Points(random, 2) : $"{{{Float(random)},{Float(random)},{Float(random)}}}";

    public static string Circle(Random random)
    {
        var inner = $"{Point(random)}{Pick(random, ",", " , ", "")}{Float(random)}";
        return random.Next(4) switch { 0 => inner, 1 => $"({inner})", _ => $"<{inner}>" };
    }

    public static string Cube(Random random)
    {
        var dimensions = random.Next(10) == 0 ? random.Next(98, 103) : random.Next(5);
        var corner = Corner(random, dimensions);
        return random.Next(5) switch
        {
            0 => corner.Trim('(', ')'),
            1 => corner,
            2 => $"[{corner},{Corner(random, dimensions)}]",
            _ => $"{corner},{Corner(random, random.Next(20) == 0 ? dimensions + 1 : dimensions)}",
        };
    }

    public static string Inet(Random random)
    {
        var address = random.Next(2) == 0 ? IPv4(random) : IPv6(random);
        return random.Next(2) == 0 ? address : $"{address}/{random.Next(random.Next(2) == 0 ? 34 : 131)}";
    }

    /// <summary>Mostly of one family, the one whose order is that of four numbers.</summary>
    public static string InetOfOrder(Random random) => random.Next(4) == 0 ? Inet(random)
        : string.Join('.', Enumerable.Range(0, 4).Select(_ => random.Next(256))) + (random.Next(2) == 0 ? "" : $"/{random.Next(33)}");

    // Bits to the right of the netmask are mostly zero, or nearly all would be refused.
    public static string Cidr(Random random)
    {
        if (random.Next(4) == 0)
            return Inet(random);
        var network = IPv4Network(random);
        return random.Next(3) switch
        {
            0 => $"{IPv6(random).Split("::")[0]}::/{random.Next(129)}",
            1 => network.Remove(network.LastIndexOf('.'), network.IndexOf('/', StringComparison.Ordinal) - network.LastIndexOf('.')),
            _ => network,
        };
    }

    /// <summary>Mostly of one family, as <see cref="InetOfOrder"/>.</summary>
    public static string CidrOfOrder(Random random) => random.Next(4) == 0 ? Cidr(random) : IPv4Network(random);

    public static string Tid(Random random) => $"({random.NextInt64(random.Next(2) == 0 ? 100 : 5_000_000_000)},{random.Next(70_000)})";

    public static string Lsn(Random random) =>
        $"{random.NextInt64(Pick(random, 0x100, 0x1_0000_0000, 0x2_0000_0000)):X}/{random.NextInt64(Pick(random, 0x100, 0x1_0000_0000, 0x2_0000_0000)):x}";

    public static string Snapshot(Random random)
    {
        var xmin = random.Next(0, 50);
        return $"{xmin}:{xmin + random.Next(-1, 30)}:{string.Join(',', Enumerable.Range(0, random.Next(4)).Select(_ => xmin + random.Next(30)).Order())}";
    }

    public static string TsVector(Random random) => string.Join(Pick(random, " ", "  ", "\t"), Enumerable.Range(0, random.Next(5)).Select(_ => Word(random)
        + (random.Next(2) == 0 ? "" : ":" + string.Join(',', Enumerable.Range(0, random.Next(1, 4)).Select(_ => random.Next(random.Next(10) == 0 ? 20_000 : 9) + Pick(random, "", "", "A", "b", "C", "d", "*"))))));

    public static string TsQuery(Random random, int depth = 0) => random.Next(depth > 4 ? 2 : 8) switch
    {
        0 or 1 => Word(random) + Pick(random, "", "", "", ":*", ":A", ":*bc", ":abcd", ":"),
        2 => "!" + TsQuery(random, depth + 1),
        3 => $"({TsQuery(random, depth + 1)})",
        4 => $"{TsQuery(random, depth + 1)} & {TsQuery(random, depth + 1)}",
        5 => $"{TsQuery(random, depth + 1)}|{TsQuery(random, depth + 1)}",
        6 => $"{TsQuery(random, depth + 1)} <-> {TsQuery(random, depth + 1)}",
        _ => $"{TsQuery(random, depth + 1)}<{random.Next(random.Next(10) == 0 ? 20_000 : 9)}>{TsQuery(random, depth + 1)}",
    };

    public static string Hstore(Random random) => string.Join(Pick(random, ",", ", ", " , "), Enumerable.Range(0, random.Next(4)).Select(_ => $"{Part(random)}{Pick(random, "=>", " => ")}{Part(random)}"));

    public static string Bits(Random random) => string.Concat(Enumerable.Range(0, random.Next(40)).Select(_ => random.Next(2)));

    public static string Mac(Random random, int length)
    {
        var separator = Pick(random, ":", ":", "-", "");
        return string.Join(separator, Enumerable.Range(0, length).Select(_ => random.Next(256).ToString(Pick(random, "x2", "X2"), CultureInfo.InvariantCulture)));
    }

    public static T Pick<T>(Random random, params T[] texts) => texts[random.Next(texts.Length)];

    private static string Digits(Random random, int most) => string.Concat(Enumerable.Range(0, random.Next(1, most)).Select(_ => random.Next(10)));

    private static string Sign(Random random) => Pick(random, "", "", "-", "+");

    private static int Count(Random random) => random.Next(10) == 0 ? random.Next() : random.Next(30);

    private static string IsoInterval(Random random)
    {
        var text = new StringBuilder("P");
        foreach (var unit in "YMWD")
            text.Append(random.Next(2) == 0 ? $"{Pick(random, "", "-")}{Count(random)}{unit}" : "");
        if (random.Next(2) == 0)
            return text.ToString();
        text.Append('T');
        foreach (var unit in "HM")
            text.Append(random.Next(2) == 0 ? $"{Pick(random, "", "-")}{Count(random)}{unit}" : "");
        return text.Append(random.Next(2) == 0 ? $"{Pick(random, "", "-")}{Count(random)}{Pick(random, "", ".5", ".000001")}S" : "").ToString();
    }

    // Parts, and sums of a few, that are just in or beyond their limits.
    private static string LargeIsoInterval(Random random) => random.Next(2) == 0
        ? "P" + Parts(random, ("Y", int.MaxValue / 12), ("M", int.MaxValue), ("W", int.MaxValue / 7), ("D", int.MaxValue))
        : "PT" + Parts(random, ("H", long.MaxValue / 3_600_000_000), ("M", long.MaxValue / 60_000_000), ("S", long.MaxValue / 1_000_000));

    private static string Parts(Random random, params (string Unit, long Most)[] units) => string.Concat(Enumerable.Range(0, random.Next(1, 5)).Select(_ => Pick(random, units))
        .Select(part => $"{Pick(random, "", "-")}{(random.Next(3) == 0 ? random.Next(4) : part.Most / random.Next(1, 3) + random.Next(-2, 4))}{part.Unit}"));

    private static string Bound(Random random, string text) => random.Next(24) switch
    {
        0 => "\"\"",
        1 => Blank(random) + Quoted(random, text) + Blank(random),
        2 => Quoted(random, Blank(random) + text + Blank(random)),
        < 7 => "",
        _ => Quoted(random, text),
    };

    private static string Blank(Random random) => Pick(random, "", " ", " ", "\t", " \n");

    private static string Quoted(Random random, string text) => random.Next(4) switch
    {
        0 => $"\"{text}\"",
        1 when text.Length > 0 => "\\" + text,
        _ => text.Contains(' ', StringComparison.Ordinal) && random.Next(3) > 0 ? $"\"{text}\"" : text,
    };

    private static string Corner(Random random, int dimensions) => "(" + string.Join(Pick(random, ",", ", "), Enumerable.Range(0, dimensions).Select(_ => Float(random))) + ")";

    public static string IPv4(Random random)
    {
        var count = random.Next(5) == 0 ? random.Next(1, 6) : 4;
        return string.Join('.', Enumerable.Range(0, count).Select(_ => random.Next(8) == 0 ? random.Next(260).ToString("000", CultureInfo.InvariantCulture) : random.Next(random.Next(2) == 0 ? 10 : 256).ToString(CultureInfo.InvariantCulture)));
    }

    private static string IPv4Network(Random random)
    {
        var bits = random.Next(33);
        var address = bits == 0 ? 0 : (uint)random.NextInt64() << (32 - bits);
        return $"{address >> 24}.{address >> 16 & 255}.{address >> 8 & 255}.{address & 255}/{bits}";
    }

    private static string IPv6(Random random)
    {
        string[] words = [.. Enumerable.Range(0, 8).Select(_ => random.Next(random.Next(2) == 0 ? 1 : 0x10000).ToString(Pick(random, "x", "X", "x4"), CultureInfo.InvariantCulture))];
        var text = string.Join(':', words);
        if (random.Next(2) == 0)
        {
            var from = random.Next(8);
            text = string.Join(':', words[..from]) + "::" + string.Join(':', words[Math.Min(8, from + random.Next(1, 4))..]);
        }
        return random.Next(5) == 0 ? string.Join(':', words[..random.Next(1, 7)]) + Pick(random, ":", "::") + IPv4(random) : text;
    }

    private static string Word(Random random)
    {
        var word = string.Concat(Enumerable.Range(0, random.Next(20) == 0 ? random.Next(2040, 2055) : random.Next(1, 5)).Select(_ => Pick(random, "a", "b", "ö", "\U0001F600", "1", "-", ".")));
        return random.Next(4) switch { 0 => $"'{word}'", 1 => $"'{word} {word[..1]}''\\\\'", _ => word };
    }

    private static string Part(Random random) => random.Next(5) switch
    {
        0 => Pick(random, "NULL", "null", "\"NULL\"", "\"\"", "\"a b\\\"c\""),
        _ => Pick(random, "a", "b", "c", "ö", "\"a\"", "\"x, y\"", "1") + Pick(random, "", "", "k", "\\,"),
    };
}
