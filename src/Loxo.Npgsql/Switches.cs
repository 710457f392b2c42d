using System;
using System.Collections.Generic;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Loxo.Migration;

/// <summary>Finds the switches of Npgsql that a program turns with <see cref="AppContext"/>, in string literals.</summary>
internal static class Switches
{
    private const string Prefix = "Npgsql.";

    // Null for those that Loxo has.
    private static readonly Dictionary<string, string?> _reasons = new(StringComparer.Ordinal)
    {
        ["EnableLegacyTimestampBehavior"] = null,
        ["DisableDateTimeInfinityConversions"] = null,
        ["EnableStoredProcedureCompatMode"] = null,
        ["EnableSqlRewriting"] = "Loxo always looks for names of parameters; with positional parameters only, a text is sent as it is.",
        ["EnableLegacyCaseInsensitiveDbParameters"] =
            "Loxo compares names without regard to case: parameters of a command need names that differ in more than that.",
    };

    public static IEnumerable<Finding> Find(LiteralExpressionSyntax literal)
    {
        var value = literal.Token.ValueText;
        if (!value.StartsWith(Prefix, StringComparison.Ordinal) || !_reasons.TryGetValue(value.Substring(Prefix.Length), out var reason))
            yield break;
        var start = literal.ToString().IndexOf(Prefix, StringComparison.Ordinal);
        if (start < 0)
            yield break;
        var span = new TextSpan(literal.SpanStart + start, reason is null ? Prefix.Length - 1 : value.Length);
        yield return reason is null
            ? Finding.Rename(span, Prefix.TrimEnd('.'), LoxoNames.Namespace)
            : Finding.Missing(span, value, reason);
    }
}
