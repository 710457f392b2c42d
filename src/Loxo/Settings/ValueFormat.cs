using Loxo.Pool;

namespace Loxo.Settings;

internal abstract class ValueFormat<T>
{
    /// <summary>The values that it takes, in words.</summary>
    public abstract string Expected { get; }

    /// <summary>Null when the text was read; otherwise what would have been right, to end a sentence that starts "expected".</summary>
    public abstract string? Read(string text, out T value);

    public abstract string Write(T value);

    public virtual object ToObject(T value) => value!;
}

internal sealed class TextFormat(Func<string, string?>? check = null) : ValueFormat<string?>
{
    public override string Expected => "text";

    public override string? Read(string text, out string? value)
    {
        value = text;
        return check?.Invoke(text);
    }

    public override string Write(string? value) => value!;
}

/// <summary>A whole number. The unit reads "a number of seconds", the note ", 0 for no limit".</summary>
internal sealed class NumberFormat(string unit, int least, int most, string note = "") : ValueFormat<int>
{
    public override string Expected => string.Create(CultureInfo.InvariantCulture, $"{unit} from {least} to {most}{note}");

    public override string? Read(string text, out int value) =>
        int.TryParse(text, NumberStyles.Integer, CultureInfo.InvariantCulture, out value) && value >= least && value <= most
            ? null
            : Expected;

    public override string Write(int value) => value.ToString(CultureInfo.InvariantCulture);
}

/// <summary>One port for all hosts, or a list with one for each; an empty place in it is the default (libpq).</summary>
internal sealed class PortsFormat : ValueFormat<int[]>
{
    public const int Default = 5432;

    private static readonly NumberFormat _port = new("a port", 1, 65535);

    public override string Expected => _port.Expected;

    public override string? Read(string text, out int[] value)
    {
        var places = text.Split(',', StringSplitOptions.TrimEntries);
        value = new int[places.Length];
        for (var i = 0; i < places.Length; i++)
        {
            if (places.Length > 1 && places[i].Length == 0)
                value[i] = Default;
            else if (_port.Read(places[i], out value[i]) is { } expected)
                return places.Length == 1 ? expected : expected + " for each host, or one for all";
        }
        return null;
    }

    public override string Write(int[] value) => string.Join(',', value.Select(_port.Write));

    public override object ToObject(int[] value) => value is [var port] ? port : Write(value);
}

/// <summary>True or False as ADO.NET, libpq and people spell them.</summary>
internal sealed class FlagFormat : ValueFormat<bool>
{
    private static readonly string[] _yes = ["true", "yes", "on", "1"];
    private static readonly string[] _no = ["false", "no", "off", "0"];

    public override string Expected => "True or False";

    public override string? Read(string text, out bool value)
    {
        var word = text.Trim();
        value = _yes.Contains(word, StringComparer.OrdinalIgnoreCase);
        return value || _no.Contains(word, StringComparer.OrdinalIgnoreCase) ? null : Expected;
    }

    public override string Write(bool value) => value ? "True" : "False";
}

/// <summary>A flag for whether hosts take turns, or the word for another order; <c>random</c> and <c>disable</c> are libpq's.</summary>
internal sealed class BalanceFormat : ValueFormat<HostBalance>
{
    private static readonly FlagFormat _flag = new();
    private static readonly ChoiceFormat<HostBalance> _words = new(
        ("Random", HostBalance.Random),
        ("LeastOutstanding", HostBalance.LeastOutstanding),
        ("RoundRobin", HostBalance.RoundRobin),
        ("Disable", HostBalance.None));

    public override string Expected => "True, False, Random or LeastOutstanding";

    public override string? Read(string text, out HostBalance value)
    {
        if (_flag.Read(text, out var takesTurns) is null)
            value = takesTurns ? HostBalance.RoundRobin : HostBalance.None;
        else if (_words.Read(text, out value) is not null)
            return Expected;
        return null;
    }

    public override string Write(HostBalance value) => value switch
    {
        HostBalance.None => _flag.Write(false),
        HostBalance.RoundRobin => _flag.Write(true),
        _ => value.ToString(),
    };

    public override object ToObject(HostBalance value) => value switch
    {
        HostBalance.None => false,
        HostBalance.RoundRobin => true,
        _ => Write(value),
    };
}

/// <summary>Case, hyphens, underscores and spaces do not matter: <c>VerifyFull</c> is libpq's <c>verify-full</c>.</summary>
internal class ChoiceFormat<T>(params (string Word, T Value)[] choices) : ValueFormat<T>
{
    public override string Expected => "one of " + string.Join(", ", choices.Select(choice => choice.Word));

    public override string? Read(string text, out T value)
    {
        var choice = choices.FirstOrDefault(choice => Spelling.SameWord(choice.Word, text));
        value = choice.Value;
        return choice.Word is not null ? null : Expected;
    }

    public override string Write(T value) => choices.First(choice => EqualityComparer<T>.Default.Equals(choice.Value, value)).Word;
}

/// <summary>A choice whose words matter more than its values: the builder shows the word.</summary>
internal sealed class WordFormat<T>(params (string Word, T Value)[] choices) : ChoiceFormat<T>(choices)
{
    public override object ToObject(T value) => Write(value);
}

internal static class Spelling
{
    public static bool SameWord(string word, string other) => string.Equals(Fold(word), Fold(other), StringComparison.OrdinalIgnoreCase);

    private static string Fold(string text) => string.Concat(text.Where(static c => c is not ('-' or '_' or ' ')));
}
