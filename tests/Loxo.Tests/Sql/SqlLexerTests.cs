using Loxo.Sql;

namespace Loxo.Tests.Sql;

public class SqlLexerTests
{
    [TestCase("SELECT a1, _b$c.größe", "Word SELECT|Word a1|Punctuation ,|Word _b$c|Punctuation .|Word größe")]
    [TestCase("a\u00A0b", "Word a\u00A0b", TestName = "A_no_break_space_belongs_to_the_name")]
    [TestCase("a\t\n\r\f\v b", "Word a|Word b", TestName = "All_whitespace_separates")]
    [TestCase("\"a\"\"b;\" U&\"\\00e9\" u&\"x\"\"\"", "QuotedIdentifier \"a\"\"b;\"|QuotedIdentifier U&\"\\00e9\"|QuotedIdentifier u&\"x\"\"\"")]
    [TestCase("u&a U& 'x'", "Word u|Operator &|Word a|Word U|Operator &|String 'x'")]
    [TestCase("{a}\\$", "Unknown {|Word a|Unknown }|Unknown \\|Unknown $")]
    public void Words_and_names(string text, string tokens) => Check(text, tokens);

    [TestCase("1 1.5 .5 1. 1e5 1.5E-3 1e+9", "Number 1|Number 1.5|Number .5|Number 1.|Number 1e5|Number 1.5E-3|Number 1e+9")]
    [TestCase("0x1F 0xE-5 1_000 1e-", "Number 0x1F|Number 0xE|Operator -|Number 5|Number 1_000|Number 1e|Operator -")]
    [TestCase("1..2 a.1 [1:2]", "Number 1|Punctuation ..|Number 2|Word a|Number .1|Punctuation [|Number 1|Punctuation :|Number 2|Punctuation ]")]
    [TestCase("$1 $23::int a$1", "Parameter $1|Parameter $23|Operator ::|Word int|Word a$1")]
    public void Numbers_and_dollar_parameters(string text, string tokens) => Check(text, tokens);

    [TestCase("'a''b' ''", "String 'a''b'|String ''")]
    [TestCase("'a\\' b", "String 'a\\'|Word b")]
    [TestCase("E'a\\'b' e'\\\\' fooE'x'", "String E'a\\'b'|String e'\\\\'|Word fooE|String 'x'")]
    [TestCase("B'0''1' x'f' n'a' U&'\\'''", "String B'0'|String '1'|String x'f'|String n'a'|String U&'\\'''")]
    [TestCase("'a'\n'b' 'c' 'd'", "String 'a'\n'b'|String 'c'|String 'd'")]
    [TestCase("E'a' --'\n\t'\\'' 'x'", "String E'a' --'\n\t'\\''|String 'x'")]
    [TestCase("'a'/*\n*/'b' 'c'--'", "String 'a'|String 'b'|String 'c'")]
    [TestCase("X'a'\n'b' 'c'\nE'd'", "String X'a'\n'b'|String 'c'|String E'd'")]
    [TestCase("$$a'$b$$ $t$ $$ $T$ $t$x", "String $$a'$b$$|String $t$ $$ $T$ $t$|Word x")]
    [TestCase("a$t$ 1$t$;$t$ $1$t$;$t$ $é$;$é$", "Word a$t$|Number 1|String $t$;$t$|Parameter $1|String $t$;$t$|String $é$;$é$")]
    [TestCase("$a b$", "Unknown $|Word a|Word b$")]
    [TestCase("$a$$a $a$", "String $a$$a $a$")]
    public void Strings(string text, string tokens) => Check(text, tokens);

    [TestCase("'a\\' b'", "String 'a\\' b'")]
    [TestCase("'a\\\\' N'\\''", "String 'a\\\\'|String N'\\''")]
    [TestCase("B'\\' X'\\'", "String B'\\'|String X'\\'")]
    [TestCase("$$\\$$ \"\\\"", "String $$\\$$|QuotedIdentifier \"\\\"")]
    [TestCase("'a'\n'\\''", "String 'a'\n'\\''")]
    public void Strings_without_standard_conforming_strings(string text, string tokens) =>
        Check(text, tokens, standardConformingStrings: false);

    [TestCase("a--b\nc--d\re", "Word a|Word c|Word e")]
    [TestCase("a/*b*/c/**/d/*/ x */e", "Word a|Word c|Word d|Word e")]
    [TestCase("/* /* */ ; */ a /***/ b /* * / **/ c", "Word a|Word b|Word c")]
    [TestCase("a*/b */", "Word a|Operator */|Word b|Operator */")]
    [TestCase("+--x\n-/*y*/*", "Operator +|Operator -|Operator *")]
    public void Comments(string text, string tokens) => Check(text, tokens);

    [TestCase("a::b :=c => <= <> !=", "Word a|Operator ::|Word b|Operator :=|Word c|Operator =>|Operator <=|Operator <>|Operator !=")]
    [TestCase("a=-1 a=+-1 a@-1 a*-+1", "Word a|Operator =|Operator -|Number 1|Word a|Operator =|Operator +|Operator -|Number 1|Word a|Operator @-|Number 1"
        + "|Word a|Operator *|Operator -|Operator +|Number 1")]
    [TestCase("@> <@ @@ @? ~@ @-@ @ ->> #>> ||/ ?| &&", "Operator @>|Operator <@|Operator @@|Operator @?|Operator ~@|Operator @-@|Operator @|Operator ->>"
        + "|Operator #>>|Operator ||/|Operator ?||Operator &&")]
    public void Operators(string text, string tokens) => Check(text, tokens);

    [TestCase("@x+:y+@_1+:größe+@0+:12", "Placeholder @x|Operator +|Placeholder :y|Operator +|Placeholder @_1|Operator +|Placeholder :größe|Operator +|Placeholder @0"
        + "|Operator +|Placeholder :12")]
    [TestCase("(@x,:y)[@z]", "Punctuation (|Placeholder @x|Punctuation ,|Placeholder :y|Punctuation )|Punctuation [|Placeholder @z|Punctuation ]")]
    [TestCase("a=@x b<@y c>=:z", "Word a|Operator =|Placeholder @x|Word b|Operator <|Placeholder @y|Word c|Operator >=|Placeholder :z")]
    [TestCase("=-@x ||@y @>@z <@@w", "Operator =|Operator -|Placeholder @x|Operator |||Placeholder @y|Operator @>|Placeholder @z|Operator <@|Placeholder @w")]
    [TestCase("@x::int :y.z", "Placeholder @x|Operator ::|Word int|Placeholder :y|Punctuation .|Word z")]
    [TestCase("a:=@x b:=:y", "Word a|Operator :=|Placeholder @x|Word b|Operator :=|Placeholder :y")]
    [TestCase("@a$b$ c$b$", "Placeholder @a$b$|Word c$b$")]
    [TestCase("IN (1) :x, ON (a) @y", "Word IN|Punctuation (|Number 1|Punctuation )|Placeholder :x|Punctuation ,|Word ON|Punctuation (|Word a|Punctuation )|Placeholder @y")]
    [TestCase("[THEN :x 'a': :y]", "Punctuation [|Word THEN|Placeholder :x|String 'a'|Punctuation :|Placeholder :y|Punctuation ]")]
    public void Placeholders(string text, string tokens) => Check(text, tokens);

    [TestCase("a@x a:x", "Word a|Operator @|Word x|Word a|Punctuation :|Word x")]
    [TestCase("'s' @x \"q\":x 1 @x $1:x", "String 's'|Operator @|Word x|QuotedIdentifier \"q\"|Punctuation :|Word x|Number 1|Operator @|Word x|Parameter $1|Punctuation :|Word x")]
    [TestCase("f()@x a[1] :x", "Word f|Punctuation (|Punctuation )|Operator @|Word x|Word a|Punctuation [|Number 1|Punctuation ]|Punctuation :|Word x")]
    [TestCase("@x @x", "Placeholder @x|Operator @|Word x")]
    [TestCase("@@x a@@@x @-@x", "Operator @@|Word x|Word a|Operator @@@|Word x|Operator @-@|Word x")]
    [TestCase("::x :::x", "Operator ::|Word x|Operator ::|Punctuation :|Word x")]
    [TestCase("@e'\\'' :E'\\'' @b'1' @n'a' @u&'a' @u&\"a\"", "Operator @|String e'\\''|Punctuation :|String E'\\''|Operator @|String b'1'|Operator @|String n'a'"
        + "|Operator @|String u&'a'|Operator @|QuotedIdentifier u&\"a\"")]
    [TestCase("@1.5 @-1 @.5 @ x : x", "Operator @|Number 1.5|Operator @-|Number 1|Operator @|Number .5|Operator @|Word x|Punctuation :|Word x")]
    [TestCase("$@x$$", "Unknown $|Operator @|Word x$$", TestName = "Behind_a_lone_dollar_a_rewritten_name_would_open_a_quote")]
    public void What_only_looks_like_a_placeholder(string text, string tokens) => Check(text, tokens);

    [TestCase("'abc")]
    [TestCase("'abc''")]
    [TestCase("E'abc\\")]
    [TestCase("E'abc\\'")]
    [TestCase("U&'abc")]
    [TestCase("\"abc\"\"")]
    [TestCase("$$abc$")]
    [TestCase("$tag$abc$tag")]
    public void What_is_not_terminated_reaches_to_the_end(string unterminated)
    {
        var text = $"a {unterminated}";

        var tokens = Lex(text, standardConformingStrings: true);

        Assert.That(tokens, Has.Count.EqualTo(2));
        Assert.That(tokens[1].End, Is.EqualTo(text.Length));
    }

    [TestCase("a /* b")]
    [TestCase("a /* b */* c")]
    [TestCase("a /* /* b */")]
    [TestCase("a /*")]
    [TestCase("a /*/")]
    [TestCase("a --")]
    [TestCase("a -- b")]
    public void A_comment_that_is_not_terminated_reaches_to_the_end(string text) =>
        Assert.That(Lex(text, standardConformingStrings: true)[0], Is.EqualTo(new SqlToken(SqlTokenKind.Word, 0, 1)));

    [TestCase("/*")]
    [TestCase("/* a")]
    [TestCase("/* /* a */ ; b")]
    public void A_block_comment_that_is_not_terminated_is_no_blank_since_the_server_refuses_it(string comment) =>
        Assert.That(
            Lex("a ; " + comment, standardConformingStrings: true)[^1], Is.EqualTo(new SqlToken(SqlTokenKind.Unknown, 4, comment.Length)));

    [Test]
    public void The_end_of_the_text_can_be_read_again()
    {
        var lexer = new SqlLexer("a ", standardConformingStrings: true);
        lexer.TryRead(out _);

        Assert.That(lexer.TryRead(out var end), Is.False);
        Assert.That(end, Is.EqualTo(new SqlToken(SqlTokenKind.None, 2, 0)));
        Assert.That(lexer.TryRead(out _), Is.False);
    }

    [Test]
    public void Reading_tokens_allocates_nothing()
    {
        const string Text = "SELECT 'a' || E'\\'' || $$x$$ || @x::text AS \"b\" -- c\n FROM t WHERE a[1:2] <@ :y AND n > 1.5e3 /* d */;";
        CountTokens(Text);
        var before = GC.GetAllocatedBytesForCurrentThread();

        var count = CountTokens(Text);

        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.Zero);
        Assert.That(count, Is.EqualTo(28));
    }

    private static int CountTokens(string text)
    {
        var count = 0;
        var lexer = new SqlLexer(text, standardConformingStrings: true);
        while (lexer.TryRead(out _))
            count++;
        return count;
    }

    internal static List<SqlToken> Lex(string text, bool standardConformingStrings)
    {
        var tokens = new List<SqlToken>();
        var lexer = new SqlLexer(text, standardConformingStrings);
        while (lexer.TryRead(out var token))
            tokens.Add(token);
        return tokens;
    }

    private static void Check(string text, string expected, bool standardConformingStrings = true)
    {
        var tokens = Lex(text, standardConformingStrings);

        var found = string.Join('|', tokens.Select(token => $"{token.Kind} {text.Substring(token.Start, token.Length)}"));
        Assert.That(found, Is.EqualTo(expected));
    }
}
