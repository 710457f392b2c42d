namespace Loxo.Settings;

/// <summary>A keyword and its value as they stand in a connection string, and where the keyword starts.</summary>
internal readonly record struct KeyValuePart(string Name, string Value, int Position)
{
    public override string ToString() => Name;
}

/// <summary>Splits and joins as DbConnectionStringBuilder does, which says where it stopped, but not why; hence our own.</summary>
internal ref struct KeyValueText(string text)
{
    private readonly string _text = text;
    private int _position;
    private Keyword? _before;

    public static List<KeyValuePart> Split(string text)
    {
        var parts = new List<KeyValuePart>();
        var reader = new KeyValueText(text);
        while (reader.TryRead(out var part))
            parts.Add(part);
        return parts;
    }

    /// <summary>The base class leaves a value unquoted that ends in a line feed, and loses it on the way back.</summary>
    public static string Join(IEnumerable<(string Name, string Value)> pairs) =>
        string.Join(';', pairs.Select(static pair => $"{pair.Name}={Quote(pair.Value)}"));

    private static string Quote(string value)
    {
        if (!value.Any(static c => c is '"' or '\'' or '=' or ';' || char.IsWhiteSpace(c) || char.IsControl(c)))
            return value;
        return value.Contains('"', StringComparison.Ordinal) && !value.Contains('\'', StringComparison.Ordinal)
            ? $"'{value}'"
            : $"\"{value.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";
    }

    private bool TryRead(out KeyValuePart part)
    {
        Skip(static c => c == ';' || char.IsWhiteSpace(c));
        part = default;
        if (_position == _text.Length)
            return false;
        var start = _position;
        var name = ReadName();
        Skip(char.IsWhiteSpace);
        part = new(name, ReadValue(name), start);
        // What is no keyword may be a slip, or the rest of a secret that was cut off at a semicolon.
        _before = Keywords.Find(name) ?? Keywords.Nearest(name) ?? _before;
        return true;
    }

    private string ReadName()
    {
        var start = _position;
        var name = new StringBuilder();
        while (!AtSingleEquals())
        {
            if (_position == _text.Length || _text[_position] == ';')
                throw SettingsErrors.NoEquals(name.ToString().TrimEnd(), start, _before);
            if (char.IsControl(_text[_position]) && !char.IsWhiteSpace(_text[_position]))
                throw SettingsErrors.Malformed($"has a control character within a keyword {SettingsErrors.At(_position)}.");
            name.Append(_text[_position]);
            _position += _text[_position] == '=' ? 2 : 1;
        }
        _position++;
        var trimmed = name.ToString().TrimEnd();
        return trimmed.Length > 0 ? trimmed : throw SettingsErrors.Malformed($"has no keyword before the '=' {SettingsErrors.At(start)}.");
    }

    // A doubled = belongs to the keyword.
    private readonly bool AtSingleEquals() =>
        _position < _text.Length && _text[_position] == '=' && !(_position + 1 < _text.Length && _text[_position + 1] == '=');

    private string ReadValue(string name) =>
        _position < _text.Length && _text[_position] is '"' or '\'' ? ReadQuoted(name) : ReadPlain(name);

    private string ReadPlain(string name)
    {
        var start = _position;
        Skip(static c => c != ';' && (!char.IsControl(c) || char.IsWhiteSpace(c) || c == '\0'));
        if (_position < _text.Length && _text[_position] != ';')
            throw SettingsErrors.Malformed(
                $"has a control character in the value of {Known(name)} {SettingsErrors.At(_position)}. Such a value has to be quoted.");
        var value = _text[start.._position].TrimEnd();
        return value.EndsWith('"') || value.EndsWith('\'')
            ? throw SettingsErrors.Malformed(
                $"has a value of {Known(name)} {SettingsErrors.At(start)} that ends in a quote but does not start with one.")
            : value;
    }

    private string ReadQuoted(string name)
    {
        var start = _position;
        var quote = _text[_position++];
        var value = new StringBuilder();
        while (true)
        {
            if (_position == _text.Length)
                throw SettingsErrors.Malformed(
                    $"has a value of {Known(name)} that starts with {quote} {SettingsErrors.At(start)} and has no closing {quote}.");
            var c = _text[_position++];
            if (c != quote)
                value.Append(c);
            else if (_position < _text.Length && _text[_position] == quote)
                value.Append(_text[_position++]);
            else
                break;
        }
        Skip(char.IsWhiteSpace);
        return _position == _text.Length || _text[_position] == ';'
            ? value.ToString()
            : throw SettingsErrors.Malformed(
                $"goes on after the closing {quote} of {Known(name)} {SettingsErrors.At(_position)}. Within the value {quote} is doubled.");
    }

    // A name that is no keyword may be the rest of a password, cut off at a semicolon.
    private static string Known(string name) => Keywords.Find(name) is { } keyword ? $"'{keyword.Name}'" : "an unknown keyword";

    private void Skip(Func<char, bool> skipped)
    {
        while (_position < _text.Length && skipped(_text[_position]))
            _position++;
    }
}
