using Loxo.Sql;

namespace Loxo.Tests.Sql;

public class SqlTextTests
{
    private static readonly IReadOnlyList<SqlCorpusEntry> Corpus = SqlCorpus.Entries;

    [TestCaseSource(nameof(Corpus))]
    public void The_corpus_is_rewritten_as_the_server_reads_it(SqlCorpusEntry entry)
    {
        var statements = SqlText.Lex(entry.Text, entry.StandardConformingStrings).Statements.ToArray();

        var sql = statements.Select(statement => statement.SqlFor([.. statement.ParameterNames.ToArray().Select(IsParameter)]));
        Assert.That(sql, Is.EqualTo(entry.Statements.Select(statement => statement.Sql)));
    }

    [TestCase("SELECT @b, :a, @B", "SELECT $1, $2, $1", "b a")]
    [TestCase("SELECT @x; SELECT @y, @x", "SELECT $1|SELECT $1, $2", "x|y x")]
    [TestCase("SELECT 1;SELECT @Größe + @GRÖSSE + @gRöße", "SELECT 1|SELECT $1 + $2 + $1", "|Größe GRÖSSE")]
    [TestCase("SELECT @kelvin, @\u212Aelvin", "SELECT $1, $2", "kelvin \u212Aelvin", TestName = "Names_are_compared_ordinally")]
    public void Names_are_numbered_within_each_statement(string text, string sql, string names)
    {
        var statements = SqlText.Lex(text, standardConformingStrings: true).Statements.ToArray();

        Assert.That(string.Join('|', statements.Select(statement => statement.Sql)), Is.EqualTo(sql));
        Assert.That(string.Join('|', statements.Select(statement => string.Join(' ', statement.ParameterNames.ToArray()))), Is.EqualTo(names));
    }

    [Test]
    public void Many_names_are_numbered_like_few()
    {
        var numbers = Enumerable.Range(1, 3000).ToArray();
        var text = $"SELECT {string.Join(',', numbers.Select(n => $"@p{n},:P{n}"))};SELECT @p3000";

        var statements = SqlText.Lex(text, standardConformingStrings: true).Statements;

        Assert.That(statements[0].Sql, Is.EqualTo($"SELECT {string.Join(',', numbers.Select(n => $"${n},${n}"))}"));
        Assert.That(statements[0].ParameterNames.ToArray(), Is.EqualTo(numbers.Select(n => $"p{n}")));
        Assert.That(statements[1].Sql, Is.EqualTo("SELECT $1"));
    }

    [TestCase("SELECT 1", "SELECT 1")]
    [TestCase("  SELECT 1\n", "SELECT 1")]
    [TestCase("SELECT 1;", "SELECT 1")]
    [TestCase(" ; SELECT 1 ;; SELECT 2 -- two\n; -- done", "SELECT 1|SELECT 2 -- two")]
    [TestCase("/* a */ SELECT 1; /* b */ SELECT 2", "/* a */ SELECT 1|/* b */ SELECT 2")]
    [TestCase("SELECT 1;\u00A0", "SELECT 1|\u00A0", TestName = "A_no_break_space_is_a_statement_to_the_server")]
    [TestCase("DO (a; b); SELECT 1", "DO (a; b)|SELECT 1")]
    [TestCase("a ) ; b ( ; c", "a )|b ( ; c")]
    [TestCase("(';)'); (\"(\"); ($$($$) /* ( */; c", "(';)')|(\"(\")|($$($$) /* ( */|c")]
    [TestCase("a[1;2]", "a[1|2]")]
    [TestCase("'a\\'; 'b'", "'a\\'|'b'")]
    [TestCase("BEGIN; COMMIT", "BEGIN|COMMIT")]
    public void Statements_end_at_top_level_semicolons(string text, string statements) => CheckStatements(text, statements);

    [TestCase("'a\\'; 'b'; c", "'a\\'; 'b'; c")]
    [TestCase("'a\\''; 'b'; c", "'a\\''|'b'|c")]
    [TestCase("E'a\\''; B'\\'; c", "E'a\\''|B'\\'|c")]
    public void Backslashes_escape_without_standard_conforming_strings(string text, string statements) =>
        CheckStatements(text, statements, standardConformingStrings: false);

    [TestCase("create function f() begin atomic a; b; end; c", "create function f() begin atomic a; b; end|c")]
    [TestCase("CREATE OR REPLACE PROCEDURE f() BEGIN/**/ATOMIC a; END; c", "CREATE OR REPLACE PROCEDURE f() BEGIN/**/ATOMIC a; END|c")]
    [TestCase("CREATE FUNCTION f() BEGIN ATOMIC CASE WHEN CASE a END END; b; END; c", "CREATE FUNCTION f() BEGIN ATOMIC CASE WHEN CASE a END END; b; END|c")]
    [TestCase("CREATE FUNCTION f() BEGIN ATOMIC SELECT a.end AS case; \"end\"; END; c", "CREATE FUNCTION f() BEGIN ATOMIC SELECT a.end AS case; \"end\"; END|c")]
    [TestCase("CREATE FUNCTION f() BEGIN ATOMIC 'end; $$' ; END; c", "CREATE FUNCTION f() BEGIN ATOMIC 'end; $$' ; END|c")]
    [TestCase("CREATE FUNCTION begin() AS 'b'; c", "CREATE FUNCTION begin() AS 'b'|c")]
    [TestCase("CREATE FUNCTION begin.atomic() AS 'b'; c", "CREATE FUNCTION begin.atomic() AS 'b'|c")]
    [TestCase("CREATE TABLE begin (atomic int); BEGIN; c", "CREATE TABLE begin (atomic int)|BEGIN|c")]
    [TestCase("SELECT 1 AS create; function begin atomic; c", "SELECT 1 AS create|function begin atomic|c")]
    [TestCase("CREATE OR FUNCTION f() BEGIN ATOMIC a; END; c", "CREATE OR FUNCTION f() BEGIN ATOMIC a|END|c")]
    [TestCase("CREATE FUNCTION f() BEGIN ATOMIC a; END; CREATE FUNCTION g() BEGIN ATOMIC b; END", "CREATE FUNCTION f() BEGIN ATOMIC a; END|CREATE FUNCTION g() BEGIN ATOMIC b; END")]
    [TestCase("CREATE FUNCTION f() BEGIN ATOMIC a; b", "CREATE FUNCTION f() BEGIN ATOMIC a; b")]
    public void A_standard_body_of_a_routine_is_one_statement(string text, string statements) => CheckStatements(text, statements);

    [TestCase("", "")]
    [TestCase(" \n", "")]
    [TestCase(";", "")]
    [TestCase(" ;; ; ", "")]
    [TestCase("-- a", "-- a")]
    [TestCase("/* @a; */ ; /* b */", "/* @a; */")]
    public void A_text_of_nothing_is_one_empty_statement(string text, string statement) => CheckStatements(text, statement);

    [Test]
    public void A_statement_knows_where_it_begins()
    {
        const string Text = "SELECT 1; \n SELECT @x ;";

        var statement = SqlText.Lex(Text, standardConformingStrings: true).Statements[1];

        Assert.That(Text.AsSpan(statement.Start).StartsWith(statement.Source), Is.True);
        Assert.That(statement.Source, Is.EqualTo("SELECT @x"));
    }

    [TestCase("SELECT 1")]
    [TestCase("SELECT 1::text")]
    [TestCase("SELECT 'a;b@c:d$1'")]
    public void A_text_without_names_is_sent_as_the_same_string(string text)
    {
        var statement = SqlText.Lex(text, standardConformingStrings: true).Statements[0];

        Assert.That(statement.Sql, Is.SameAs(text));
        Assert.That(statement.Source, Is.SameAs(text));
    }

    [TestCase(" SELECT @x; SELECT $1 ")]
    [TestCase("")]
    [TestCase("'")]
    public void A_positional_text_is_sent_as_it_is(string text)
    {
        var statements = SqlText.Lex(text, standardConformingStrings: true, splitAndReplace: false).Statements;

        Assert.That(statements.Length, Is.EqualTo(1));
        Assert.That(statements[0].Sql, Is.SameAs(text));
        Assert.That(statements[0].ParameterNames.Length, Is.Zero);
    }

    [TestCase("SELECT @x, $1", true)]
    [TestCase("SELECT $1", true)]
    [TestCase("SELECT @x, '$1', $$ $1 $$, a$1 -- $1", false)]
    [TestCase("SELECT 1", false)]
    public void Dollar_parameters_as_written_are_reported(string text, bool expected) =>
        Assert.That(SqlText.Lex(text, standardConformingStrings: true).Statements[0].HasDollarParameters, Is.EqualTo(expected));

    [Test]
    public void Dollar_parameters_are_reported_for_their_statement_only()
    {
        var statements = SqlText.Lex("SELECT $1; SELECT @x", standardConformingStrings: true).Statements;

        Assert.That(statements[0].HasDollarParameters, Is.True);
        Assert.That(statements[1].HasDollarParameters, Is.False);
    }

    private static bool IsParameter(string name) =>
        SqlCorpus.Parameters.Any(parameter => parameter.Name.Equals(name, StringComparison.OrdinalIgnoreCase));

    private static void CheckStatements(string text, string expected, bool standardConformingStrings = true)
    {
        var statements = SqlText.Lex(text, standardConformingStrings).Statements.ToArray();

        Assert.That(string.Join('|', statements.Select(statement => statement.Source)), Is.EqualTo(expected));
    }
}
