using System;
using System.Linq;

namespace Loxo.Migration;

/// <summary>A keyword of connection strings that Loxo refuses, or one value of it.</summary>
internal sealed class RefusedKeyword
{
    private RefusedKeyword(string keyword, string? value, string reason) => (Keyword, Value, Reason) = (keyword, value, reason);

    /// <summary>The keyword as the documentation spells it.</summary>
    public string Keyword { get; }

    /// <summary>The value that is refused; null for every value.</summary>
    public string? Value { get; }

    public string Reason { get; }

    /// <summary>
    /// Reads a row's first cell, such as <c>`Require Auth=GSS`</c>, or <c>`Encoding=...`</c> for every value; null for the head.
    /// </summary>
    public static RefusedKeyword? TryParse(string cell, string reason)
    {
        if (!cell.StartsWith("`", StringComparison.Ordinal))
            return null;
        var parts = cell.Trim('`').Split('=');
        return new(parts[0], parts[1] == "..." ? null : parts[1], reason);
    }

    /// <summary>
    /// Whether a keyword with a value is refused. Case and spaces in keywords do not matter, as Npgsql accepts the property's name.
    /// </summary>
    public bool Refuses(string keyword, string value) => Plain(keyword) == Plain(Keyword)
        && (Value is null || string.Equals(value.Trim(), Value, StringComparison.OrdinalIgnoreCase));

    /// <summary>Whether a property of NpgsqlConnectionStringBuilder is the keyword's.</summary>
    public bool IsOf(string property) => Plain(property) == Plain(Keyword);

    private static string Plain(string keyword) => new([.. keyword.Where(c => c != ' ').Select(char.ToLowerInvariant)]);
}
