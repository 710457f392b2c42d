using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Loxo.Migration;

/// <summary>What Loxo does not have, and why: the tables of docs/npgsql-differences.md.</summary>
internal sealed class Differences
{
    // The word in the last column of a row whose difference no source file sees.
    private const string NothingToChange = "nothing to change";

    private readonly Dictionary<string, string> _members = new(StringComparer.Ordinal);
    private readonly List<(string Start, string Reason)> _starts = [];
    private readonly Dictionary<string, string> _packages = new(StringComparer.Ordinal);
    private readonly List<RefusedKeyword> _keywords = [];

    private Differences()
    {
    }

    public static Differences Instance { get; } = Parse(ReadPage());

    /// <summary>Keywords and values of connection strings that Loxo refuses.</summary>
    public IReadOnlyList<RefusedKeyword> Keywords => _keywords;

    public static Differences Parse(string page)
    {
        var differences = new Differences();
        var (section, reason) = ("", "");
        foreach (var line in page.Split('\n').Select(line => line.Trim()))
        {
            if (line.StartsWith("## ", StringComparison.Ordinal))
                section = line.Substring(3);
            if (!line.StartsWith("| ", StringComparison.Ordinal))
                continue;
            var cells = line.Trim('|').Split('|').Select(cell => cell.Trim().Replace("\\", "")).ToArray();
            reason = cells[1] == "As above." ? reason : cells[1];
            differences.Add(section, cells, reason);
        }
        return differences;
    }

    /// <summary>The reason why a type has no counterpart; null if it has one.</summary>
    public string? OfType(INamedTypeSymbol type)
    {
        if (OfPackage(type) is { } ofPackage)
            return ofPackage;
        for (var one = type; one is not null; one = one.ContainingType)
        {
            if (_members.TryGetValue(SymbolNames.OfType(one), out var reason))
                return reason;
        }
        return OfNamespace(type.ContainingNamespace);
    }

    /// <summary>The reason why no type of a namespace has a counterpart; null if they have.</summary>
    public string? OfNamespace(INamespaceSymbol space) =>
        _members.TryGetValue(space.ToDisplayString() + ".*", out var reason) ? reason : null;

    /// <summary>The reason why a member has no counterpart; null if it has one, or if its whole type has none.</summary>
    public string? OfMember(ISymbol member, bool isWritten)
    {
        if (member.ContainingType is null || OfPackage(member) is not null)
            return member.ContainingType is null ? null : OfPackage(member);
        var name = SymbolNames.OfMember(member);
        if (_members.TryGetValue(name, out var reason) || _members.TryGetValue(name.Split('(')[0], out reason)
            || (isWritten && _members.TryGetValue(name + " { set; }", out reason)))
        {
            return reason;
        }
        return _starts.FirstOrDefault(row => name.StartsWith(row.Start, StringComparison.Ordinal)).Reason;
    }

    private static string ReadPage()
    {
        using var stream = typeof(Differences).Assembly.GetManifestResourceStream("npgsql-differences.md")!;
        using var reader = new StreamReader(stream);
        return reader.ReadToEnd();
    }

    private string? OfPackage(ISymbol symbol) => _packages.TryGetValue(symbol.ContainingAssembly.Name, out var reason) ? reason : null;

    private void Add(string section, string[] cells, string reason)
    {
        var name = cells[0];
        if (section == "Connection strings")
        {
            if (RefusedKeyword.TryParse(name, reason) is { } keyword)
                _keywords.Add(keyword);
        }
        else if (section == "Packages")
        {
            if (!LoxoNames.IsNpgsql(name))
                _members[name] = reason; // of a package that has a counterpart
            else if (!reason.StartsWith("`Loxo.", StringComparison.Ordinal))
                _packages[name] = reason;
        }
        else if (cells.Length == 3 && name != "Npgsql" && cells[2] != NothingToChange)
        {
            if (name.EndsWith("*", StringComparison.Ordinal) && !name.EndsWith(".*", StringComparison.Ordinal))
                _starts.Add((name.TrimEnd('*'), reason));
            else
                _members[name] = reason;
        }
    }
}
