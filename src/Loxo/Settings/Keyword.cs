namespace Loxo.Settings;

/// <summary>One keyword of the connection string; its name is the one written into connection strings.</summary>
internal abstract class Keyword(string name)
{
    public string Name { get; } = name;

    public IReadOnlyList<string> Synonyms { get; init; } = [];

    public string? Variable { get; init; }

    public string? LibpqName { get; init; }

    public bool IsSecret { get; init; }

    /// <summary>The values that it takes, in words.</summary>
    public abstract string Values { get; }

    /// <summary>What counts when it is not set; null for nothing.</summary>
    public abstract string? DefaultText { get; }

    /// <summary>
    /// The feature that is not supported, and the values that need none of it: "takes only False". Null when all values are supported.
    /// </summary>
    public abstract (string Feature, string Rule)? Limited { get; }

    /// <summary>All that it answers to. Without its spaces the display name is that of the property.</summary>
    public IEnumerable<string> Names => [Name, Name.Replace(" ", "", StringComparison.Ordinal), .. Synonyms];

    /// <summary>Checks a value and spells it as it is stored; null when it is empty, which means "not set".</summary>
    public string? ToText(object value) => ToText(Convert.ToString(value, CultureInfo.InvariantCulture) ?? "", source: null);

    /// <inheritdoc cref="ToText(object)"/>
    /// <param name="text">The value.</param>
    /// <param name="source">Where it comes from, if not from the connection string: "the environment variable PGPORT".</param>
    public abstract string? ToText(string text, string? source);

    /// <summary>The value of a text that <see cref="ToText(object)"/> made, or the default for null, in the property's type.</summary>
    public abstract object? ToObject(string? text);

    /// <summary>Why the value cannot be used yet, as a sentence; null if it can.</summary>
    public abstract string? Refusal(string text, string? source);
}

internal sealed class Keyword<T>(string name, ValueFormat<T> format, T fallback = default!) : Keyword(name)
{
    public T Default { get; } = fallback;

    /// <summary>Which values are built; null when all are. Building the rest of a feature means removing this from its row.</summary>
    public Limit<T>? Limit { get; init; }

    public override string Values => format.Expected;

    public override string? DefaultText => Default is null ? null : format.Write(Default);

    public override (string Feature, string Rule)? Limited => Limit is null ? null : (Limit.Feature, Limit.Rule);

    public override string? ToText(string text, string? source)
    {
        if (text.Length == 0)
            return null;
        if (text.IndexOf('\0', StringComparison.Ordinal) is >= 0 and var position)
            throw SettingsErrors.NulCharacter(this, position, source);
        return format.Write(Parse(text, source));
    }

    public T Read(string? text) => text is null ? Default : Parse(text, source: null);

    public override object? ToObject(string? text)
    {
        var value = Read(text);
        return value is null ? null : format.ToObject(value);
    }

    public override string? Refusal(string text, string? source) => Limit is { } limit && !limit.Allows(Read(text))
        ? SettingsErrors.NotSupported(this, text, limit.Feature, limit.Rule, source)
        : null;

    private T Parse(string text, string? source) => format.Read(text, out var value) is { } expected
        ? throw SettingsErrors.CannotSet(this, text, expected, source)
        : value;
}

/// <summary>The values of a keyword that are built; a refusal ends in "for now 'Pooling' ...": the rule "takes only False".</summary>
internal sealed record Limit<T>(string Feature, Func<T, bool> Allows, string Rule);

internal static class Limit
{
    public static Limit<T> Only<T>(string feature, params T[] values) =>
        new(feature, value => values.Contains(value), "takes only " + string.Join(" or ", values.Select(Spell)));

    public static Limit<T> LeftOut<T>(string feature) => new(feature, static _ => false, "has to be left out");

    private static string? Spell<T>(T value) => Convert.ToString(value, CultureInfo.InvariantCulture);
}
