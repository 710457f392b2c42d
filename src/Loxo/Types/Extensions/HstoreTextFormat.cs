namespace Loxo.Types;

/// <summary>hstore: "key"=>"value", "other"=>NULL (hstore_out and parse_hstore, hstore_io.c).</summary>
internal sealed class HstoreTextFormat : TextFormat
{
    private static readonly HstoreCodec Codec = new();

    public override void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text) =>
        Codec.Write(binary, TryParse(Utf8.Read(text), out var pairs) ? pairs : throw TypeErrors.Malformed("hstore", text));

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var text = new StringBuilder();
        var pairs = new HstoreReader(binary);
        while (pairs.TryTake(out var key, out var value))
        {
            AppendQuoted(text.Append(text.Length == 0 ? "" : ", "), key).Append("=>");
            if (value is null)
                text.Append("NULL");
            else
                AppendQuoted(text, value);
        }
        return text.ToString();
    }

    private static StringBuilder AppendQuoted(StringBuilder text, string part) => text.Append('"')
        .Append(part.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\\\"", StringComparison.Ordinal)).Append('"');

    private static bool TryParse(ReadOnlySpan<char> text, out Dictionary<string, string?> pairs)
    {
        pairs = [];
        var scanner = new HstoreScanner(text);
        while (scanner.SkipBlanks())
        {
            if (!scanner.TryTakePart(isKey: true, out var key, out _) || !scanner.TryTakeArrow()
                || !scanner.TryTakePart(isKey: false, out var value, out var isQuoted) || !scanner.TryTakeEnd())
                return false;
            var isNull = !isQuoted && value.Equals("null", StringComparison.OrdinalIgnoreCase);
            pairs.TryAdd(key, isNull ? null : value); // of the same key twice the server takes the first
        }
        return true;
    }
}

/// <summary>Takes the text of a hstore apart, as the server does it, blank for blank (get_val, hstore_io.c).</summary>
internal ref struct HstoreScanner(ReadOnlySpan<char> text)
{
    // Some versions take \v for one too; outside of quotes it is refused.
    private const string Blanks = " \t\n\f\r";

    private ReadOnlySpan<char> _rest = text;

    public bool SkipBlanks()
    {
        _rest = _rest.TrimStart(Blanks);
        return !_rest.IsEmpty;
    }

    /// <summary>=> with blanks in front of it.</summary>
    public bool TryTakeArrow()
    {
        SkipBlanks();
        var isArrow = _rest.StartsWith("=>");
        _rest = isArrow ? _rest[2..] : _rest;
        return isArrow;
    }

    /// <summary>The comma behind a pair, or the end of the text.</summary>
    public bool TryTakeEnd()
    {
        if (!SkipBlanks())
            return true;
        var isComma = _rest[0] == ',';
        _rest = _rest[1..];
        return isComma;
    }

    /// <summary>A key, which ends at a blank or =, or a value, which ends at a blank or comma; both may be in quotes.</summary>
    public bool TryTakePart(bool isKey, out string part, out bool isQuoted)
    {
        part = "";
        isQuoted = false;
        if (!SkipBlanks())
            return false;
        isQuoted = _rest[0] == '"';
        _rest = isQuoted ? _rest[1..] : _rest;
        var characters = new StringBuilder();
        var hasEnd = isQuoted ? TryTakeQuoted(characters) : TryTakePlain(isKey ? '=' : ',', characters);
        part = characters.ToString();
        return hasEnd;
    }

    private bool TryTakeQuoted(StringBuilder part)
    {
        while (!_rest.IsEmpty)
        {
            if (_rest[0] == '"')
            {
                _rest = _rest[1..];
                return true;
            }
            if (!TryTakeCharacter(part))
                return false;
        }
        return false;
    }

    private bool TryTakePlain(char end, StringBuilder part)
    {
        // A part that is not in quotes has a first character, which a value may even have where it would end.
        var isFirst = true;
        for (; !_rest.IsEmpty && !Blanks.AsSpan().Contains(_rest[0]) && (_rest[0] != end || (isFirst && end == ',')); isFirst = false)
        {
            if (_rest[0] == '\v' || !TryTakeCharacter(part))
                return false;
        }
        return !isFirst;
    }

    // Whatever follows a backslash is part of the text.
    private bool TryTakeCharacter(StringBuilder part)
    {
        var length = _rest[0] == '\\' ? 2 : 1;
        if (_rest.Length < length)
            return false;
        part.Append(_rest[length - 1]);
        _rest = _rest[length..];
        return true;
    }
}
