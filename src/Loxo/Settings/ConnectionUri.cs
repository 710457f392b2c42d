using System.Buffers;
using Loxo.Transport;

namespace Loxo.Settings;

/// <summary>Takes apart a URI (the manual, 32.1.1.2). Where libpq would guess at an unencoded '@', this refuses.</summary>
internal sealed class ConnectionUri
{
    private static readonly string[] _schemes = ["postgresql://", "postgres://"];
    private static readonly UTF8Encoding _strictUtf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    private readonly List<(Keyword Keyword, string Value)> _values = [];
    private bool _mayHoldPassword; // an '@' after the login: what looks like a port or a parameter may be a piece of a password

    public static bool IsUri(string text) => SchemeOf(text) is not null;

    /// <summary>The keywords that a URI sets, in its order; a later one goes before an earlier one of the same keyword.</summary>
    public static List<(Keyword Keyword, string Value)> Parse(string text)
    {
        var uri = new ConnectionUri();
        uri.Read(text.Trim()[SchemeOf(text)!.Length..]);
        return uri._values;
    }

    private static string? SchemeOf(string text) =>
        _schemes.FirstOrDefault(scheme => text.AsSpan().TrimStart().StartsWith(scheme, StringComparison.OrdinalIgnoreCase));

    private void Read(string rest)
    {
        var login = LoginLength(rest);
        if (login >= 0)
            ReadLogin(rest[..login]);
        rest = rest[(login + 1)..];
        _mayHoldPassword = rest.Contains('@', StringComparison.Ordinal);
        var query = rest.IndexOf('?', StringComparison.Ordinal) is >= 0 and var mark ? mark : rest.Length;
        var slash = rest.IndexOf('/', StringComparison.Ordinal);
        var authority = slash >= 0 && slash < query ? slash : query;
        if (rest.AsSpan(0, query).Contains('@'))
            throw SettingsErrors.MalformedUri(
                "has an '@' after its host. Write %40 for an '@' in a name; in a user name or password also write '/' as %2F.");
        ReadHosts(rest[..authority]);
        if (authority < query)
            Add(Keywords.Database, "database", rest[(authority + 1)..query]);
        if (query < rest.Length)
            ReadParameters(rest[(query + 1)..]);
    }

    // libpq takes the first '@' before the first '/'. Where that is not the only reading, one of them may show a password as a host.
    private static int LoginLength(string rest)
    {
        var slash = rest.IndexOf('/', StringComparison.Ordinal);
        var before = slash < 0 ? rest : rest[..slash];
        var at = before.IndexOf('@', StringComparison.Ordinal);
        if (at < 0)
            return -1;
        if (before.AsSpan(0, at).Contains('?'))
            throw SettingsErrors.MalformedUri(
                "has a '?' before an '@'. Write %3F for a '?' in a user name or password, and %40 for an '@' in a parameter.");
        return at;
    }

    private void ReadLogin(string login)
    {
        var colon = login.IndexOf(':', StringComparison.Ordinal);
        Add(Keywords.Username, "user name", colon < 0 ? login : login[..colon]);
        if (colon >= 0)
            Add(Keywords.Password, "password", login[(colon + 1)..]);
    }

    private void ReadHosts(string text)
    {
        if (text.Length == 0)
            return;
        var hosts = text.Split(',').Select(ReadHost).ToList();
        if (hosts is [var (host, port)])
        {
            AddDecoded(Keywords.Host, host);
            AddDecoded(Keywords.Port, port);
            return;
        }
        AddDecoded(Keywords.Host, string.Join(',', hosts.Select(InList)));
    }

    private (string Host, string Port) ReadHost(string text)
    {
        var close = text.StartsWith('[') ? text.IndexOf(']', StringComparison.Ordinal) : -1;
        if (close < 2 && text.StartsWith('['))
            throw SettingsErrors.MalformedUri($"has an IPv6 address without its closing ']': {Show(text)}.");
        var colon = text.IndexOf(':', close + 1);
        var end = colon < 0 ? text.Length : colon;
        if (close >= 0 && end != close + 1)
            throw SettingsErrors.MalformedUri($"has more than a port after ']': {Show(text)}.");
        var host = close >= 0 ? text[1..close] : text[..end];
        var port = colon < 0 ? "" : text[(colon + 1)..];
        if (port.Length > 0 && HostList.ReadPort(port, out _) is not null)
            throw SettingsErrors.MalformedUri($"has the port {Show(port)}: expected a number from 1 to 65535.");
        return (Decode(host, "host"), port);
    }

    private string InList((string Host, string Port) entry)
    {
        if (entry.Port.Length == 0)
            return entry.Host;
        if (HostAddress.IsSocketDirectory(entry.Host))
            throw SettingsErrors.MalformedUri(
                $"has a port after the socket directory {Show(entry.Host)} in a list of hosts: use the parameter 'port'.");
        var host = entry.Host.Contains(':', StringComparison.Ordinal) ? $"[{entry.Host}]" : entry.Host;
        return string.Create(CultureInfo.InvariantCulture, $"{host}:{entry.Port}");
    }

    private void ReadParameters(string query)
    {
        foreach (var parameter in query.Split('&', StringSplitOptions.RemoveEmptyEntries))
        {
            var equals = parameter.IndexOf('=', StringComparison.Ordinal);
            if (equals < 0)
                throw SettingsErrors.MalformedUri($"has the parameter {Show(parameter)} without '=' and a value.");
            var name = Decode(parameter[..equals], "name of a parameter");
            ReadParameter(name, parameter[(equals + 1)..]);
        }
    }

    private void ReadParameter(string name, string encoded)
    {
        // JDBC's spelling, which libpq accepts too.
        if (name == "ssl" && encoded == "true")
            AddDecoded(Keywords.SslMode, "require");
        else if (Keywords.FindUriParameter(name) is { } keyword)
            Add(keyword, $"parameter '{name}'", encoded);
        else
            throw SettingsErrors.UnknownParameter(name, Show(name));
    }

    private void Add(Keyword keyword, string part, string encoded) => AddDecoded(keyword, Decode(encoded, part, keyword.IsSecret));

    private void AddDecoded(Keyword keyword, string value)
    {
        if (value.Length > 0)
            _values.Add((keyword, value));
    }

    // Stricter than Uri.UnescapeDataString, which lets a malformed escape through as it is.
    private string Decode(string text, string part, bool isSecret = false)
    {
        if (!text.Contains('%', StringComparison.Ordinal))
            return text;
        var bytes = new ArrayBufferWriter<byte>(text.Length);
        for (var position = 0; position < text.Length;)
        {
            // Up to the next escape at once, so that surrogate pairs stay together.
            var end = text.IndexOf('%', position) is >= 0 and var next ? next : text.Length;
            Encoding.UTF8.GetBytes(text.AsSpan(position, end - position), bytes);
            position = end;
            if (end == text.Length)
                break;
            var escape = text.Substring(end, Math.Min(3, text.Length - end));
            bytes.Write([DecodeEscape(escape, part, isSecret)]);
            position += escape.Length;
        }
        try
        {
            return _strictUtf8.GetString(bytes.WrittenSpan);
        }
        catch (DecoderFallbackException)
        {
            throw SettingsErrors.MalformedUri($"has a {part} whose percent-encoded bytes are not UTF-8.");
        }
    }

    private byte DecodeEscape(string escape, string part, bool isSecret)
    {
        var digits = escape.AsSpan(1);
        if (digits.Length < 2 || !byte.TryParse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var value))
        {
            var shown = isSecret || _mayHoldPassword ? "" : $" {SettingsErrors.Show(escape)}";
            throw SettingsErrors.MalformedUri(
                $"has a malformed escape{shown} in its {part}: expected '%' and two hexadecimal digits (%25 for a '%').");
        }
        return value != 0
            ? value
            : throw SettingsErrors.MalformedUri($"has %00 in its {part}: PostgreSQL cannot take a NUL character.");
    }

    private string Show(string part) => SettingsErrors.Show(part, _mayHoldPassword);
}
