using System.Text.RegularExpressions;

namespace Loxo.Session;

/// <summary>
/// The statements that ran on a session since it was handed out, and its state before them. Sessions have one under <c>Session
/// Reset=Verify</c> only.
/// </summary>
internal sealed partial class RentalRecord
{
    /// <summary>The number of different statements that are kept. Later ones are counted.</summary>
    public const int MostStatements = 100;

    private const int MostNames = 100;
    private const int MostCharacters = 2000;

    private readonly List<string> _statements = [];
    private readonly HashSet<string> _texts = new(StringComparer.Ordinal);
    private int _omitted;

    /// <summary>The state of the session before the statements; null while the server has not answered.</summary>
    public string?[]? Before { get; set; }

    /// <summary>Keeps a statement that is sent. One that was sent before is not kept again.</summary>
    public void Add(string sql)
    {
        if (_texts.Contains(sql))
            return;
        if (_statements.Count == MostStatements)
        {
            _omitted++;
            return;
        }
        _texts.Add(sql);
        _statements.Add(sql);
    }

    /// <summary>Returns the statements in the order of their first execution, long ones cut, and forgets them.</summary>
    public IReadOnlyList<string> TakeStatements()
    {
        var statements = _statements.ConvertAll(static sql => sql.Length <= MostCharacters ? sql : sql[..MostCharacters] + "...");
        if (_omitted > 0)
            statements.Add($"-- and {_omitted} more executions of other statements");
        _statements.Clear();
        _texts.Clear();
        _omitted = 0;
        return statements;
    }

    /// <summary>Returns all words with a dot in the statements: a custom setting that they name is among them.</summary>
    public static IReadOnlyCollection<string> DottedNames(IReadOnlyList<string> statements)
    {
        var names = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        foreach (var statement in statements)
        {
            foreach (var match in DottedName().EnumerateMatches(statement))
            {
                if (names.Count < MostNames)
                    names.Add(statement.Substring(match.Index, match.Length));
            }
        }
        return names;
    }

    [GeneratedRegex(@"\b[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+\b", RegexOptions.CultureInvariant)]
    private static partial Regex DottedName();
}
