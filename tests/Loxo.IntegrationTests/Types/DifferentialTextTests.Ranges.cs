using System.Buffers;
using System.Collections.Specialized;
using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Loxo.IntegrationTests.Pool;
using Loxo.Types;
using static Loxo.IntegrationTests.Types.TextGrammars;

namespace Loxo.IntegrationTests.Types;

/// <summary>Ranges over .NET types that the table of subjects does not have, most of them of types of which the server has no ranges: a database of their own has them.</summary>
public partial class DifferentialTextTests
{
    private const string Blanks = @"[ \t\n\v\f\r]*";

    private const string Float8 = @"-?\d{1,15}(\.\d{1,15})?([eE][-+]?\d\d?)?|NaN|-?Infinity";

    private static readonly string[] Subtypes = ["float8", "float4", "int2", "bool", "time", "interval", "uuid", "inet", "cidr", "macaddr", "varbit", "tid", "pg_lsn", "bytea", "text"];

    // The server has no order of these, or one that is not looked at here; the others share the text and the order of a type that is compared.
    private static readonly HashSet<Type> OtherBounds = 
    [
        typeof(ReadOnlyMemory<byte>), typeof(Memory<byte>), typeof(ArraySegment<byte>), typeof(ReadOnlySequence<byte>), typeof(byte), typeof(sbyte), typeof(BigInteger), typeof(TimeSpan),
        typeof(string), typeof(char), typeof(char[]), typeof(ReadOnlyMemory<char>), typeof(Memory<char>), typeof(ArraySegment<char>), typeof(BitVector32), typeof(System.Net.IPNetwork),
        typeof(JsonDocument), typeof(JsonElement), typeof(JsonNode), typeof(PgTsVector), typeof(PgTsQuery),
        typeof(PgPoint), typeof(PgLine), typeof(PgLSeg), typeof(PgBox), typeof(PgPath), typeof(PgPolygon), typeof(PgCircle),
    ];

    private TestDatabase _ranges = null!;

    [OneTimeSetUp]
    public async Task CreateRanges() => _ranges = await TestDatabase.Create(
        [
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET TimeZone = UTC', current_database()); END $$",
            "CREATE SCHEMA temporary", // see PoolerOfTheRun.Adapt
            .. Subtypes.Select(subtype => $"CREATE TYPE {subtype}_range AS RANGE (subtype = {subtype})"),
        ]);

    [OneTimeTearDown]
    public async Task DropRanges() => await _ranges.DisposeAsync();

    [Test]
    public void Every_type_that_a_bound_is_read_as_is_among_them()
    {
        var bounds = ScalarTypes.Create(TypeSettings.Default).SelectMany(type => type.RangesOf(new RangeCodecs("range"))).Select(codec => RangeTypes.BoundOf(codec.ValueType)!)
            .Where(bound => ScalarInference.Default.Of(bound, null) is not null).Except(OtherBounds).Distinct();
        var compared = Subjects.Select(subject => subject.GetType()).Where(type => Definition(type) == typeof(ParsableSubject<>))
            .Select(type => RangeTypes.BoundOf(type.GetGenericArguments()[0])).OfType<Type>();

        Assert.That(bounds.Except(compared), Is.EquivalentTo(Array.Empty<Type>()));
    }

    private static TextSubject[] MoreRanges() =>
    [
        BoundRange<double>("float8", Float, Float8), BoundRange<float>("float4", Float, Float8), BoundRange<short>("int2", SmallInteger, @"[-+]?\d+"),
        BoundRange<decimal>("numeric", Float, @"-?\d{1,14}(\.\d{1,14})?", "numrange"), BoundRange<DateTimeOffset>("timestamptz", TimestampTz, @"[12]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?\+00", "tstzrange"),
        BoundRange<TimeOnly>("time", Time, @"([01]\d|2[0-2]):\d\d:\d\d(\.\d{1,6})?"), BoundRange<PgInterval>("interval", Interval, @"(?=[-+\d])(-?\d{1,8} years?( |\z))?(-?\d{1,8} mons?( |\z))?(-?\d{1,8} days?( |\z))?(-?\d\d:\d\d:\d\d(\.\d{1,6})?)?"),
        BoundRange<Guid>("uuid", random => new Guid(Enumerable.Range(0, 16).Select(_ => (byte)(random.Next(3) * 127)).ToArray()).ToString(), "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
        BoundRange<PgInet>("inet", InetOfOrder, @"\d{1,3}(\.\d{1,3}){3}(/\d+)?"), BoundRange<System.Net.IPAddress>("inet", IPv4, @"\d{1,3}(\.\d{1,3}){3}"), BoundRange<PgCidr>("cidr", CidrOfOrder, @"\d{1,3}(\.\d{1,3}){3}/\d+"),
        BoundRange<System.Net.NetworkInformation.PhysicalAddress>("macaddr", random => Mac(random, 6), "[0-9a-f]{2}(:[0-9a-f]{2}){5}"), BoundRange<System.Collections.BitArray>("varbit", Bits, "[01]+"),
        BoundRange<PgTid>("tid", random => $"\"{Tid(random)}\"", ".*"), BoundRange<PgLogSequenceNumber>("pg_lsn", Lsn, "[0-9A-F]{1,8}/[0-9A-F]{1,8}"), BoundRange<bool>("bool", random => Pick(random, "t", "f"), "t|f"),
        BoundRange<byte[]>("bytea", random => "\"\\\\\\\\x" + Mac(random, random.Next(3)).Replace(":", "", StringComparison.Ordinal).Replace("-", "", StringComparison.Ordinal) + "\"", @"\\x([0-9a-f]{2})*"),
    ];

    // What a bound may be is the business of its own type: only bounds of the form that the pattern says have to be read.
    private static ParsableSubject<PgRange<T>> BoundRange<T>(string subtype, Func<Random, string> bound, [StringSyntax("Regex")] string pattern, string? range = null)
    {
        var blanks = subtype is "uuid" or "inet" or "cidr" or "varbit" or "tid" or "pg_lsn" or "bytea" ? "" : Blanks; // which the other types skip
        var isBound = new Regex($@"^{blanks}({pattern}){blanks}\z", RegexOptions.None, TimeSpan.FromSeconds(10));
        return new(range ?? subtype + "_range", random => TextGrammars.Range(random, bound), "0123456789-[](), \"\\")
        {
            IsInOwnDatabase = true,
            IsRefusedByRule = text => Bounds(text) is not [_, _] bounds || bounds.Any(part => part.Length > 0 && !isBound.IsMatch(part)),
            IsReadByRule = text => typeof(T) == typeof(PgInterval) && IsReadInterval(Unquoted(text)),
            IsLimited = typeof(T) != typeof(PgTid), // whose bounds have commas of their own
        };
    }
}
