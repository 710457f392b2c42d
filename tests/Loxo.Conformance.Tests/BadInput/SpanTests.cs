using System.Globalization;
using System.Reflection;

namespace Loxo.Conformance.BadInput;

/// <summary>The members that take or return a span, which reflection cannot call.</summary>
public sealed class SpanTests
{
    private static readonly Type[] _flows = [typeof(Stream), typeof(TextReader), typeof(TextWriter)];

    private static readonly string[] _texts =
    [
        "", " ", "x", "\0", "(", ")", "{", "}", "[", "]", ",", ":", "/", "-", "'", "\\", "((", "(1,2", "(1,2)", "1:2:", "1:2:3,", "{1,2,3", "NaN",
        "99999999999999999999", "-1", "1e999", "ä", "\ud800", "a & ", "!!", "a <-1> b", "infinity", "2024-02-30", "24:00:01", "::1/129", "1.2.3.4/33",
        new('(', 5000), new('9', 5000),
    ];

    private static IEnumerable<Type> Parsable() => Members.Types().Where(type => type.GetInterfaces().Any(one =>
        one.IsGenericType && one.GetGenericTypeDefinition() == typeof(ISpanParsable<>) && one.GetGenericArguments()[0] == type));

    private static IEnumerable<Type> Formattable() => Parsable().Where(type => typeof(ISpanFormattable).IsAssignableFrom(type));

    [TestCaseSource(nameof(Parsable))]
    public void Text_is_parsed_or_refused_as_documented(Type type) => Invoke(nameof(Parse), type);

    [TestCaseSource(nameof(Formattable))]
    public void A_value_is_formatted_into_what_it_fits_into(Type type) => Invoke(nameof(Format), type);

    [TestCase("SELECT '{\"a\": 1}'::jsonb AS x")]
    [TestCase("SELECT 5 AS x")]
    [TestCase("SELECT NULL::text AS x")]
    public void Bytes_of_a_row_are_there_or_refused_as_documented(string sql)
    {
        using var connection = Subjects.Source.OpenConnection();
        using var command = new PgCommand(sql, connection);
        using var reader = command.ExecuteReader();
        Refuses<InvalidOperationException>(() => reader.GetBytesSpan(0).Length, () => (int)reader.GetUtf8JsonReader(0).TokensStart());
        reader.Read();
        foreach (var ordinal in new[] { -1, 1, int.MaxValue })
            Refuses<IndexOutOfRangeException>(() => reader.GetBytesSpan(ordinal).Length, () => (int)reader.GetUtf8JsonReader(ordinal).TokensStart());
        foreach (var read in new Func<int>[] { () => reader.GetBytesSpan(0).Length, () => (int)reader.GetUtf8JsonReader(0).TokensStart() })
        {
            try
            {
                read();
            }
            catch (InvalidCastException)
            {
            }
        }
        reader.Close();
        Refuses<InvalidOperationException>(() => reader.GetBytesSpan(0).Length, () => (int)reader.GetUtf8JsonReader(0).TokensStart());
    }

    /// <summary>A codec and what it writes with are tried by the fuzzer of the decoders; a stream, a reader and a writer of text have the same methods with arrays.</summary>
    [Test]
    public void No_other_member_takes_or_returns_a_span() => Assert.That(
        Members.Types().SelectMany(Members.Of).Where(method => Members.IsOfStack(method) && !_flows.Any(flow => flow.IsAssignableFrom(method.DeclaringType))).Select(method => $"{method.DeclaringType!.Name}.{method.Name}")
            .Where(name => !name.EndsWith(".Parse") && !name.EndsWith(".TryParse") && !name.EndsWith(".TryFormat")
                && !name.StartsWith("Codec") && !name.StartsWith("MessageWriter")).Distinct(),
        Is.EquivalentTo(new[] { "PgDataReader.GetBytesSpan", "PgDataReader.GetUtf8JsonReader" }));

    private static void Invoke(string name, Type type)
    {
        try
        {
            typeof(SpanTests).GetMethod(name, BindingFlags.NonPublic | BindingFlags.Static)!.MakeGenericMethod(type).Invoke(null, null);
        }
        catch (TargetInvocationException e)
        {
            Assert.Fail(e.InnerException!.ToString());
        }
    }

    private static void Parse<T>()
        where T : ISpanParsable<T>
    {
        foreach (var text in _texts)
        {
            var could = T.TryParse(text.AsSpan(), CultureInfo.InvariantCulture, out var parsed);
            Assert.That(T.TryParse(text, CultureInfo.InvariantCulture, out _), Is.EqualTo(could), text);
            try
            {
                Assert.That(T.Parse(text.AsSpan(), CultureInfo.InvariantCulture), Is.EqualTo(parsed), text);
                Assert.That(could, text);
            }
            catch (Exception e) when (e is FormatException or OverflowException)
            {
                Assert.That(could, Is.False, text);
            }
        }
        ParseNull<T>();
    }

    private static void ParseNull<T>()
        where T : IParsable<T>
    {
        Assert.That(T.TryParse(null, null, out _), Is.False);
        Assert.That(() => { T.Parse(null!, null); }, Throws.ArgumentNullException);
    }

    private static void Format<T>()
        where T : ISpanFormattable, ISpanParsable<T>
    {
        foreach (var text in _texts)
        {
            if (!T.TryParse(text, CultureInfo.InvariantCulture, out var value))
                continue;
            var whole = value.ToString(null, CultureInfo.InvariantCulture);
            var room = new char[whole.Length];
            Assert.That(value.TryFormat(room, out var written, default, CultureInfo.InvariantCulture), whole);
            Assert.That((new string(room), written), Is.EqualTo((whole, whole.Length)));
            if (whole.Length > 0)
                Assert.That(value.TryFormat(room.AsSpan(1), out _, default, CultureInfo.InvariantCulture), Is.False, whole);
        }
    }

    private static void Refuses<T>(params Func<int>[] reads)
        where T : Exception
    {
        foreach (var read in reads)
            Assert.That(() => { read(); }, Throws.InstanceOf<T>());
    }
}

/// <summary>A number of a reader on the stack, so that its call can be a lambda.</summary>
internal static class JsonReaders
{
    public static long TokensStart(this System.Text.Json.Utf8JsonReader reader) => reader.TokenStartIndex;
}
