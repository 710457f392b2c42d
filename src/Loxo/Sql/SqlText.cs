namespace Loxo.Sql;

/// <summary>One command text, lexed once: its statements in order. Immutable but for what it and its statements remember.</summary>
internal sealed class SqlText
{
    private readonly SqlStatement[] _statements;

    private SqlText(string text, SqlStatement[] statements) => (Text, _statements) = (text, statements);

    public string Text { get; }

    /// <summary>At least one: when all are nothing but whitespace and comments, the first stays, and gets EmptyQueryResponse.</summary>
    public ReadOnlySpan<SqlStatement> Statements => _statements;

    /// <summary>What the text last came to with parameters, kept for whoever runs it; null before the first run.</summary>
    public object? Plans { get; set; }

    internal int Weight
    {
        get
        {
            var weight = Text.Length;
            foreach (var statement in _statements)
                weight += statement.Weight;
            return weight;
        }
    }

    /// <summary>With <paramref name="splitAndReplace"/> off, as for positional parameters, the text is one statement as it is.</summary>
    public static SqlText Lex(string text, bool standardConformingStrings, bool splitAndReplace = true)
    {
        var statements = SqlSplitter.Split(text, standardConformingStrings);
        if (splitAndReplace)
            return new SqlText(text, statements);
        // The server refuses several statements in one, or a pooler before it may not.
        var verdict = statements.Length == 1 ? statements[0].Verdict : new SqlVerdict(SqlChanges.All);
        return new SqlText(text, [SqlStatement.Verbatim(text, verdict)]);
    }
}
