namespace Loxo.IntegrationTests.Types;

/// <summary>Samples of tsvector and tsquery.</summary>
public static class TextSearchSamples
{
    private static readonly string[] Vectors =
    [
        "", "a", "'a':1A,2 'b':3B,16383C 'it''s' 'a b\\\\c'", "z é ｱ 😀 :x", "b a a:3 a:1,3A", string.Join(' ', Enumerable.Range(0, 2000).Select(i => $"word{i}:{i + 1}")),
        "a:" + string.Join(',', Enumerable.Range(1, 300)), new string('ü', 1000),
    ];

    private static readonly string[] Queries =
    [
        "a", "!a:*AB & (b | c) <-> d <2> (e <-> f)", "'it''s' <0> 'a b\\\\c'", "!!(😀 | !ｱ)", "(a <-> b) <-> c", "a <-> (b <3> c)",
        string.Join(" | ", Enumerable.Range(0, 2000).Select(i => $"word{i}")), "a:abcd* <16384> b:D",
    ];

    public static IEnumerable<TypeSample> All { get; } =
    [
        .. Vectors.Select(text => Reference("tsvector", text, PgTsVector.Parse(text))), .. Vectors.Select(text => Reference("tsvector", text, PgTsVector.Parse(text).ToString())),
        .. Queries.Select(text => Reference("tsquery", text, PgTsQuery.Parse(text))), .. Queries.Select(text => Reference("tsquery", text, PgTsQuery.Parse(text).ToString())),
    ];

    private static TypeSample Reference<T>(string type, string literal, T value)
        where T : class => new ReferenceSample<T>(type, literal, value);
}
