namespace Loxo.Protocol.Authentication;

/// <summary>Reads the hexadecimal numbers and marks of <see cref="SaslPrepTables"/>.</summary>
internal ref struct SaslPrepScanner(ReadOnlySpan<byte> text)
{
    private ReadOnlySpan<byte> _rest = text;

    public bool HasMore()
    {
        _rest = _rest.TrimStart(" ;\r\n"u8);
        return !_rest.IsEmpty;
    }

    public int ReadNumber(int otherwise)
    {
        var length = _rest.IndexOfAnyExcept("0123456789abcdef"u8);
        if (length == 0)
            return otherwise;
        var number = 0;
        foreach (var digit in _rest[..length])
            number = (number << 4) | (digit <= '9' ? digit - '0' : digit - 'a' + 10);
        _rest = _rest[length..];
        return number;
    }

    public char ReadMark()
    {
        var mark = (char)_rest[0];
        _rest = _rest[1..];
        return mark;
    }

    public bool TryReadMark(char mark)
    {
        if (_rest[0] != mark)
            return false;
        _rest = _rest[1..];
        return true;
    }
}
