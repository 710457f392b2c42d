using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using Loxo.Types;
using static Loxo.IntegrationTests.Types.TextGrammars;

namespace Loxo.IntegrationTests.Types;

/// <summary>
/// The server is the oracle for every type with Parse and ToString: which texts are values, which value each is, and what it is shown as. A text that the server reads and we
/// do not has to be one of those that the documentation excepts.
/// </summary>
public partial class DifferentialTextTests() : DatabaseTest(WaitMode.Blocking)
{
    private const int BatchSize = 2000;
    private const int ShownFailures = 25;
    private const string Figures = "0123456789+-.eE, ";

    private static readonly TypeCatalog BuiltIn = TypeCatalog.BuiltIn;

    private static readonly TextSubject[] Subjects =
    [
        new ParsableSubject<PgNumeric>("numeric", Numeric, Figures + "NnAaIi") { IsRefusedByRule = IsNewNumber },
        new ParsableSubject<PgDate>("date", Date, "0123456789- BC/:") { IsRefusedByRule = text => !IsDate().IsMatch(text) },
        new ParsableSubject<PgTimestamp>("timestamp", Timestamp, "0123456789- BC/:T.") { IsRefusedByRule = text => !IsTimestamp().IsMatch(text) },
        new ParsableSubject<PgInterval>("interval", Interval, "0123456789- +:.yearsmondPTYMWDHS")
        {
            IsRefusedByRule = text => text.Length > 128 || !(IsInterval().IsMatch(text) || IsIsoInterval().IsMatch(text)),
            IsReadByRule = IsReadInterval,
        },
        Range<int>("int4range", SmallInteger), Range<long>("int8range", SmallInteger), Range<PgNumeric>("numrange", Numeric), Range<PgDate>("daterange", Date),
        Range<DateOnly>("daterange", Date), Range<PgTimestamp>("tsrange", Timestamp), Range<DateTime>("tsrange", Timestamp),
        Shape<PgPoint>("point", Point), Shape<PgLine>("line", TextGrammars.Line), Shape<PgLSeg>("lseg", random => Points(random, 2)), Shape<PgBox>("box", random => Points(random, 2)),
        Shape<PgPath>("path", random => Points(random, random.Next(1, 5))), Shape<PgPolygon>("polygon", random => Points(random, random.Next(1, 5))), Shape<PgCircle>("circle", Circle),
        // What follows a character beyond ASCII the server ignores; \v is a blank since version 17.
        new ParsableSubject<PgCube>("cube", Cube, Figures + "()[]") { IsRefusedByRule = text => !Ascii.IsValid(text) || text.Contains('\v', StringComparison.Ordinal) },
        new ParsableSubject<PgInet>("inet", Inet, "0123456789abcdefF:./") { IsRefusedByRule = IsOddAddress },
        new ParsableSubject<PgCidr>("cidr", Cidr, "0123456789abcdefF:./x") { IsRefusedByRule = text => IsOddAddress(text) || IsOddNetwork().IsMatch(text) },
        new ParsableSubject<PgTid>("tid", Tid, "0123456789(), -") { IsRefusedByRule = text => !IsTid().IsMatch(text) },
        new ParsableSubject<PgLogSequenceNumber>("pg_lsn", Lsn, "0123456789abcdefABCDEF/ -"),
        new ParsableSubject<PgSnapshot>("pg_snapshot", Snapshot, "0123456789:, -") { IsRefusedByRule = text => !IsSnapshot().IsMatch(text) || HasOddNumber(text) },
        new ParsableSubject<PgTsVector>("tsvector", TsVector, "abAD12:,*' \\&|!<>") { IsRefusedByRule = text => HasOddBlank(text) || HasLongNumber().IsMatch(text) },
        new ParsableSubject<PgTsQuery>("tsquery", random => TsQuery(random), "abAD12:,*' \\&|!<->()") { IsRefusedByRule = HasOddBlank },
        Form<System.Collections.BitArray>("varbit", Bits, "01BbXx ", text => text.AsSpan().ContainsAnyExcept('0', '1')),
        Form<System.Net.NetworkInformation.PhysicalAddress>("macaddr", random => Mac(random, 6), "0123456789abcdef:-. ", text => !IsMac().IsMatch(text)),
        Form<System.Net.NetworkInformation.PhysicalAddress>("macaddr8", random => Mac(random, 8), "0123456789abcdef:-. ", text => !IsMac8().IsMatch(text)),
        Form<PgRange<int>[]>("int4multirange", random => Multirange(random, SmallInteger), "0123456789{}[](), \"\\", IsNewNumber, HasReversedRange),
        new FormSubject<Dictionary<string, string?>>(
            "hstore", ExtensionTypes.All["hstore"].Format, ExtensionTypes.All["hstore"].Codecs().OfType<Codec<Dictionary<string, string?>>>().First(), Hstore, "ab\"\\,=> NULnul\u00a0")
        {
            IsRefusedByRule = text => text.Contains('\v', StringComparison.Ordinal),
        },
        .. MoreRanges(),
    ];

    [SetUp]
    public Task CreateExtensions() => Execute("CREATE EXTENSION IF NOT EXISTS cube; CREATE EXTENSION IF NOT EXISTS hstore");

    [Test]
    public async Task Text_is_read_and_shown_as_the_server_does([ValueSource(nameof(Subjects))] object subject) => await Check((TextSubject)subject, Enumerable.Range(0, 2000 / BatchSize), seed: 1);

    [Test, Category("Long")]
    public async Task Text_is_read_and_shown_as_the_server_does_in_a_long_run([ValueSource(nameof(Subjects))] object subject)
    {
        using var run = LongRun.Begin("texts of types", cases: Subjects.Length);
        await Check((TextSubject)subject, run.Times(100_000 / BatchSize, $"times {BatchSize} texts"), LongRun.Seed);
    }

    [Test]
    public void Every_public_type_with_Parse_is_among_them()
    {
        var parsable = typeof(PgDate).Assembly.GetExportedTypes().Where(type => type.GetInterfaces().Any(face => Definition(face) == typeof(ISpanParsable<>)
            && Definition(face.GetGenericArguments()[0]) == type));
        var compared = Subjects.Select(subject => subject.GetType()).Where(type => Definition(type) == typeof(ParsableSubject<>)).Select(type => Definition(type.GetGenericArguments()[0]));

        Assert.That(parsable, Is.EquivalentTo(compared.Distinct()));
    }

    private static Type Definition(Type type) => type.IsGenericType ? type.GetGenericTypeDefinition() : type;

    private static ParsableSubject<PgRange<T>> Range<T>(string type, Func<Random, string> bound) =>
        new(type, random => TextGrammars.Range(random, bound), "0123456789-[](), \"\\")
        {
            IsRefusedByRule = text => IsRefusedBound<T>(text),
            IsReadByRule = HasNoSuccessor,
            IsLimited = typeof(T) == typeof(DateOnly) || typeof(T) == typeof(DateTime),
        };

    private static ParsableSubject<T> Shape<T>(string type, Func<Random, string> make)
        where T : ISpanParsable<T> => new(type, make, Figures + "()[]<>{}") { IsRefusedByRule = text => IsOddShape(type, text) };

    private static FormSubject<T> Form<T>(string type, Func<Random, string> make, string alphabet, Func<string, bool> isRefused, Func<string, bool>? isRead = null)
    {
        var entry = BuiltIn.Find(type)!;
        return new(type, entry.TextFormat!, entry.CodecFor<T>()!, make, alphabet) { IsRefusedByRule = isRefused, IsReadByRule = isRead ?? (_ => false) };
    }

    private async Task Check(TextSubject subject, IEnumerable<int> batches, int seed)
    {
        if (subject.IsInOwnDatabase)
        {
            await Connection.DisposeAsync();
            Connection = new PgConnection(_ranges.ConnectionString);
            await Mode.Open(Connection);
        }
        await Execute("DROP FUNCTION IF EXISTS pg_temp.read(text)");
        await Execute($"""
            CREATE FUNCTION pg_temp.read(t text) RETURNS {subject.Type} LANGUAGE plpgsql AS
            $$ BEGIN RETURN t::{subject.Type}; EXCEPTION WHEN OTHERS THEN RETURN NULL; END $$
            """);
        var texts = subject.Texts(seed);
        var failures = new List<string>();
        var (count, both) = (0, 0);
        foreach (var _ in batches.TakeWhile(_ => failures.Count < ShownFailures))
        {
            count += BatchSize;
            var batch = Enumerable.Range(0, BatchSize).Select(_ => texts.Next()).Distinct().ToArray();
            both += await CheckBatch(subject, batch, failures);
        }
        TestContext.Out.WriteLine($"{subject}: {both} of {count} texts were read by both");
        Assert.That(failures.Take(ShownFailures), Is.Empty);
        Assert.That(both, Is.GreaterThan(count / 20), "the texts are of some use");
    }

    private async Task<int> CheckBatch(TextSubject subject, string[] batch, List<string> failures)
    {
        var read = await ReadByServer(subject, batch, failures);
        var sent = new List<(string Text, object Value, string Expected)>();
        for (var i = 0; i < batch.Length; i++)
        {
            var isOurs = subject.TryParse(batch[i], out var value);
            if (isOurs && read[i] is { } text)
            {
                if (!IsBeyond(subject, text) && !IsBeyond(subject, batch[i]))
                    sent.Add((batch[i], value, text));
            }
            else if (isOurs && !subject.IsReadByRule(batch[i]))
                failures.Add($"{Shown(batch[i])} is read as {Shown(subject.Show(value))}, and refused by the server");
            else if (!isOurs && read[i] is { } known && !subject.IsRefusedByRule(batch[i]))
                failures.Add($"{Shown(batch[i])} is refused, and read by the server as {Shown(known)}");
            if (read[i] is not { } shown || IsBeyond(subject, shown))
                continue;
            if (subject.TryParse(shown, out var again))
                sent.Add((shown, again, shown));
            else
                failures.Add($"{Shown(shown)}, as the server shows it, is refused");
        }
        await CompareSent(subject, [.. sent.Where(item => item.Value is not PgTsQueryEmpty)], failures);
        return sent.Count / 2;
    }

    // The server's value, read in binary, is shown as the server shows it.
    private async Task<string?[]> ReadByServer(TextSubject subject, string[] batch, List<string> failures)
    {
        var texts = new string?[batch.Length];
        await using var command = Command("SELECT v, format('%s', v) FROM unnest($1) WITH ORDINALITY t(s, n), LATERAL (SELECT pg_temp.read(s)) r(v) ORDER BY n", new PgParameter<string[]>(batch));
        await using var reader = await Mode.ExecuteReader(command);
        for (var i = 0; await Mode.Read(reader); i++)
        {
            if (reader.IsDBNull(0))
                continue;
            texts[i] = reader.GetString(1);
            try
            {
                var value = subject.Read(reader, 0);
                if (subject.Show(value) != texts[i] && !IsBeyond(subject, texts[i]!))
                    failures.Add($"{Shown(texts[i]!)} of the server is shown as {Shown(subject.Show(value))}");
            }
            catch (OverflowException)
            {
                // Dates that .NET's types do not have.
            }
        }
        return texts;
    }

    private async Task CompareSent(TextSubject subject, (string Text, object Value, string Expected)[] sent, List<string> failures)
    {
        await using var command = Command("SELECT format('%s', v) FROM unnest($1) WITH ORDINALITY t(v, n) ORDER BY n", subject.Parameter(sent.Select(item => item.Value)));
        if (subject.Type.EndsWith("multirange", StringComparison.Ordinal))
            command.CommandText = "SELECT format('%s', ($1)[i]) FROM generate_subscripts($1, 1) i";
        await using var reader = await Mode.ExecuteReader(command);
        for (var i = 0; await Mode.Read(reader); i++)
        {
            if (reader.GetString(0) != sent[i].Expected)
                failures.Add($"{Shown(sent[i].Text)} is sent as {Shown(reader.GetString(0))}, and read by the server as {Shown(sent[i].Expected)}");
        }
    }

    private static string Shown(string text)
    {
        var shown = new StringBuilder();
        foreach (var character in text.Length > 300 ? text[..300] + "..." + text.Length.ToString(CultureInfo.InvariantCulture) : text)
            shown.Append(char.IsControl(character) || (char.IsWhiteSpace(character) && character != ' ') ? $"\\u{(int)character:x4}" : character.ToString());
        return $"«{shown}»";
    }

    // DateOnly and DateTime have the years 1 to 9999, and take their ends for the infinities.
    private static bool IsBeyond(TextSubject subject, string text) => subject.IsLimited && subject.IsRefusedByRule(text);

    // What depends on the version: other bases, underscores, a blank behind the e, and the largest exponent (of zero).
    private static bool IsNewNumber(string text) =>
        text.AsSpan().IndexOfAny("xXoObB_") >= 0 || BlankInExponent().IsMatch(text) || text.Contains("1073741823", StringComparison.Ordinal);

    // What the server itself shows for the smallest time it does not read; it has had infinity only since version 17.
    private static bool IsReadInterval(string text) =>
        text.Contains("2562047788:00:54.775808", StringComparison.Ordinal) || text.Contains("infinity", StringComparison.OrdinalIgnoreCase);

    private static bool IsOddShape(string type, string text) =>
        text.AsSpan().IndexOfAny("xXpP") >= 0 || text.Contains("nan(", StringComparison.OrdinalIgnoreCase) || (type == "line" && !text.TrimStart().StartsWith('{'));

    // What each bound may be is the business of its own type; here nothing but their texts, which are the same, matters.
    private static bool IsRefusedBound<T>(string text)
    {
        if (typeof(T) == typeof(int) || typeof(T) == typeof(long) || typeof(T) == typeof(PgNumeric))
            return IsNewNumber(Unquoted(text));
        var isTime = typeof(T) == typeof(PgTimestamp) || typeof(T) == typeof(DateTime);
        var bounds = Bounds(text);
        if (bounds.Length > 2)
            return true; // a comma in quotes, which the server ignores in dates
        return bounds.Any(bound => bound.Length > 0 && !(isTime ? IsTimestamp() : IsDate()).IsMatch(bound))
            || ((typeof(T) == typeof(DateOnly) || typeof(T) == typeof(DateTime)) && bounds.Any(bound => IsBeyondDotNet().IsMatch(bound)));
    }

    private static string[] Bounds(string text) => (text.Trim() is ['(' or '[', .. var bounds, ')' or ']'] ? Unquoted(bounds) : text).Split(',');

    // A quote that is escaped, or doubled within quotes, is part of the bound: "?" stands for it.
    private static string Unquoted(string text)
    {
        var (bounds, isQuoted) = (new StringBuilder(), false);
        for (var i = 0; i < text.Length; i++)
        {
            var (isPart, next) = (text[i] != '"', i + 1 < text.Length ? text[i + 1] : '\0');
            if (text[i] == '\\' ? next != '\0' : isQuoted && !isPart && next == '"')
                (isPart, i) = (true, i + 1);
            if (isPart)
                bounds.Append(text[i] == '"' ? '?' : text[i]);
            else
                isQuoted = !isQuoted;
        }
        return bounds.ToString();
    }

    private static bool HasNoSuccessor(string text) => NoSuccessor().IsMatch(Unquoted(text));

    // The order of the bounds is checked when such a value is sent.
    private static bool HasReversedRange(string text) =>
        HasNoSuccessor(text) || HasOddEscape(text) || RangeParts().Matches(text).Any(range => !PgRange<int>.TryParse(range.Value, CultureInfo.InvariantCulture, out _));

    // multirange_in takes a backslash in quotes for the end of the quotes, and passes over blanks to what a backslash protects, unlike range_in.
    private static bool HasOddEscape(string text) => EscapedBlank().IsMatch(text) || (text.Contains('\\', StringComparison.Ordinal) && text.Contains('"', StringComparison.Ordinal));

    private static bool IsOddAddress(string text) => HasSlip().IsMatch(text) || (!text.Contains(':', StringComparison.Ordinal) && (text.EndsWith('.') || text.Contains("./", StringComparison.Ordinal)))
        || (text.Contains(':', StringComparison.Ordinal) && text.Contains('.', StringComparison.Ordinal) && text.Split('/')[0].Split(':')[^1].Count(character => character == '.') < 3);

    // The server drops a transaction that is named again, and takes one beyond 64 bits for the last there is.
    private static bool HasOddNumber(string text)
    {
        string[] numbers = [.. text[(text.LastIndexOf(':') + 1)..].Split(',').Select(number => number.TrimStart('0'))];
        return numbers.Distinct().Count() < numbers.Length || text.Split(':', ',').Any(number => number.Length > 0 && !ulong.TryParse(number, NumberStyles.None, CultureInfo.InvariantCulture, out _));
    }

    private static bool HasOddBlank(string text) => text.Any(character => char.IsWhiteSpace(character) && character > ' ' && character != '\u007f');

    [GeneratedRegex(@"^[ \t\n\v\f\r]*(\d{4,7}-\d\d-\d\d( BC)?|-?infinity)[ \t\n\v\f\r]*\z", RegexOptions.IgnoreCase)]
    private static partial Regex IsDate();

    [GeneratedRegex(@"^[ \t\n\v\f\r]*(\d{4,7}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?( BC)?|-?infinity)[ \t\n\v\f\r]*\z", RegexOptions.IgnoreCase)]
    private static partial Regex IsTimestamp();

    [GeneratedRegex(@"^[ \t\n\v\f\r]*(?=[-+\d])([-+]?\d+ years?( |\s*\z))?([-+]?\d+ mons?( |\s*\z))?([-+]?\d+ days?( |\s*\z))?([-+]?\d\d+:\d\d:\d\d(\.\d{1,6})?)?[ \t\n\v\f\r]*\z")]
    private static partial Regex IsInterval();

    [GeneratedRegex(@"^[ \t\n\v\f\r]*P(-?\d+[YMWD])*(T(-?\d+[HM])*(-?\d{1,9}(\.\d{1,6})?S)?)?\z")]
    private static partial Regex IsIsoInterval();

    [GeneratedRegex("2147483647|9223372036854775807|5874897-12-31")]
    private static partial Regex NoSuccessor();

    [GeneratedRegex(@"\.\.|:\.|\./|\.\z|[^:]:/")]
    private static partial Regex HasSlip();

    [GeneratedRegex(@"[eE]\s")]
    private static partial Regex BlankInExponent();

    [GeneratedRegex(@"[\[(][^\])]*[\])]")]
    private static partial Regex RangeParts();

    [GeneratedRegex(@"\\[ \t\n\v\f\r]")]
    private static partial Regex EscapedBlank();

    [GeneratedRegex(@"^\(\d{1,10},\d{1,5}\)\z")]
    private static partial Regex IsTid();

    [GeneratedRegex(@"^\d+:\d+:(\d+(,\d+)*)?\z")]
    private static partial Regex IsSnapshot();

    [GeneratedRegex(@"^([0-9.]*|0[xX].*)\z")]
    private static partial Regex IsOddNetwork();

    [GeneratedRegex(@"\d{10,}")]
    private static partial Regex HasLongNumber();

    [GeneratedRegex(@"^[ \t\n\v\f\r]*[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}[ \t\n\v\f\r]*\z")]
    private static partial Regex IsMac();

    [GeneratedRegex(@"^[ \t\n\v\f\r]*[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){7}[ \t\n\v\f\r]*\z")]
    private static partial Regex IsMac8();

    [GeneratedRegex(@"BC|^\s*\d{5,}|24:00:00|9999-12-31|0001-01-01", RegexOptions.IgnoreCase)]
    private static partial Regex IsBeyondDotNet();
}
