namespace Loxo.IntegrationTests.Types;

/// <summary>Makes texts that are nearly values of a type: made by a grammar, or by damaging such texts.</summary>
/// <param name="make">Makes a text that the type may take.</param>
/// <param name="alphabet">What damaged texts get more of.</param>
/// <param name="seed">The same seed makes the same texts.</param>
internal sealed class TextMutator(Func<Random, string> make, string alphabet, int seed)
{
    // Some of them are what .NET takes for a blank or a digit and the server does not.
    private static readonly string[] Odd =
        [" ", "  ", "\t", "\n", "\v", "\f", "\r", "\u00a0", "\u2003", "\u3000", "\u0085", "\u0663", "\uff11", "\u2212", "ß", "\U0001F600", "'", "\"", "\\", "000000", "9999999999", "1e", "e5"];

    private readonly Random _random = new(seed);

    public string Next()
    {
        var text = make(_random);
        for (var damages = _random.Next(3); damages > 0; damages--)
            text = Damage(text);
        // Half of a surrogate pair is no text that can be sent.
        return string.Concat(text.EnumerateRunes());
    }

    private string Damage(string text)
    {
        var at = _random.Next(text.Length + 1);
        var end = Math.Min(text.Length, at + _random.Next(1, 4));
        return _random.Next(7) switch
        {
            0 => text.Remove(at, end - at),
            1 => text.Insert(at, Odd[_random.Next(Odd.Length)]),
            2 or 3 => text.Insert(at, alphabet[_random.Next(alphabet.Length)].ToString()),
            4 => text[..at] + alphabet[_random.Next(alphabet.Length)] + text[end..],
            5 => text.Insert(at, text[at..end]),
            _ => Splice(text[..at], make(_random)),
        };
    }

    private string Splice(string head, string other) => head + other[_random.Next(other.Length + 1)..];
}
