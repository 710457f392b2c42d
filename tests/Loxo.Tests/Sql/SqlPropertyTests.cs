using FsCheck;
using FsCheck.Fluent;
using Loxo.Sql;

namespace Loxo.Tests.Sql;

/// <summary>What holds for every text, whatever is in it.</summary>
public class SqlPropertyTests
{
    private static readonly string[] Pieces =
    [
        "'", "''", "\"", "\\", "$", "$$", "$a$", "$1", "E'", "e'\\'", "U&'", "u&\"", "B'", "N'", "--", "/*", "*/", ";", ";", "(", ")", "[", "]", ":", "::", ":=",
        "@", "@@", "@x", ":x", "@Y", ":y", "@0", "@-@", "<@", "@>", "=", "-", "+", "*", "/", "|", "&", ".", ",", "1", "1e", "0x", "a", "e", "u", "n", "é", "\u00A0",
        "\ud800", " ", "\t", "\n", "\r", "create function ", "begin atomic ", "case", " end ", "as ", "\0",
    ];

    private static readonly char[] Blanks = [' ', '\t', '\n', '\r', '\f', '\v'];

    private static readonly Arbitrary<string> Texts = Gen.Elements(Pieces).ArrayOf().Select(string.Concat).ToArbitrary();

    [Test]
    public void Tokens_stand_in_order_and_only_blanks_lie_between() => Check((text, conforming) =>
    {
        var end = 0;
        foreach (var token in SqlLexerTests.Lex(text, conforming))
        {
            Assert.That(token.Length, Is.Positive);
            Assert.That(token.Start, Is.GreaterThanOrEqualTo(end));
            AssertBlank(text[end..token.Start]);
            end = token.End;
        }
        Assert.That(end, Is.LessThanOrEqualTo(text.Length));
        AssertBlank(text[end..]);
    });

    [Test]
    public void With_no_parameter_known_the_text_stays_as_written() => Check((text, conforming) =>
    {
        var end = 0;
        foreach (var statement in SqlText.Lex(text, conforming).Statements)
        {
            var sql = statement.SqlFor(new bool[statement.ParameterNames.Length]);
            Assert.That(text.AsSpan(statement.Start).StartsWith(sql), Is.True);
            Assert.That(statement.Start, Is.GreaterThanOrEqualTo(end));
            Assert.That(sql, Is.EqualTo(sql.Trim(Blanks)));
            end = statement.Start + sql.Length;
        }
    });

    [Test]
    public void Nothing_but_blanks_and_semicolons_is_lost() => Check((text, conforming) =>
    {
        var kept = SqlText.Lex(text, conforming).Statements.ToArray().SelectMany(statement => Words(statement.Source, conforming));

        Assert.That(kept.Where(IsNoSemicolon), Is.EqualTo(Words(text, conforming).Where(IsNoSemicolon)));
    });

    [Test]
    public void A_rewritten_text_is_read_as_the_written_one([Range(0, 3)] int choice) => Check((text, conforming) =>
    {
        foreach (var statement in SqlText.Lex(text, conforming).Statements)
        {
            var names = statement.ParameterNames.ToArray();
            bool[] replaced = [.. names.Select((_, i) => (choice >> (i & 1) & 1) == 1)];
            var expected = Words(statement.Source, conforming).Select(word => Rewritten(word, names, replaced));
            Assert.That(Words(statement.SqlFor(replaced), conforming), Is.EqualTo(expected), statement.Source);
        }
    });

    [Test]
    public void A_statement_read_alone_is_the_same_statement() => Check((text, conforming) =>
    {
        foreach (var statement in SqlText.Lex(text, conforming).Statements)
        {
            var alone = SqlText.Lex(statement.Source, conforming).Statements;
            Assert.That(alone.Length, Is.EqualTo(1));
            Assert.That(alone[0].Sql, Is.EqualTo(statement.Sql));
            Assert.That(alone[0].ParameterNames.ToArray(), Is.EqualTo(statement.ParameterNames.ToArray()));
        }
    });

    [Test]
    public void Every_prefix_of_a_tricky_text_can_be_read()
    {
        foreach (var entry in SqlCorpus.Entries)
        {
            for (var length = 0; length <= entry.Text.Length; length++)
            {
                var prefix = entry.Text[..length];
                Assert.That(SqlText.Lex(prefix, true).Statements.Length, Is.Positive);
                Assert.That(SqlText.Lex(prefix, false).Statements.Length, Is.Positive);
            }
        }
    }

    private static void Check(Action<string, bool> promise) =>
        Prop.ForAll(Texts, ArbMap.Default.ArbFor<bool>(), promise).Check(Config.QuickThrowOnFailure.WithMaxTest(2000).WithEndSize(40));

    private static bool IsNoSemicolon((SqlTokenKind, string Text) word) => word.Text != ";";

    // A quote without an end loses its last spaces with the statement; the server refuses it either way.
    private static List<(SqlTokenKind Kind, string Text)> Words(string text, bool conforming) =>
        [.. SqlLexerTests.Lex(text, conforming).Select(token => (token.Kind, text.Substring(token.Start, token.Length).TrimEnd(Blanks)))];

    private static (SqlTokenKind Kind, string Text) Rewritten((SqlTokenKind Kind, string Text) word, string[] names, bool[] replaced)
    {
        if (word.Kind != SqlTokenKind.Placeholder)
            return word;
        var name = Array.FindIndex(names, name => name.Equals(word.Text[1..], StringComparison.OrdinalIgnoreCase));
        return replaced[name] ? (SqlTokenKind.Parameter, $"${replaced.Take(name + 1).Count(yes => yes)}") : word;
    }

    private static void AssertBlank(string gap) =>
        Assert.That(SqlLexerTests.Lex(gap, standardConformingStrings: true), Is.Empty, $"'{gap}' is no blank");
}
