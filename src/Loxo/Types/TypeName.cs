namespace Loxo.Types;

/// <summary>A type's name taken apart: what is folded to lower case is folded, quotes are gone.</summary>
/// <param name="Schema">Null when it is left to the search path.</param>
/// <param name="Name">As in pg_type.typname, for an array that of its elements.</param>
/// <param name="IsArray">Whether brackets followed.</param>
internal readonly record struct TypeName(string? Schema, string Name, bool IsArray = false)
{
    /// <summary>Reads a name as SQL does: <c>mood</c>, <c>"My Schema".Mood[]</c>, <c>vector(3)</c>; takes anything else as it is.</summary>
    public static TypeName Parse(string text)
    {
        var rest = text.AsSpan().Trim();
        var isArray = false;
        while (rest is [.., ']'] && rest.LastIndexOf('[') is > 0 and var bracket)
        {
            isArray = true;
            rest = rest[..bracket].TrimEnd();
        }
        var first = TakePart(ref rest);
        if (rest is not ['.', ..])
            return new TypeName(null, first, isArray);
        rest = rest[1..];
        return new TypeName(first, TakePart(ref rest), isArray);
    }

    /// <summary>As SQL writes it, quoted where it must be.</summary>
    public override string ToString() => (Schema is null ? "" : Quote(Schema) + ".") + Quote(Name) + (IsArray ? "[]" : "");

    // Up to a dot, or to the parenthesis of a modifier.
    private static string TakePart(ref ReadOnlySpan<char> rest)
    {
        rest = rest.TrimStart();
        var name = new StringBuilder();
        var isQuoted = false;
        var i = 0;
        for (; i < rest.Length; i++)
        {
            var character = rest[i];
            if (character == '"')
            {
                if (isQuoted && i + 1 < rest.Length && rest[i + 1] == '"')
                    name.Append(rest[i++]);
                else
                    isQuoted = !isQuoted;
            }
            else if (!isQuoted && character is '.' or '(')
            {
                break;
            }
            else
            {
                name.Append(isQuoted ? character : char.ToLowerInvariant(character));
            }
        }
        rest = rest[i..];
        return name.ToString().TrimEnd();
    }

    private static string Quote(string name) =>
        name.Length > 0 && !char.IsAsciiDigit(name[0]) && name
        .All(character => char.IsAsciiLetterLower(character) || char.IsAsciiDigit(character) || character == '_')
            ? name
            : $"\"{name.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";
}
