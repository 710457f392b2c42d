using System.Numerics;

namespace Loxo.IntegrationTests.Types;

/// <summary>The part of the corpus with ranges and multiranges.</summary>
public static class RangeSamples
{
    private static readonly DateTime Moment = new(2024, 2, 29, 12, 34, 56, 789);
    private static readonly DateTime Instant = DateTime.SpecifyKind(Moment, DateTimeKind.Utc);

    public static IEnumerable<TypeSample> All() => [.. WholeNumbers(), .. Numbers(), .. Moments(), .. Multiranges()];

    // The server brings these into the form [..,..), so that is what is compared.
    private static IEnumerable<TypeSample> WholeNumbers() =>
    [
        TypeCorpus.Value("int4range", "[1,5)", new PgRange<int>(1, true, 5, false)),
        TypeCorpus.Value("int4range", "[-2147483648,)", new PgRange<int>(int.MinValue, true, false, 0, false, true)),
        TypeCorpus.Value("int4range", "(,2147483647)", new PgRange<int>(0, false, true, int.MaxValue, false, false)),
        TypeCorpus.Value("int4range", "(,)", new PgRange<int>(0, false, true, 0, false, true)),
        TypeCorpus.Value("int4range", "empty", PgRange<int>.Empty), TypeCorpus.Value("int4range", "[1,5)", new PgRange<long>(1, true, 5, false)),
        TypeCorpus.Value("int8range", "[1,5)", new PgRange<long>(1, true, 5, false)), TypeCorpus.Value("int8range", "empty", PgRange<long>.Empty),
        TypeCorpus.Value("int8range", "[1,5)", new PgRange<int>(1, true, 5, false)),
        TypeCorpus.Reference("int4range", "[1,5)", "[1,5)"), TypeCorpus.Reference("int4range", "empty", "empty"),
    ];

    private static IEnumerable<TypeSample> Numbers() =>
    [
        TypeCorpus.Value("numrange", "[1.50,2.5]", new PgRange<decimal>(1.50m, 2.5m)), TypeCorpus.Value("numrange", "(-1,0)", new PgRange<decimal>(-1, false, 0, false)),
        TypeCorpus.Value("numrange", "[1,79228162514264337593543950336)", new PgRange<BigInteger>(1, true, BigInteger.Pow(2, 96), false)),
        TypeCorpus.Value("numrange", "(,Infinity]", new PgRange<double>(0, false, true, double.PositiveInfinity, true, false)),
        TypeCorpus.Reference("numrange", "[1.50,)", "[1.50,)"),
    ];

    private static IEnumerable<TypeSample> Moments() =>
    [
        TypeCorpus.Value("daterange", "[2024-02-29,2024-03-02)", new PgRange<DateOnly>(new(2024, 2, 29), true, new(2024, 3, 2), false)),
        TypeCorpus.Value("daterange", "(-infinity,infinity]", new PgRange<DateOnly>(DateOnly.MinValue, false, DateOnly.MaxValue, true)),
        TypeCorpus.Value("daterange", "[2024-02-29,)", new PgRange<DateTime>(new DateTime(2024, 2, 29), true, false, default, false, true)),
        TypeCorpus.Value("daterange", "[2000-01-02,2000-01-03)", new PgRange<int>(1, true, 2, false)),
        TypeCorpus.Value("tsrange", "[2024-02-29 12:34:56.789,infinity]", new PgRange<DateTime>(Moment, DateTime.MaxValue)),
        TypeCorpus.Value("tsrange", "(,2024-02-29 12:34:56.789)", new PgRange<DateTime>(default, false, true, Moment, false, false)),
        TypeCorpus.Value("tsrange", "empty", PgRange<DateTime>.Empty), TypeCorpus.Value("tsrange", "[2000-01-01,2000-01-01 00:00:01]", new PgRange<long>(0, 1_000_000)),
        TypeCorpus.Value("tstzrange", "[2024-02-29 12:34:56.789+00,2024-02-29 12:34:57.789+00)", new PgRange<DateTime>(Instant, true, Instant.AddSeconds(1), false)),
        TypeCorpus.Value("tstzrange", "(-infinity,2024-02-29 12:34:56.789+00]", new PgRange<DateTimeOffset>(DateTimeOffset.MinValue, false, Instant, true)),
        TypeCorpus.Reference("tstzrange", "[\"2024-02-29 12:34:56.789+00\",)", "[\"2024-02-29 12:34:56.789+00\",)"),
    ];

    private static IEnumerable<TypeSample> Multiranges() =>
    [
        TypeCorpus.Reference<PgRange<int>[]>("int4multirange", "{[1,3),[5,8)}", [new(1, true, 3, false), new(5, true, 8, false)]),
        TypeCorpus.Reference<PgRange<int>[]>("int4multirange", "{}", []),
        TypeCorpus.Reference<List<PgRange<int>>>("int4multirange", "{(,3)}", [new(0, false, true, 3, false, false)]),
        TypeCorpus.Reference<PgRange<long>[]>("int8multirange", "{[1,3)}", [new(1, true, 3, false)]),
        TypeCorpus.Reference<PgRange<decimal>[]>("nummultirange", "{(1.5,2.50]}", [new(1.5m, false, 2.50m, true)]),
        TypeCorpus.Reference<PgRange<DateOnly>[]>("datemultirange", "{[2024-02-29,2024-03-01)}", [new(new(2024, 2, 29), true, new(2024, 3, 1), false)]),
        TypeCorpus.Reference<PgRange<DateTime>[]>("tsmultirange", "{[2024-02-29 12:34:56.789,)}", [new(Moment, true, false, default, false, true)]),
        TypeCorpus.Reference<PgRange<DateTime>[]>("tstzmultirange", "{[2024-02-29 12:34:56.789+00,)}", [new(Instant, true, false, default, false, true)]),
        TypeCorpus.Reference<PgRange<DateTimeOffset>[]>("tstzmultirange", "{(,2024-02-29 12:34:56.789+00)}", [new(default, false, true, Instant, false, false)]),
        TypeCorpus.Reference("int4multirange", "{[1,3),[5,8)}", "{[1,3),[5,8)}"),
    ];
}
