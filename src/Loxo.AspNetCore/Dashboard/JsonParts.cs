using System.Text.Json;

namespace Loxo.Dashboard;

/// <summary>Values as the page gets them.</summary>
internal static class JsonParts
{
    /// <summary>Of the free texts of a program, such as the stack of a caller.</summary>
    public const int LongestText = 2_000;

    /// <summary>Writes a text unless it is null.</summary>
    public static void WriteOptional(this Utf8JsonWriter json, string name, string? text)
    {
        if (text is not null)
            json.WriteString(name, SafeText.Of(text, LongestText));
    }

    /// <summary>Writes how often each thing has happened, the most frequent first.</summary>
    public static void WriteCounts<T>(this Utf8JsonWriter json, string name, IEnumerable<KeyValuePair<T, long>> counts)
        where T : struct, Enum
    {
        json.WriteStartObject(name);
        foreach (var (reason, count) in counts.Where(static one => one.Value > 0).OrderByDescending(static one => one.Value))
            json.WriteNumber(reason.ToString(), count);
        json.WriteEndObject();
    }

    /// <summary>A time in milliseconds, to the microsecond.</summary>
    public static double Milliseconds(TimeSpan time) => Math.Round(time.TotalMilliseconds, 3);
}
