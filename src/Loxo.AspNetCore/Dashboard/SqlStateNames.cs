using System.Collections.Frozen;
using System.Reflection;
using System.Text;

namespace Loxo.Dashboard;

/// <summary>The condition names of SQLSTATEs, such as <c>division by zero</c>.</summary>
internal static class SqlStateNames
{
    private static readonly FrozenDictionary<string, string> _names = typeof(SqlStates)
        .GetFields(BindingFlags.Public | BindingFlags.Static)
        .Where(static field => field.IsLiteral)
        .GroupBy(static field => (string)field.GetRawConstantValue()!, static field => InWords(field.Name))
        .ToFrozenDictionary(static names => names.Key, static names => names.First());

    /// <summary>The name; null if the SQLSTATE is not known.</summary>
    public static string? Of(string state) => _names.GetValueOrDefault(state);

    private static string InWords(string name)
    {
        var words = new StringBuilder();
        foreach (var letter in name)
        {
            if (char.IsAsciiLetterUpper(letter) && words.Length > 0)
                words.Append(' ');
            words.Append(char.ToLowerInvariant(letter));
        }
        return words.ToString();
    }
}
