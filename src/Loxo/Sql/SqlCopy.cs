namespace Loxo.Sql;

/// <summary>A COPY statement: what is copied, in which direction, and whether through the client.</summary>
/// <param name="IsFrom">COPY FROM, which writes a table; otherwise COPY TO.</param>
/// <param name="IsClient">STDIN or STDOUT, not a file or program on the server.</param>
/// <param name="Table">The table as it is written; null for a query.</param>
/// <param name="Columns">The columns as the catalogue has them; empty when the statement names none.</param>
/// <param name="Query">The query between the parentheses of <c>COPY (query) TO</c>; null for a table.</param>
internal sealed record SqlCopy(bool IsFrom, bool IsClient, string? Table, IReadOnlyList<string> Columns, string? Query)
{
    /// <summary>Reads a statement; null if it is no COPY, or one that the server will refuse.</summary>
    public static SqlCopy? Parse(string sql, bool standardConformingStrings)
    {
        var scanner = new Scanner(new SqlLexer(sql, standardConformingStrings));
        scanner.Next();
        return scanner.IsWord("copy") ? scanner.Read(sql) : null;
    }

    /// <summary>Whether a text begins as COPY does.</summary>
    public static bool IsCopy(string sql, bool standardConformingStrings)
    {
        var lexer = new SqlLexer(sql, standardConformingStrings);
        return lexer.TryRead(out var first) && SqlWords.IsUnquoted(first.Kind, lexer.TextOf(first), "copy");
    }

    /// <summary>
    /// Whether a statement is COPY FROM STDIN or COPY TO STDOUT, or may be: <see cref="Parse"/> does not read names with escapes.
    /// </summary>
    public static bool MayGoThroughClient(string sql, bool standardConformingStrings)
    {
        if (Parse(sql, standardConformingStrings) is { } copy)
            return copy.IsClient;
        var scanner = new Scanner(new SqlLexer(sql, standardConformingStrings));
        var isCopy = scanner.Next() && scanner.IsWord("copy");
        while (isCopy && scanner.Next())
        {
            if (scanner.IsWord("stdin") || scanner.IsWord("stdout"))
                return true;
        }
        return false;
    }

    private ref struct Scanner(SqlLexer lexer)
    {
        private readonly Span<char> _buffer = new char[SqlWords.LongestName];
        private SqlLexer _lexer = lexer;
        private SqlToken _token;

        private readonly ReadOnlySpan<char> Text => _lexer.TextOf(_token);

        public bool Next() => _lexer.TryRead(out _token);

        public readonly bool IsWord(string word) => SqlWords.IsUnquoted(_token.Kind, Text, word);

        public SqlCopy? Read(string sql)
        {
            Next();
            if (IsWord("binary")) // the form before PostgreSQL 7.3
                Next();
            string? table = null, query = null;
            List<string> columns = [];
            if (IsPunctuation('('))
                query = ReadQuery(sql);
            else
                table = ReadTable(sql, columns);
            if ((table ?? query) is null || !(IsWord("from") || IsWord("to")))
                return null;
            var isFrom = IsWord("from");
            Next();
            return new SqlCopy(isFrom, IsWord("stdin") || IsWord("stdout"), table, columns, query);
        }

        private readonly bool IsPunctuation(char c) => _token.Kind == SqlTokenKind.Punctuation && Text[0] == c;

        private string? ReadQuery(string sql)
        {
            var start = _token.End;
            for (var depth = 1; Next();)
            {
                depth += IsPunctuation('(') ? 1 : IsPunctuation(')') ? -1 : 0;
                if (depth > 0)
                    continue;
                var query = sql[start.._token.Start];
                Next();
                return query;
            }
            return null;
        }

        private string? ReadTable(string sql, List<string> columns)
        {
            var (start, end) = (_token.Start, _token.Start);
            while (SqlWords.IsName(_token.Kind))
            {
                end = _token.End;
                Next();
                if (!IsPunctuation('.'))
                    break;
                Next();
            }
            if (end == start)
                return null;
            return !IsPunctuation('(') || TryReadColumns(columns) ? sql[start..end] : null;
        }

        private bool TryReadColumns(List<string> columns)
        {
            while (Next() && SqlWords.IsName(_token.Kind) && !SqlWords.IsEscaped(Text))
            {
                columns.Add(new string(SqlWords.Normalize(Text, _buffer)).Replace("\"\"", "\"", StringComparison.Ordinal));
                Next();
                if (IsPunctuation(')'))
                    return Next();
                if (!IsPunctuation(','))
                    return false;
            }
            return false;
        }
    }
}
