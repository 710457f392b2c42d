namespace Loxo.Sql;

internal static class SqlIdentifier
{
    /// <summary>The name in double quotes: unquoted it would be folded, and might be a keyword of some server version.</summary>
    /// <exception cref="ArgumentException">The name is empty or contains a NUL character; PostgreSQL has no such names.</exception>
    public static string Quote(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (name.Length == 0)
            throw new ArgumentException("A PostgreSQL name must have at least one character, but an empty string was given.", nameof(name));
        if (name.IndexOf('\0', StringComparison.Ordinal) is >= 0 and var at)
            throw new ArgumentException($"A PostgreSQL name cannot contain a NUL character; there is one at index {at}.", nameof(name));
        return $"\"{name.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";
    }
}
