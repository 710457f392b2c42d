using Loxo.Transport;

namespace Loxo.Settings;

/// <summary><c>host:port:database:user:password</c>, <c>*</c> for anything (the manual, 32.16); the first match counts.</summary>
internal static class Passfile
{
    private const UnixFileMode OpenToOthers =
        UnixFileMode.GroupRead | UnixFileMode.GroupWrite | UnixFileMode.GroupExecute |
        UnixFileMode.OtherRead | UnixFileMode.OtherWrite | UnixFileMode.OtherExecute;

    // Where libpq builds look for the server's socket; there the manual wants "localhost" in the file.
    private static readonly string[] _defaultSocketDirectories = ["/tmp", "/run/postgresql", "/var/run/postgresql"];

    /// <summary>The password for a login, or null. A file that cannot be used is ignored with a warning, as libpq does.</summary>
    public static string? FindPassword(string path, HostAddress address, string database, string user, Action<string> warn)
    {
        try
        {
            return IsUsable(path, warn) ? Search(File.ReadLines(path), address, database, user) : null;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            warn($"The password file '{path}' was not used: it cannot be read ({error.GetType().Name}).");
            return null;
        }
    }

    internal static string? Search(IEnumerable<string> lines, HostAddress address, string database, string user)
    {
        var port = address.Port.ToString(CultureInfo.InvariantCulture);
        foreach (var line in lines)
        {
            if (!line.StartsWith('#') && Match(line, address.Host, port, database, user) is { Length: > 0 } password)
                return password;
        }
        return null;
    }

    private static bool IsUsable(string path, Action<string> warn)
    {
        if (Directory.Exists(path))
        {
            warn($"The password file '{path}' was not used: it is a directory.");
            return false;
        }
        if (!File.Exists(path))
            return false;
        if (OperatingSystem.IsWindows() || (File.GetUnixFileMode(path) & OpenToOthers) == 0)
            return true;
        warn($"The password file '{path}' was not used: its group or others have access to it. Run chmod 0600 on it.");
        return false;
    }

    private static string? Match(string line, string host, string port, string database, string user)
    {
        var rest = new Fields(line);
        return MatchesHost(rest.Next(), host) && rest.Next().Matches(port) && rest.Next().Matches(database) && rest.Next().Matches(user)
            ? rest.Next().Text
            : null;
    }

    private static bool MatchesHost(Field field, string host) =>
        field.Matches(host) || (_defaultSocketDirectories.Contains(host) && field.Matches("localhost"));

    private readonly record struct Field(string? Text, bool IsAny)
    {
        public bool Matches(string value) => IsAny || string.Equals(Text, value, StringComparison.Ordinal);
    }

    /// <summary>Takes a line apart at its unescaped colons. After the end come fields without text, which match nothing.</summary>
    private struct Fields(string line)
    {
        private readonly string _line = line;
        private int _position;

        public Field Next()
        {
            if (_position > _line.Length)
                return default;
            var start = _position;
            var text = new StringBuilder();
            while (_position < _line.Length && _line[_position] != ':')
            {
                if (_line[_position] == '\\' && _position + 1 < _line.Length)
                    _position++;
                text.Append(_line[_position++]);
            }
            var isAny = _position - start == 1 && _line[start] == '*';
            _position++;
            return new(text.ToString(), isAny);
        }
    }
}
