namespace Loxo.Tools.SqlStates;

/// <summary>One line of errcodes.txt.</summary>
/// <param name="Code">The five characters.</param>
/// <param name="Name">The constant's name.</param>
/// <param name="Condition">The condition name of the manual's appendix A and of PL/pgSQL.</param>
/// <param name="Class">The heading it stands under, such as "Class 22 - Data Exception".</param>
internal sealed record ErrorCode(string Code, string Name, string Condition, string Class);

/// <summary>Reads the server's errcodes.txt; the file's own header describes its format.</summary>
internal static class ErrorCodeList
{
    // The list has one condition name in several classes; the C macro's prefix says which class is meant.
    private static readonly (string MacroPrefix, string Suffix)[] AmbiguousClasses =
    [
        ("ERRCODE_WARNING_", "Warning"),
        ("ERRCODE_S_R_E_", "SqlRoutineException"),
        ("ERRCODE_E_R_E_", "ExternalRoutineException"),
        ("ERRCODE_E_R_I_E_", "ExternalRoutineInvocationException"),
    ];

    private static readonly Dictionary<string, string> CompoundWords = new(StringComparer.Ordinal)
    {
        ["sqlclient"] = "SqlClient",
        ["sqlserver"] = "SqlServer",
        ["sqlconnection"] = "SqlConnection",
    };

    public static List<ErrorCode> Parse(IEnumerable<string> lines)
    {
        const string section = "Section:";
        var codes = new List<ErrorCode>();
        var currentClass = "";
        foreach (var line in lines)
        {
            if (line.StartsWith(section, StringComparison.Ordinal))
                currentClass = line[section.Length..].Trim();
            else if (!line.StartsWith('#') && line.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries) is [var code, _, var macro, var condition])
                codes.Add(new ErrorCode(code, NameOf(macro, condition), condition, currentClass));
            // A line of three fields is a second macro for the same code.
        }
        return codes;
    }

    /// <summary>The first list, plus what only later ones have, each at the end of its class or, for a class of its own, by the class's code.</summary>
    public static List<ErrorCode> Merge(IEnumerable<List<ErrorCode>> newestFirst)
    {
        var merged = new List<ErrorCode>();
        foreach (var code in newestFirst.SelectMany(list => list))
        {
            if (merged.Exists(known => known.Code == code.Code))
                continue;
            var sameClassEnd = merged.FindLastIndex(known => known.Code[..2] == code.Code[..2]);
            var before = sameClassEnd >= 0 ? sameClassEnd : merged.FindLastIndex(known => string.CompareOrdinal(known.Code, code.Code) < 0);
            merged.Insert(before + 1, code);
        }
        return merged;
    }

    private static string NameOf(string macro, string condition)
    {
        var suffix = AmbiguousClasses.FirstOrDefault(entry => macro.StartsWith(entry.MacroPrefix, StringComparison.Ordinal)).Suffix;
        return string.Concat(condition.Split('_').Select(Capitalize)) + suffix;
    }

    private static string Capitalize(string word) =>
        CompoundWords.TryGetValue(word, out var compound) ? compound : char.ToUpperInvariant(word[0]) + word[1..];
}
