using System.Buffers.Text;

namespace Loxo.Types;

internal ref struct TextScanner(ReadOnlySpan<byte> text)
{
    // No part of any value is longer, and none of this length overflows.
    private const int MostDigits = 18;

    private ReadOnlySpan<byte> _rest = text;

    public readonly bool IsAtEnd => _rest.IsEmpty;

    public bool TryTake(ReadOnlySpan<byte> expected)
    {
        if (!_rest.StartsWith(expected))
            return false;
        _rest = _rest[expected.Length..];
        return true;
    }

    public bool TryTakeNumber(out long number) => TryTakeNumber(out number, out _);

    /// <summary>A number without a sign, and how many digits it is written with.</summary>
    public bool TryTakeNumber(out long number, out int digits)
    {
        digits = _rest.IndexOfAnyExceptInRange((byte)'0', (byte)'9') is >= 0 and var end ? end : _rest.Length;
        number = 0;
        if (digits is 0 or > MostDigits)
            return false;
        Utf8Parser.TryParse(_rest[..digits], out number, out _);
        _rest = _rest[digits..];
        return true;
    }

    public bool TryTakeDigits(int count, out long number)
    {
        var start = _rest;
        if (TryTakeNumber(out number, out var digits) && digits == count)
            return true;
        _rest = start;
        return false;
    }

    /// <summary>A word of letters; empty if there is none.</summary>
    public ReadOnlySpan<byte> TakeLetters()
    {
        var length = 0;
        while (length < _rest.Length && char.IsAsciiLetter((char)_rest[length]))
            length++;
        var word = _rest[..length];
        _rest = _rest[length..];
        return word;
    }
}
