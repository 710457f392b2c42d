using FsCheck;
using FsCheck.Fluent;
using Loxo.Sql;

namespace Loxo.Tests.Sql;

/// <summary>What holds for every query, whatever is in it.</summary>
public class SqlClassifierPropertyTests
{
    private static readonly string[] Pieces =
    [
        "pg_advisory_lock(1)", "\"pg_advisory_lock\"(2)", "PG_ADVISORY_LOCK(3)", "@pg_advisory_lock(4)", "set_config('a', 'b', true)", "(a)", "(SELECT 1)", "(", ")", ",", ".", "..", "pg_catalog", "::", ":", "[", "]",
        "pg_advisory_lock", "\"pg_advisory_lock\"", ".pg_advisory_lock", ". \"pg_advisory_lock\"", "U&\"a\"", "UESCAPE '!'", "uescape", "TREAT",
        "AS", "ON", "OPERATOR", "DISTINCT", "TABLESAMPLE", "FROM", "a", "\"b\"", "'c'", "E'\\''", "$$d$$", "1", "1e", "$1", "@x", ":y", "=", "<@", "*", "true", "THEN", "CASE", "END",
        "GROUP BY", "SELECT", "UPDATE", "SET", "FILTER", "OVER", "WITHIN", "VALUES", "INTO", "@into", "--\n", "/*", "*/", "'", "\"", ";", "{",
    ];

    private static readonly string[] Separators = [" ", "", "/**/"];

    private static readonly Arbitrary<string> Queries =
        Gen.Two(Gen.Elements(Pieces)).SelectMany(pair => Gen.Elements(Separators).Select(separator => pair.Item1 + separator + pair.Item2 + separator))
            .ArrayOf().Select(pairs => "SELECT " + string.Concat(pairs)).ToArbitrary();

    [Test]
    public void A_query_with_a_call_that_leaves_something_is_never_plain() => Check(query =>
    {
        var tokens = SqlLexerTests.Lex(query.Source, standardConformingStrings: true).ToArray();
        var calls = tokens.Zip(tokens.Skip(1)).Any(pair => IsName(TextOf(query.Source, pair.First)) && TextOf(query.Source, pair.Second) == "(");
        Assert.That(calls && query.Changes == SqlChanges.None, Is.False, query.Source);
    });

    [Test]
    public void A_query_with_an_attribute_that_may_be_a_call_is_never_plain() => Check(query =>
    {
        var tokens = SqlLexerTests.Lex(query.Source, standardConformingStrings: true).Select(token => TextOf(query.Source, token)).ToArray();
        var calls = tokens.Zip(tokens.Skip(1)).Any(pair => pair.First == "." && IsName(pair.Second));
        Assert.That(calls && query.Changes == SqlChanges.None, Is.False, query.Source);
    });

    [Test]
    public void A_query_with_a_name_in_escapes_is_never_plain() => Check(query =>
    {
        var escapes = SqlLexerTests.Lex(query.Source, standardConformingStrings: true).Any(token => TextOf(query.Source, token) is ['U' or 'u', '&', '"', ..]);
        Assert.That(escapes && query.Changes == SqlChanges.None, Is.False, query.Source);
    });

    [Test]
    public void A_query_with_INTO_is_never_plain() => Check(query =>
    {
        var hasInto = SqlLexerTests.Lex(query.Source, standardConformingStrings: true).Any(token => TextOf(query.Source, token) is "INTO" or "@into");
        Assert.That(hasInto && query.Changes == SqlChanges.None, Is.False, query.Source);
    });

    [Test]
    public void What_has_a_lasting_effect_is_never_plain() =>
        Check(query => Assert.That(query.CertainChange != SqlCertainChange.None && query.Changes == SqlChanges.None, Is.False, query.Source));

    [Test]
    public void A_statement_is_classified_alike_alone_and_among_others() =>
        Check(query => Assert.That(Verdict(SqlText.Lex(query.Source, true).Statements[0]), Is.EqualTo(Verdict(query)), query.Source));

    [Test]
    public void Every_prefix_of_a_statement_is_classified()
    {
        const string Text = "WITH a (b) AS (INSERT INTO t VALUES (set_config('a', @b, true))) SELECT DISTINCT ON (a) \"f\"(1)::numeric(1), U&\"x\" FROM a.b(1) OPERATOR(x.+) INTO TEMP c";
        for (var length = 0; length <= Text.Length; length++)
            Assert.That(SqlText.Lex(Text[..length], true).Statements[0].Changes, Is.LessThanOrEqualTo(SqlChanges.All));
    }

    // What follows a semicolon may be no query.
    private static void Check(Action<SqlStatement> promise) => Prop.ForAll(Queries, text =>
    {
        foreach (var statement in SqlText.Lex(text, standardConformingStrings: true).Statements)
        {
            if (statement.Source.StartsWith("SELECT", StringComparison.Ordinal))
                promise(statement);
        }
    }).Check(Config.QuickThrowOnFailure.WithMaxTest(5000).WithEndSize(20));

    private static (SqlVerdict Verdict, string Attributes, string Calls) Verdict(SqlStatement statement) =>
        (statement.Verdict with { Attributes = null, Calls = null }, Positions(statement, statement.Verdict.Attributes), Positions(statement, statement.Verdict.Calls));

    // A call without a certain name has no position.
    private static string Positions(SqlStatement statement, SqlToken[]? names) =>
        string.Join(' ', (names ?? []).Select(name => name.Length == 0 ? "?" : $"{name.Start - statement.Start}"));

    private static string TextOf(string sql, SqlToken token) => sql.Substring(token.Start, token.Length);

    private static bool IsName(string text) => text.ToUpperInvariant() is "PG_ADVISORY_LOCK" or "@PG_ADVISORY_LOCK" or "\"PG_ADVISORY_LOCK\"";
}
