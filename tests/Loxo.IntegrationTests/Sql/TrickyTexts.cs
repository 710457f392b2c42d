using System.Text;

namespace Loxo.IntegrationTests.Sql;

/// <summary>A text with placeholders, and the same text with literals in their place.</summary>
/// <param name="Text">For the driver, with <see cref="TrickyTexts.Parameters"/>.</param>
/// <param name="Plain">For the server alone.</param>
internal sealed record TrickyText(string Text, string Plain);

/// <summary>
/// Makes valid texts from tokens that are hard to tell apart. Placeholders stand where an operand is due; whatever looks like one, or like the
/// end of a statement, stands in quotes and comments, too.
/// </summary>
/// <param name="random">Chooses.</param>
/// <param name="isConforming">The server's standard_conforming_strings.</param>
internal sealed partial class TrickyTexts(Random random, bool isConforming)
{
    private const string Nasty = "it's \\ -- $$ @a /* ; :b";

    private static readonly TrickyParameter[] Integers =
        [Integer("a", 7), Integer("b", 11), Integer("text", 99), Integer("größe", 3), Integer("0", 5), Integer("x$1", 13), Integer("_1e", 2)];

    private static readonly TrickyParameter[] Strings = [Text("s", Nasty), Text("S2", "plain"), Text("e", "'")];

    private readonly StringBuilder _text = new();
    private readonly StringBuilder _plain = new();

    /// <summary>All parameters; a text has placeholders for some of them.</summary>
    public static IEnumerable<TrickyParameter> Parameters => Integers.Concat(Strings);

    /// <summary>The next text, of one statement or several.</summary>
    public TrickyText Next()
    {
        _text.Clear();
        _plain.Clear();
        var statements = random.Next(3) == 0 ? random.Next(2, 5) : 1;
        for (var i = 0; i < statements; i++)
        {
            Gaps(mostly: false);
            Statement();
            Gaps(mostly: false);
            if (i < statements - 1 || random.Next(4) == 0)
                Write(";");
        }
        Gaps(mostly: false);
        return new TrickyText(_text.ToString(), _plain.ToString());
    }

    /// <summary>The text with a few characters more or less, so that quotes and comments end elsewhere.</summary>
    public string Damage(string text)
    {
        var damaged = new StringBuilder(text);
        for (var edits = random.Next(3); edits > 0 && damaged.Length > 0; edits--)
        {
            var at = random.Next(damaged.Length);
            if (random.Next(2) == 0)
                damaged.Remove(at, 1);
            else
                damaged.Insert(at, Pick("'", "\"", "\\", "$", "$$", "-", "/", "*", "/*", "*/", ";", "(", ")", "E", "U&", "@", ":", "\n", "\r", "é", "1", "_"));
        }
        return damaged.ToString();
    }

    private static TrickyParameter Integer(string name, int value) => new(name, value, $"({value})");

    // No cast, which would give its name to the column.
    private static TrickyParameter Text(string name, string value) => new(
        name, value, $"(E'{value.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("'", "''", StringComparison.Ordinal)}' || '')");

    private void Statement()
    {
        switch (random.Next(20))
        {
            case 0:
                Write("DO ");
                Write(DollarQuoted("BEGIN PERFORM 1; /* @a ' */ PERFORM 'x;:b'; -- $1 \"\n END"));
                break;
            case 1:
                Write("CREATE OR REPLACE FUNCTION pg_temp.tricky() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1;");
                Gaps();
                Write("SELECT CASE WHEN ';' = '@a' THEN 2 ELSE 3 END; END");
                break;
            case 2:
                Write("CREATE OR REPLACE RULE tricky AS ON INSERT TO tricky DO ALSO (SELECT ';)' AS x; SELECT 2)");
                break;
            case 3:
                Write("VALUES");
                Gaps();
                Write("(");
                Items(names: false);
                Write(")");
                break;
            case 4:
                Write("WITH");
                Gaps();
                Write("q AS (SELECT");
                Gaps();
                TextValue(2);
                Write(" AS c) SELECT c FROM q");
                break;
            default:
                Write("SELECT");
                Gaps();
                Items(names: true);
                break;
        }
    }

    private void Items(bool names)
    {
        var count = random.Next(1, 4);
        for (var i = 0; i < count; i++)
        {
            if (i > 0)
            {
                Gaps(mostly: false);
                Write(",");
                Gaps(mostly: false);
            }
            Item();
            if (!names || random.Next(3) > 0)
                continue;
            Gaps();
            Write("AS");
            Gaps();
            Write(Name());
        }
    }

    private void Item()
    {
        switch (random.Next(5))
        {
            case 0:
                Int(3);
                break;
            case 1:
                Bool(3);
                break;
            case 2:
                Number();
                break;
            default:
                TextValue(3);
                break;
        }
    }

    private void Placeholder(TrickyParameter[] among)
    {
        var parameter = Pick(among);
        var name = random.Next(4) == 0 ? parameter.Name.ToUpperInvariant() : parameter.Name;
        _text.Append(random.Next(2) == 0 ? '@' : ':').Append(name);
        _plain.Append(parameter.Literal);
    }

    private void Write(string both)
    {
        _text.Append(both);
        _plain.Append(both);
    }

    // Blanks and comments; nothing at all now and then unless they are needed.
    private void Gaps(bool mostly = true)
    {
        if (!mostly && random.Next(2) == 0)
            return;
        for (var i = random.Next(1, 3); i > 0; i--)
            Write(Gap());
    }

    private string Gap() => random.Next(9) switch
    {
        0 => "\n",
        1 => "\t",
        2 => "\r\n",
        3 => $" --{Pieces(_lineComment, 4)}{Pick("\n", "\r", "\r\n")}",
        4 => BlockComment(2),
        _ => " ",
    };

    private string BlockComment(int depth)
    {
        var inside = new StringBuilder();
        for (var i = random.Next(4); i > 0; i--)
            inside.Append(depth > 0 && random.Next(5) == 0 ? BlockComment(depth - 1) : Pick(_blockComment));
        return $"/*{inside}*/";
    }

    private string Pieces(string[] among, int most)
    {
        var pieces = new StringBuilder();
        for (var i = random.Next(most + 1); i > 0; i--)
            pieces.Append(Pick(among));
        return pieces.ToString();
    }

    private T Pick<T>(params T[] among) => among[random.Next(among.Length)];
}

/// <summary>A parameter of the texts.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Value">Its value.</param>
/// <param name="Literal">The value as the server reads it, whatever stands before and behind it.</param>
internal sealed record TrickyParameter(string Name, object Value, string Literal);
