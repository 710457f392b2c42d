using System.Net;

namespace Loxo.Types;

/// <summary>Reads addresses as the server does (inet_net_pton.c, inet_cidr_pton). To .NET 010 is octal, and "1" an address.</summary>
internal static class AddressParser
{
    private const int IPv4Bytes = 4;
    private const int IPv6Bytes = 16;
    private const int MostDigitsOfWord = 4;

    private static readonly SearchValues<char> HexDigits = SearchValues.Create("0123456789abcdefABCDEF");

    /// <summary>
    /// "address" or "address/bits"; without bits these are all. IPv4 addresses may end before their fourth number if there are bits;
    /// the bits of a cidr may go beyond the numbers that are there.
    /// </summary>
    public static bool TryParse(ReadOnlySpan<char> text, bool isCidr, out IPAddress address, out byte bits)
    {
        var isIPv6 = text.Contains(':');
        Span<byte> bytes = stackalloc byte[isIPv6 ? IPv6Bytes : IPv4Bytes];
        bytes.Clear();
        var isAddress = isIPv6 ? TryParseIPv6(text, bytes, out bits) : TryParseIPv4(text, bytes, isCidr, out bits);
        address = isAddress ? new IPAddress(bytes) : IPAddress.Any;
        return isAddress;
    }

    private static bool TryParseIPv4(ReadOnlySpan<char> text, Span<byte> bytes, bool isCidr, out byte bits)
    {
        var slash = text.IndexOf('/');
        var numbers = slash < 0 ? text : text[..slash];
        bits = 8 * IPv4Bytes;
        if (!TryParseNumbers(numbers, bytes, mayHaveZeros: true, out var count))
            return false;
        if (slash < 0)
            return count == bytes.Length;
        // The bits of an inet must not go beyond its numbers, but for those of a byte.
        return TryParseNumber(text[(slash + 1)..], 8 * IPv4Bytes, mayHaveZeros: true, out bits) && (isCidr || bits / 8 <= count);
    }

    private static bool TryParseIPv6(ReadOnlySpan<char> text, Span<byte> bytes, out byte bits)
    {
        bits = 8 * IPv6Bytes;
        var slash = text.IndexOf('/');
        if (slash >= 0 && !TryParseNumber(text[(slash + 1)..], 8 * IPv6Bytes, mayHaveZeros: false, out bits))
            return false;
        var words = slash < 0 ? text : text[..slash];
        var gap = words.IndexOf("::");
        if (gap < 0)
            return TryParseWords(words, bytes, isEnd: true, out var all) && all == bytes.Length;
        Span<byte> tail = stackalloc byte[IPv6Bytes];
        var left = words[..gap];
        var right = words[(gap + 2)..];
        int head = 0, end = 0;
        // A gap stands for one word of zeros at least.
        if ((!left.IsEmpty && !TryParseWords(left, bytes, isEnd: false, out head))
            || (!right.IsEmpty && !TryParseWords(right, tail, isEnd: true, out end))
            || head + end >= bytes.Length)
            return false;
        bytes[head..].Clear();
        tail[..end].CopyTo(bytes[^end..]);
        return true;
    }

    // Words of up to four hexadecimal digits; an IPv4 address may stand for the last two of the whole address.
    private static bool TryParseWords(ReadOnlySpan<char> text, Span<byte> bytes, bool isEnd, out int count)
    {
        count = 0;
        foreach (var part in text.Split(':'))
        {
            var word = text[part];
            var rest = bytes[count..];
            if (word.Contains('.'))
            {
                count += IPv4Bytes;
                return isEnd && part.End.Value == text.Length && rest.Length >= IPv4Bytes
                    && TryParseNumbers(word, rest[..IPv4Bytes], mayHaveZeros: false, out var numbers) && numbers == IPv4Bytes;
            }
            if (rest.Length < 2 || word.Length is 0 or > MostDigitsOfWord || word.ContainsAnyExcept(HexDigits))
                return false;
            BinaryPrimitives.WriteUInt16BigEndian(rest, ushort.Parse(word, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture));
            count += 2;
        }
        return true;
    }

    // As many numbers as there are, with points between them, and no more than there is room for.
    private static bool TryParseNumbers(ReadOnlySpan<char> text, Span<byte> bytes, bool mayHaveZeros, out int count)
    {
        count = 0;
        foreach (var part in text.Split('.'))
        {
            if (count == bytes.Length || !TryParseNumber(text[part], byte.MaxValue, mayHaveZeros, out bytes[count++]))
                return false;
        }
        return true;
    }

    private static bool TryParseNumber(ReadOnlySpan<char> digits, int most, bool mayHaveZeros, out byte number)
    {
        number = 0;
        if (digits.IsEmpty || digits.ContainsAnyExceptInRange('0', '9') || (!mayHaveZeros && digits is ['0', _, ..]))
            return false;
        return byte.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out number) && number <= most;
    }
}
