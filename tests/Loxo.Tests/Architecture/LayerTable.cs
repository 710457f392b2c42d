using System.Text.RegularExpressions;

namespace Loxo.Tests.Architecture;

/// <summary>
/// The table of folders in docs/ARCHITECTURE.md. Its third column names the folders that a folder may use, with their subfolders;
/// understood are also <c>all of the above</c>, <c>the root</c>, <c>X and below</c> (X and all that X may use) and <c>X without Y</c> (no
/// subfolder Y of X).
/// </summary>
internal sealed partial class LayerTable
{
    private readonly List<string> _folders = [];
    private readonly Dictionary<string, (HashSet<string> Allowed, HashSet<string> Without)> _rows = [];

    public LayerTable(string page)
    {
        var rows = Row().Matches(page).Select(row => (Folder: row.Groups[1].Value + row.Groups[2].Value, Cell: row.Groups[3].Value))
            .ToList();
        foreach (var (folder, cell) in rows)
        {
            var name = NameOf(folder);
            _rows.Add(name, Read(cell, [.. rows.Select(row => NameOf(row.Folder))]));
            _folders.Add(name);
        }
    }

    /// <summary>The folders that have a row; the root is empty.</summary>
    public IReadOnlyList<string> Folders => _folders;

    /// <summary>Whether a folder, from <c>src/Loxo</c>, may use another.</summary>
    public bool Allows(string from, string to)
    {
        var (user, used) = (FolderGraph.Top(from), FolderGraph.Top(to));
        return user == used || (_rows.TryGetValue(user, out var row) && row.Allowed.Contains(used) && !row.Without.Contains(to));
    }

    private static string NameOf(string folder) => folder == "root" ? "" : folder;

    private (HashSet<string> Allowed, HashSet<string> Without) Read(string cell, HashSet<string> folders)
    {
        var (allowed, without) = (new HashSet<string>(), new HashSet<string>());
        if (cell.Contains("all of the above", StringComparison.Ordinal))
            allowed.UnionWith(_folders);
        if (cell.Contains("the root", StringComparison.Ordinal))
            allowed.Add("");
        allowed.UnionWith(Word().Matches(cell).Select(word => word.Value).Where(folders.Contains));
        foreach (Match below in AndBelow().Matches(cell))
            allowed.UnionWith(_rows[below.Groups[1].Value].Allowed);
        without.UnionWith(Without().Matches(cell).Select(match => $"{match.Groups[1].Value}/{match.Groups[2].Value}"));
        return (allowed, without);
    }

    [GeneratedRegex(@"^\| (?:`(\w+)/`|\((root)\)) \|[^|]*\|([^|]*)\|", RegexOptions.Multiline)]
    private static partial Regex Row();

    [GeneratedRegex(@"(?<![\w.])[A-Z]\w+(?!\w)")]
    private static partial Regex Word();

    [GeneratedRegex(@"(\w+) and below")]
    private static partial Regex AndBelow();

    [GeneratedRegex(@"(\w+) without (\w+)")]
    private static partial Regex Without();
}
