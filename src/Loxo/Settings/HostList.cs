using System.Net;
using Loxo.Transport;

namespace Loxo.Settings;

/// <summary>One entry of the Host keyword; the port is null where the Port keyword decides.</summary>
internal readonly record struct HostEntry(string Host, int? Port);

/// <summary>The Host keyword: <c>name</c>, <c>name:port</c>, <c>[ipv6]:port</c>, <c>/directory</c>, <c>@abstract</c>, or a list.</summary>
internal static class HostList
{
    /// <summary>Null when the text is a list of hosts; otherwise what was expected.</summary>
    public static string? Check(string text) => Read(text, []);

    public static List<HostEntry> Parse(string text)
    {
        var entries = new List<HostEntry>();
        Read(text, entries);
        return entries;
    }

    /// <summary>Null when the text is an IP address, or a list of them; otherwise what was expected.</summary>
    public static string? CheckAddress(string text) =>
        text.Split(',').All(static part => IPAddress.TryParse(part.Trim(), out _)) ? null : "an IP address";

    public static string? ReadPort(string text, out int port) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out port) && port is >= 1 and <= 65535
            ? null
            : "a port from 1 to 65535 after the colon of a host";

    private static string? Read(string text, List<HostEntry> entries)
    {
        foreach (var part in text.Split(','))
        {
            if (ReadEntry(part.Trim(), out var entry) is { } expected)
                return expected;
            entries.Add(entry);
        }
        return null;
    }

    private static string? ReadEntry(string text, out HostEntry entry)
    {
        entry = new(text, null);
        if (text.Length == 0)
            return "a host before and after every comma";
        if (HostAddress.IsSocketDirectory(text))
            return null;
        if (text.Any(static c => char.IsWhiteSpace(c) || char.IsControl(c) || c is '@' or '/' or '='))
            return "a host without spaces, '@', '/' and '=' (keywords are separated by ';')";
        return text[0] == '[' ? ReadBracketed(text, out entry) : ReadName(text, out entry);
    }

    private static string? ReadBracketed(string text, out HostEntry entry)
    {
        var end = text.IndexOf(']', StringComparison.Ordinal);
        entry = end > 0 ? new(text[1..end], null) : default;
        if (end < 0 || !IPAddress.TryParse(entry.Host, out _))
            return "an IPv6 address between '[' and ']'";
        if (end == text.Length - 1)
            return null;
        if (text[end + 1] != ':')
            return "nothing or ':port' after ']'";
        var expected = ReadPort(text[(end + 2)..], out var port);
        entry = entry with { Port = port };
        return expected;
    }

    // One colon separates the port; more make an IPv6 address.
    private static string? ReadName(string text, out HostEntry entry)
    {
        entry = new(text, null);
        var colon = text.IndexOf(':', StringComparison.Ordinal);
        if (colon < 0)
            return null;
        if (text.IndexOf(':', colon + 1) >= 0)
            return IPAddress.TryParse(text, out _) ? null : "host:port, or an IPv6 address";
        if (colon == 0)
            return "a host before the colon";
        var expected = ReadPort(text[(colon + 1)..], out var port);
        entry = new(text[..colon], port);
        return expected;
    }
}
