namespace Loxo.Tests.Sql;

/// <summary>
/// One text, the SQL that must go to the server for each of its statements, and the first value that each gives back as text. The pure tests
/// check the SQL; against a server the values show that it reads the text as the lexer did.
/// </summary>
/// <param name="Name">What the text has in it.</param>
/// <param name="Text">The command text.</param>
/// <param name="Statements">SQL and value of each statement; null when it returns no row.</param>
/// <param name="StandardConformingStrings">The server's setting while the text runs.</param>
public sealed record SqlCorpusEntry(string Name, string Text, (string Sql, string? Value)[] Statements, bool StandardConformingStrings = true)
{
    public override string ToString() => StandardConformingStrings ? Name : $"{Name} (standard_conforming_strings off)";
}

/// <summary>Texts that a driver may misread. All parameters are of type text.</summary>
public static class SqlCorpus
{
    /// <summary>The parameters that every text is run with; other names have none.</summary>
    public static readonly IReadOnlyList<(string Name, string Value)> Parameters =
    [
        ("x", "7"),
        ("y", "it's; -- $$ \\ @x"),
        ("größe", "42"),
        ("1", "one"),
    ];

    public static readonly IReadOnlyList<SqlCorpusEntry> Entries =
    [
        // Placeholders
        One("at sign", "SELECT @x::text", "SELECT $1::text", "7"),
        One("colon", "SELECT :x::text", "SELECT $1::text", "7"),
        One("value with everything in it", "SELECT @y::text", "SELECT $1::text", "it's; -- $$ \\ @x"),
        One("same name twice, another case", "SELECT @x::text || :X || @y", "SELECT $1::text || $1 || $2", "77it's; -- $$ \\ @x"),
        One("order of first appearance", "SELECT @y::text || @x || @y", "SELECT $1::text || $2 || $1", "it's; -- $$ \\ @x7it's; -- $$ \\ @x"),
        One("letters beyond ASCII", "SELECT @größe::text", "SELECT $1::text", "42"),
        One("digits", "SELECT @1::text || :1", "SELECT $1::text || $1", "oneone"),
        One("no spaces", "SELECT(1)WHERE'7'=@x", "SELECT(1)WHERE'7'=$1", "1"),
        One("behind comparison operators", "SELECT ('6'<@x)::text||('8'>@x)::text||('7'<=@x)::text||('7'<>@x)::text",
            "SELECT ('6'<$1)::text||('8'>$1)::text||('7'<=$1)::text||('7'<>$1)::text", "truetruetruefalse"),
        One("behind a minus", "SELECT (10-@x::int)::text", "SELECT (10-$1::int)::text", "3"),
        One("before a minus", "SELECT (@x::int-1)::text", "SELECT ($1::int-1)::text", "6"),
        One("two minuses begin a comment", "SELECT '1'--@x\n", "SELECT '1'--@x", "1"),
        One("in a list", "SELECT ('7' IN (@x,:y))::text", "SELECT ('7' IN ($1,$2))::text", "true"),
        One("in an array", "SELECT (ARRAY[:x,@y])[1]::text", "SELECT (ARRAY[$1,$2])[1]::text", "7"),
        One("named argument", "SELECT make_interval(days := @x::int)::text", "SELECT make_interval(days := $1::int)::text", "7 days"),
        One("named argument, no spaces", "SELECT make_interval(days:=:x::int)::text", "SELECT make_interval(days:=$1::int)::text", "7 days"),

        // What looks like a placeholder
        One("cast", "SELECT '5'::text", "SELECT '5'::text", "5"),
        One("cast to a type named like a parameter", "SELECT 'a'::\"char\"::text || @x", "SELECT 'a'::\"char\"::text || $1", "a7"),
        One("slice", "SELECT (ARRAY['a','b','c'])[x:y]::text FROM (SELECT 1 AS x, 2 AS y) t",
            "SELECT (ARRAY['a','b','c'])[x:y]::text FROM (SELECT 1 AS x, 2 AS y) t", "{a,b}"),
        One("slice between parameters", "SELECT (ARRAY['a','b'])[1:@x::int]::text", "SELECT (ARRAY['a','b'])[1:$1::int]::text", "{a,b}"),
        One("slice between colons", "SELECT (ARRAY['a','b'])[1: :x::int]::text", "SELECT (ARRAY['a','b'])[1: $1::int]::text", "{a,b}"),
        One("slice of a call", "SELECT (ARRAY['a','b'])[abs(1):x]::text FROM (SELECT 1 AS x) t",
            "SELECT (ARRAY['a','b'])[abs(1):x]::text FROM (SELECT 1 AS x) t", "{a}"),
        One("contained by, a column of its own", "SELECT (ARRAY[1]<@ids)::text FROM (SELECT ARRAY[1,2] AS ids) t",
            "SELECT (ARRAY[1]<@ids)::text FROM (SELECT ARRAY[1,2] AS ids) t", "true"),
        One("contained by", "SELECT (ARRAY[1] <@ ARRAY[1,2])::text || @x", "SELECT (ARRAY[1] <@ ARRAY[1,2])::text || $1", "true7"),
        One("contains a parameter", "SELECT (ARRAY['7']@>ARRAY[@x])::text", "SELECT (ARRAY['7']@>ARRAY[$1])::text", "true"),
        One("absolute value", "SELECT (@ -5)::text || (@ 6)::text", "SELECT (@ -5)::text || (@ 6)::text", "56"),
        One("absolute value of a decimal", "SELECT (@1.5)::text", "SELECT (@1.5)::text", "1.5"),
        One("text search", "SELECT ('a b'::tsvector@@'a'::tsquery)::text", "SELECT ('a b'::tsvector@@'a'::tsquery)::text", "true"),
        One("text search in a column named like a parameter", "SELECT (v@@x)::text FROM (SELECT 'a'::tsvector AS v, 'a'::tsquery AS x) t",
            "SELECT (v@@x)::text FROM (SELECT 'a'::tsvector AS v, 'a'::tsquery AS x) t", "true"),
        One("length of a path", "SELECT (@-@x)::text FROM (SELECT path '[(0,0),(3,4)]' AS x) t",
            "SELECT (@-@x)::text FROM (SELECT path '[(0,0),(3,4)]' AS x) t", "5"),
        One("jsonpath", "SELECT ('{\"a\":[1,2]}'::jsonb @? '$.a[*] ? (@ > 1)')::text || ('{\"x\":1}'::jsonb?@x)::text",
            "SELECT ('{\"a\":[1,2]}'::jsonb @? '$.a[*] ? (@ > 1)')::text || ('{\"x\":1}'::jsonb?$1)::text", "truefalse"),
        One("json arrows", "SELECT '{\"7\":\"b\"}'::jsonb->>@x", "SELECT '{\"7\":\"b\"}'::jsonb->>$1", "b"),
        One("absolute value of an escape string", "SELECT (@E'\\x35'::int)::text || @x", "SELECT (@E'\\x35'::int)::text || $1", "57"),
        One("dollar in a column's name", "SELECT a$x$ FROM (SELECT @x::text AS a$x$) t", "SELECT a$x$ FROM (SELECT $1::text AS a$x$) t", "7"),

        // Strings
        One("string", "SELECT 'a;@x:x' || @x", "SELECT 'a;@x:x' || $1", "a;@x:x7"),
        One("doubled quote", "SELECT 'a''@x' || @x", "SELECT 'a''@x' || $1", "a'@x7"),
        One("backslash is itself", "SELECT 'a\\' || @x", "SELECT 'a\\' || $1", "a\\7"),
        One("backslash escapes", "SELECT 'a\\'@x' || @x", "SELECT 'a\\'@x' || $1", "a'@x7") with { StandardConformingStrings = false },
        One("backslash before backslash", "SELECT 'a\\\\' || @x", "SELECT 'a\\\\' || $1", "a\\7") with { StandardConformingStrings = false },
        One("escape string", "SELECT E'a\\'@x' || e'\\\\' || @x", "SELECT E'a\\'@x' || e'\\\\' || $1", "a'@x\\7"),
        One("Unicode escapes with own escape", "SELECT U&'\\!0041' UESCAPE '!' || @x", "SELECT U&'\\!0041' UESCAPE '!' || $1", "\\A7"),
        One("bit strings", "SELECT B'01'::text || X'a'::text || @x", "SELECT B'01'::text || X'a'::text || $1", "0110107"),
        One("national string", "SELECT N'a\\'::text || @x", "SELECT N'a\\'::text || $1", "a\\7"),
        One("continued string", "SELECT 'a'\n  'b@x' || @x", "SELECT 'a'\n  'b@x' || $1", "ab@x7"),
        One("continued over a comment", "SELECT 'a' -- 'c'\n 'b@x' || @x", "SELECT 'a' -- 'c'\n 'b@x' || $1", "ab@x7"),
        One("continued escape string", "SELECT E'a'\n'\\'@x' || @x", "SELECT E'a'\n'\\'@x' || $1", "a'@x7"),
        One("continued plain string", "SELECT 'a'\n'\\' || @x", "SELECT 'a'\n'\\' || $1", "a\\7"),
        One("dollar quotes", "SELECT $$'@x;$1$$ || @x", "SELECT $$'@x;$1$$ || $1", "'@x;$17"),
        One("tagged dollar quotes", "SELECT $a$ $$ $b$ @x; $a$ || @x", "SELECT $a$ $$ $b$ @x; $a$ || $1", " $$ $b$ @x; 7"),
        One("tags differ by case", "SELECT $a$ $A$ @x $a$ || @x", "SELECT $a$ $A$ @x $a$ || $1", " $A$ @x 7"),
        One("tag beyond ASCII", "SELECT $é1$ @x $é1$ || @x", "SELECT $é1$ @x $é1$ || $1", " @x 7"),
        One("dollar quote behind a number", "SELECT 1 WHERE 'a'<$a$b;@x$a$ AND @x='7'", "SELECT 1 WHERE 'a'<$a$b;@x$a$ AND $1='7'", "1"),
        One("quoted identifier", "SELECT \"a;@x\"\"'\" || @x FROM (SELECT 'q' AS \"a;@x\"\"'\") t", "SELECT \"a;@x\"\"'\" || $1 FROM (SELECT 'q' AS \"a;@x\"\"'\") t", "q7"),
        One("Unicode identifier", "SELECT U&\"\\0061;@x\" || @x FROM (SELECT 'q' AS \"a;@x\") t", "SELECT U&\"\\0061;@x\" || $1 FROM (SELECT 'q' AS \"a;@x\") t", "q7"),

        // Comments
        One("line comment", "SELECT 'a' -- @x; '\n || @x", "SELECT 'a' -- @x; '\n || $1", "a7"),
        One("line comment ends at a carriage return", "SELECT 'a' -- @x;\r || @x", "SELECT 'a' -- @x;\r || $1", "a7"),
        One("block comment", "SELECT 'a' /* @x; ' */ || @x", "SELECT 'a' /* @x; ' */ || $1", "a7"),
        One("nested comment", "SELECT 'a' /* /* @x; */ ; ' */ || @x", "SELECT 'a' /* /* @x; */ ; ' */ || $1", "a7"),
        One("comment of slashes and stars", "SELECT 'a' /*/ @x **/ || @x", "SELECT 'a' /*/ @x **/ || $1", "a7"),
        One("comment in an operator", "SELECT 'a' ||/* ; */@x", "SELECT 'a' ||/* ; */$1", "a7"),
        One("comment without spaces", "SELECT/**/@x::text", "SELECT/**/$1::text", "7"),
        One("hint in front", "/*+ SeqScan(t) */ SELECT @x::text", "/*+ SeqScan(t) */ SELECT $1::text", "7"),

        // Statements
        new("two statements", "SELECT @x::text; SELECT @y::text || @x", [("SELECT $1::text", "7"), ("SELECT $1::text || $2", "it's; -- $$ \\ @x7")]),
        new("semicolons to spare", ";; SELECT '1';;\n; SELECT '2' ; -- done;\n", [("SELECT '1'", "1"), ("SELECT '2'", "2")]),
        new("nothing", "", [("", null)]),
        new("only semicolons", " ; ;", [("", null)]),
        new("only a comment", "-- nothing; here", [("-- nothing; here", null)]),
        new("semicolons in quotes", "SELECT ';' AS \"a;b\"; SELECT $$;$$ /* ; */", [("SELECT ';' AS \"a;b\"", ";"), ("SELECT $$;$$ /* ; */", ";")]),
        new("rule with several commands",
            "CREATE TEMP TABLE loxo_r (a text); CREATE RULE r AS ON UPDATE TO loxo_r DO INSTEAD (DELETE FROM loxo_r; INSERT INTO loxo_r VALUES ('z'));"
                + "UPDATE loxo_r SET a = 'b'; SELECT 'done'; DROP TABLE loxo_r",
            [
                ("CREATE TEMP TABLE loxo_r (a text)", null),
                ("CREATE RULE r AS ON UPDATE TO loxo_r DO INSTEAD (DELETE FROM loxo_r; INSERT INTO loxo_r VALUES ('z'))", null),
                ("UPDATE loxo_r SET a = 'b'", null),
                ("SELECT 'done'", "done"),
                ("DROP TABLE loxo_r", null),
            ]),
        new("function with a standard body",
            "CREATE OR REPLACE FUNCTION pg_temp.loxo_f(a int) RETURNS text LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT CASE WHEN a > 0 THEN 'p' ELSE 'n' END; END;"
                + " SELECT pg_temp.loxo_f(@x::int)",
            [
                ("CREATE OR REPLACE FUNCTION pg_temp.loxo_f(a int) RETURNS text LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT CASE WHEN a > 0 THEN 'p' ELSE 'n' END; END", null),
                ("SELECT pg_temp.loxo_f($1::int)", "p"),
            ]),
        new("keywords as names in a standard body",
            "CREATE FUNCTION pg_temp.loxo_g() RETURNS text LANGUAGE sql BEGIN ATOMIC SELECT 1 AS end; SELECT t.case FROM (SELECT 'q'::text AS case) t; END; SELECT pg_temp.loxo_g()",
            [
                ("CREATE FUNCTION pg_temp.loxo_g() RETURNS text LANGUAGE sql BEGIN ATOMIC SELECT 1 AS end; SELECT t.case FROM (SELECT 'q'::text AS case) t; END", null),
                ("SELECT pg_temp.loxo_g()", "q"),
            ]),
        new("function with a quoted body",
            "CREATE FUNCTION pg_temp.loxo_h() RETURNS text LANGUAGE plpgsql AS $f$ BEGIN PERFORM 1; RETURN ':x;'; END $f$; SELECT pg_temp.loxo_h()",
            [
                ("CREATE FUNCTION pg_temp.loxo_h() RETURNS text LANGUAGE plpgsql AS $f$ BEGIN PERFORM 1; RETURN ':x;'; END $f$", null),
                ("SELECT pg_temp.loxo_h()", ":x;"),
            ]),
        new("transaction", "BEGIN; SELECT @x::text; END", [("BEGIN", null), ("SELECT $1::text", "7"), ("END", null)]),
    ];

    private static SqlCorpusEntry One(string name, string text, string sql, string? value) => new(name, text, [(sql, value)]);
}
