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
        @"(?<=^|[""$@;])\s*(?<keyword>[A-Za-z][A-Za-z ]*?)\s*=(?<value>[^;""]*)", RegexOptions.CultureInvariant);

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
            yield return Finding.Missing(span, keyword.Value, refused.Reason);
        }
    }
}
