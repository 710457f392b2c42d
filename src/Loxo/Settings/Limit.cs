namespace Loxo.Settings;

/// <summary>The values of a keyword that what is built can satisfy, and the words for refusing the others.</summary>
/// <param name="Feature">The feature that a refused value asks for: "the connection pool".</param>
/// <param name="Allows">True for a value that can be satisfied.</param>
/// <param name="Rule">Ends the sentence "for now 'Pooling' ...": "takes only False".</param>
internal sealed record Limit<T>(string Feature, Func<T, bool> Allows, string Rule);

internal static class Limit
{
    public static Limit<T> Only<T>(string feature, params T[] values) =>
        new(feature, value => values.Contains(value), "takes only " + string.Join(" or ", values.Select(Spell)));

    public static Limit<T> LeftOut<T>(string feature) => new(feature, static _ => false, "has to be left out");

    private static string? Spell<T>(T value) => Convert.ToString(value, CultureInfo.InvariantCulture);
}
