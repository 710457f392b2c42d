using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Text;

namespace Loxo.Migration;

/// <summary>Finds keywords that Loxo refuses, in string literals that name a host as connection strings do.</summary>
internal static class ConnectionStrings
{
    private static readonly Regex _host = new(
        @"(^|[""$@;\s])\s*(Host|Server)\s*=", RegexOptions.IgnoreCase | RegexOptions.CultureInvariant);

    private static readonly Regex _pair = new(
        @"(?<=^|[""$@;])\s*(?<keyword>[A-Za-z][A-Za-z ]*?)\s*=(?<value>[^;""]*)(?<end>;?)", RegexOptions.CultureInvariant);

    public static IEnumerable<Finding> Find(SyntaxNode literal)
    {
        var text = literal.ToString();
        if (!_host.IsMatch(text))
            yield break;
        foreach (Match pair in _pair.Matches(text))
        {
            var (keyword, value) = (pair.Groups["keyword"], pair.Groups["value"].Value);
            if (Differences.Instance.Keywords.FirstOrDefault(one => one.Refuses(keyword.Value, value)) is not { } refused)
                continue;
            var span = new TextSpan(literal.SpanStart + keyword.Index, keyword.Length);
            yield return refused.HasNoEffect
                ? Finding.Remove(span, Removed(literal.SpanStart, text, pair), keyword.Value)
                : Finding.Missing(span, keyword.Value, refused.Reason);
        }
    }

    // The keyword, its value and the semicolon after it; at the end of a string, the one before it.
    private static TextSpan Removed(int start, string text, Match pair)
    {
        var isLast = pair.Groups["end"].Length == 0 && pair.Index > 0 && text[pair.Index - 1] == ';';
        return TextSpan.FromBounds(start + pair.Index - (isLast ? 1 : 0), start + pair.Index + pair.Length);
    }
}
