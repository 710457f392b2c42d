namespace Loxo.IntegrationTests.Sql;

// The values of a text: each is an operand, written in one of many notations.
internal sealed partial class TrickyTexts
{
    private static readonly string[] _lineComment = ["'", "\"", "@a", ":b", ";", "/*", "*/", "$$", "$1", "\\", "E'", " ", "é", "--"];
    private static readonly string[] _blockComment = ["'", "\"", "@a", ":b", ";", "$$", "$1", "\\", "E'", " ", "é", "--", "\n", "* ", "/ ", "$a$"];
    private static readonly string[] _plainString = ["''", "\"", "@a", ":b", ";", "$$", "$1", "--", "/*", "*/", "é", "\n", "\\", "$a$", "x", "::", "?"];
    private static readonly string[] _escapedString = ["''", "\\'", "\\\\", "\\n", "\\x41", "\\101", "\\u00e9", "@a", ":b", ";", "$$", "--", "/*", "\"", "é", "x"];
    private static readonly string[] _unicodeString = ["''", "\\\\", "\\0041", "\\+00e9b0", "@a", ":b", ";", "$$", "--", "/*", "\"", "é", "x"];
    private static readonly string[] _quotedName = ["\"\"", "'", "@a", ":b", ";", "$$", "--", "/*", "*/", "\\", "é", "x", "E'"];
    private static readonly string[] _dollarString = ["'", "\"", "@a", ":b", ";", "$", "$$", "$1", "$a$", "--", "/*", "\\", "é", "\n", "x"];
    private static readonly string[] _tags = ["", "a", "_x", "é", "A1"];
    private static readonly string[] _integers = ["1", "2", "10", "'5'::int", "(@ 5)", "(@(-5))", "(@5)", "(- 3)", "(-3)", "(ARRAY[4,5,6])[2]", "int '4'"];

    private static readonly string[] _numbers =
        ["1.", ".5", "1.5", "1e2", "1E+2", "1.5e-3", "0x1F", "0b11", "0o17", "1_000", "1e2::text", "1::text", "2.5::int", "10.::int", ".5::text"];

    private static readonly string[] _truths =
    [
        "ARRAY[1] <@ ARRAY[1,2]", "ARRAY[1]<@ARRAY[1,2]", "'{\"a\":1}'::jsonb ? 'a'", "'{\"a\":1}'::jsonb ?| ARRAY['a','@b']", "'{\"a\":1}'::jsonb?&ARRAY['a']",
        "'{\"a\":1}'::jsonb @? '$.a'", "'{\"a\":1}'::jsonb @@ '$.a == 1'", "'{\"a\":1}'::jsonb @> '{\"a\":1}'", "'x' !~* 'y'", "'x' ~~ '_'", "2 = - -2",
        "point '(1,2)' <@ box '((0,0),(3,3))'", "point '(1,2)'<@box '((0,0),(3,3))'", "5 <> -5", "1!=-1", "'a b'::tsvector @@ 'a'::tsquery", "1=+1",
    ];

    private void Int(int depth)
    {
        switch (random.Next(depth > 0 ? 10 : 4))
        {
            case 0:
            case 1:
            case 2:
                Placeholder(Integers);
                break;
            case 3:
                Write(Pick(_integers));
                break;
            case 4:
                Int(depth - 1);
                Infix(Pick("+", "-", "*"));
                Int(depth - 1);
                break;
            case 5:
                Call(Pick("abs", "coalesce", ""), () => Int(depth - 1));
                break;
            case 6:
                Call("length", () => TextValue(depth - 1));
                break;
            case 7:
                Write("CASE WHEN ");
                Bool(depth - 1);
                Write(" THEN ");
                Int(depth - 1);
                Write("/**/ELSE ");
                Int(depth - 1);
                Write(" END");
                break;
            case 8:
                Placeholder(Integers);
                Gaps(mostly: false);
                Write("::");
                Gaps(mostly: false);
                Write("text::int");
                break;
            default:
                Write("(SELECT ");
                Int(depth - 1);
                Write(" + text FROM (SELECT 2 AS text) a)");
                break;
        }
    }

    private void TextValue(int depth)
    {
        switch (random.Next(depth > 0 ? 12 : 6))
        {
            case 0:
                Placeholder(Strings);
                break;
            case 1:
            case 2:
            case 3:
            case 4:
            case 5:
                Write(Quoted());
                break;
            case 6:
                TextValue(depth - 1);
                Infix("||");
                TextValue(depth - 1);
                break;
            case 7:
                Call("", () => Int(depth - 1));
                Write("::text");
                break;
            case 8:
                Write(Pick("'{\"@a\": \":b\"}'::json->>'@a'", "json'{\":b\":{\"a\":1}}'#>>'{:b,a}'", "(json '{\"a\":\"@s\"}' -> 'a')::text"));
                break;
            case 9:
                var name = QuotedName();
                Write($"(SELECT x.{name} FROM (SELECT 'q;' AS {name}) x)");
                break;
            case 10:
                Slice();
                break;
            default:
                Write("make_interval(days" + Pick(":=", " := ", "=>", " => "));
                Placeholder(Integers);
                Write(")::text");
                break;
        }
    }

    private void Bool(int depth)
    {
        if (depth == 0 || random.Next(3) == 0)
        {
            Write(Pick(_truths));
            return;
        }
        Int(depth - 1);
        if (random.Next(4) == 0)
        {
            Write(" IN(");
            Int(depth - 1);
            Write(",");
            Placeholder(Integers);
            Write(")");
            return;
        }
        Infix(Pick("=", "<", ">", "<=", ">=", "<>", "!="));
        Int(depth - 1);
    }

    private void Slice()
    {
        var form = random.Next(4);
        Write(form == 1 ? "(SELECT (ARRAY['p','q','r'])[" : "(ARRAY['p','q','r'])[");
        switch (form)
        {
            case 0:
                Write("1:2]::text");
                break;
            case 1:
                Write(Pick("a:b", "a :2", "1:b", "(ARRAY[1])[1]:b", "abs(1):b") + "]::text FROM (SELECT 1 AS a, 2 AS b) t)");
                break;
            case 2:
                Placeholder(Integers);
                Write("-6:3]::text");
                break;
            default:
                Write("1: ");
                Placeholder(Integers);
                Write("]::text");
                break;
        }
    }

    private void Infix(string sign)
    {
        Gaps(mostly: false);
        Write(sign);
        if (random.Next(2) == 0)
            Write(Pick(" ", "\n", " /* @a */ ", "\t"));
    }

    private void Call(string function, Action argument)
    {
        Write(function + "(");
        Gaps(mostly: false);
        argument();
        Gaps(mostly: false);
        Write(")");
    }

    private void Number() => Write(Pick(_numbers));

    private string Name() => random.Next(4) switch
    {
        0 => Pick("a$b", "é1", "_x", "b", "s$$", "größe"),
        1 when isConforming => "U&\"d\\0061t" + Pick("", "@a", ";") + "\"",
        2 when isConforming => "U&\"d!0061t\" UESCAPE '!'",
        _ => QuotedName(),
    };

    private string QuotedName() => $"\"x{Pieces(_quotedName, 4)}\"";

    private string Quoted() => random.Next(10) switch
    {
        0 => $"{Pick("E", "e")}'{Pieces(_escapedString, 5)}'",
        1 => DollarQuoted(Pieces(_dollarString, 5)),
        2 when isConforming => Pick("'\\'", "'a\\'") + "::text",
        3 when isConforming => $"U&'{Pieces(_unicodeString, 5)}'",
        4 when isConforming => $"u&'{Pieces(["''", "!0041", "!!", "@a", ";", "\\"], 4)}'{Pick(" ", "\n")}UESCAPE '!'",
        5 => $"{Pick("N", "n")}'{Plain(4)}'::text",
        6 => Pick("B'101'::text", "x'1F'::text", "b''::text", "X'1'\n'F'::text"),
        7 => $"'{Plain(3)}'{Pick("\n", " \n ", " -- '\n", "\r\n", "\r")}'{Plain(3)}'::text",
        _ => $"'{Plain(5)}'::text",
    };

    private string Plain(int most) => Pieces(isConforming ? _plainString : _escapedString, most);

    private string DollarQuoted(string content)
    {
        var delimiter = $"${Pick(_tags)}$";
        // A content that ends the quote too early gets another.
        return (content + delimiter).IndexOf(delimiter, StringComparison.Ordinal) == content.Length
            ? delimiter + content + delimiter
            : $"$other${content}$other$";
    }
}
