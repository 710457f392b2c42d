namespace Loxo.Settings;

/// <summary>
/// The sections of pg_service.conf (the manual, 34.17): <c>[service]</c>, then lines <c>parameter=value</c> with libpq's names. The first
/// file that has the section counts, and in it the first line of a parameter.
/// </summary>
internal static class ServiceFile
{
    /// <summary>The values of a service by keyword, each with its place for messages.</summary>
    /// <param name="service">The service.</param>
    /// <param name="files">Where to look, in this order. A file that does not exist has no sections.</param>
    /// <exception cref="ArgumentException">No file has the service, or its section is malformed.</exception>
    public static Dictionary<Keyword, (string Text, string Source)> Read(string service, IReadOnlyList<string> files)
    {
        foreach (var file in files)
        {
            if (TryRead(service, file) is { } values)
                return values;
        }
        throw SettingsErrors.ServiceNotFound(service, files);
    }

    internal static Dictionary<Keyword, (string Text, string Source)>? Parse(string service, IEnumerable<string> lines, string file)
    {
        Dictionary<Keyword, (string, string)>? values = null;
        var number = 0;
        foreach (var line in lines)
        {
            number++;
            var text = line.Trim();
            if (text.Length == 0 || text[0] == '#')
                continue;
            if (text[0] == '[')
            {
                if (values is not null)
                    break;
                if (text.AsSpan(1).StartsWith(service) && text.AsSpan(1 + service.Length).StartsWith(']'))
                    values = [];
            }
            else if (values is not null)
                Add(values, text, string.Create(CultureInfo.InvariantCulture, $"line {number} of {file}"));
        }
        return values;
    }

    private static Dictionary<Keyword, (string Text, string Source)>? TryRead(string service, string file)
    {
        if (!File.Exists(file))
            return null;
        try
        {
            return Parse(service, File.ReadLines(file), file);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw SettingsErrors.MalformedService(file, $"no section that can be read ({e.GetType().Name})");
        }
    }

    private static void Add(Dictionary<Keyword, (string Text, string Source)> values, string line, string place)
    {
        if (line.StartsWith("ldap://", StringComparison.Ordinal))
            throw SettingsErrors.MalformedService(place, "an LDAP address, which is not supported,");
        var equals = line.IndexOf('=', StringComparison.Ordinal);
        if (equals < 0)
            throw SettingsErrors.MalformedService(place, "a line without '='");
        var name = line[..equals];
        var keyword = Keywords.FindLibpq(name)
            ?? throw SettingsErrors.MalformedService(place, $"the unknown parameter {SettingsErrors.Show(name)}");
        if (keyword == Keywords.Service || keyword == Keywords.ServiceFile)
            throw SettingsErrors.MalformedService(place, "a service within a service");
        if (keyword.ToText(line[(equals + 1)..], place) is { } text)
            values.TryAdd(keyword, (text, place));
    }
}
