namespace Loxo.Types;

internal static class TypeNames
{
    private const string Schema = "pg_catalog.";

    /// <summary>The type as SQL writes it with its modifier (format_type.c): "timestamp(3) with time zone", "numeric(10,2)[]".</summary>
    public static string Format(TypeEntry type, int modifier)
    {
        if (type.Element is { } element)
            return Format(element, modifier) + "[]";
        var facets = TypeFacets.Of(type, modifier);
        if (facets.Fields is { } fields)
            return Precise(type.DisplayName + " " + fields, facets.Precision);
        if (facets.Length is { } length)
            return string.Create(CultureInfo.InvariantCulture, $"{type.DisplayName}({length})");
        if (facets is { Precision: { } precision, Scale: { } scale } && type.Name == "numeric")
            return string.Create(CultureInfo.InvariantCulture, $"{type.DisplayName}({precision},{scale})");
        return Precise(type.DisplayName, facets.Precision);
    }

    /// <summary>Under which names, in the form of <see cref="Normalize"/>, a type is found.</summary>
    public static IEnumerable<KeyValuePair<string, TypeEntry>> NamesOf(TypeEntry type)
    {
        IEnumerable<string> names = type.Element is { } element
            ? [type.Name, .. ScalarNamesOf(element).Select(name => name + "[]")]
            : ScalarNamesOf(type);
        return names.Distinct().Select(name => KeyValuePair.Create(name, type));
    }

    /// <summary>A name without its schema pg_catalog, modifiers, quotes, capitals and superfluous blanks.</summary>
    public static string Normalize(string name)
    {
        var normal = new StringBuilder(name.Length);
        var parentheses = 0;
        var isQuoted = false;
        foreach (var character in name.Trim())
        {
            isQuoted ^= character == '"';
            if (isQuoted || character == '"')
                normal.Append(character);
            else if (character is '(' or ')')
                parentheses += character == '(' ? 1 : -1;
            else if (parentheses == 0 && !(char.IsWhiteSpace(character) && normal is [.., ' ']))
                normal.Append(char.IsWhiteSpace(character) ? ' ' : char.ToLowerInvariant(character));
        }
        // What a modifier leaves behind: "timestamp (3) with" has two blanks, "numeric (10) []" one too many.
        return Unqualified(normal.Replace("  ", " ").Replace(" [", "[").ToString().TrimEnd());
    }

    private static string Unqualified(string name)
    {
        if (name.StartsWith(Schema, StringComparison.Ordinal))
            name = name[Schema.Length..];
        else if (name.StartsWith("\"pg_catalog\".", StringComparison.Ordinal))
            name = name["\"pg_catalog\".".Length..];
        // "char" is the one built-in type whose quotes tell it from another.
        if (!name.StartsWith("\"char\"", StringComparison.Ordinal))
            name = name.Replace("\"", "", StringComparison.Ordinal);
        // The server takes any number of dimensions for the same type.
        while (name.EndsWith("[][]", StringComparison.Ordinal))
            name = name[..^2];
        return name;
    }

    private static IEnumerable<string> ScalarNamesOf(TypeEntry type) => type.Name switch
    {
        "char" => [type.DisplayName],
        "bpchar" => [type.Name, type.DisplayName, "char"],
        "varchar" => [type.Name, type.DisplayName, "char varying"],
        "int4" => [type.Name, type.DisplayName, "int"],
        "float8" => [type.Name, type.DisplayName, "float"],
        "numeric" => [type.Name, "decimal", "dec"],
        _ => [type.Name, type.DisplayName],
    };

    // The precision of dates and times stands behind the first word of a name of several.
    private static string Precise(string name, int? precision)
    {
        if (precision is not { } digits)
            return name;
        var text = string.Create(CultureInfo.InvariantCulture, $"({digits})");
        var isTimeOrTimestamp = name.StartsWith("time", StringComparison.Ordinal);
        var end = isTimeOrTimestamp ? name.IndexOf(' ', StringComparison.Ordinal) : name.Length;
        return name.Insert(end, text);
    }
}
