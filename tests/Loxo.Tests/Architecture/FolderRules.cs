using Microsoft.CodeAnalysis;

namespace Loxo.Tests.Architecture;

/// <summary>Rules for the folders of <c>src/Loxo</c> and their uses of each other.</summary>
internal static class FolderRules
{
    private static readonly string[] _ofOthers = ["Transport", "Session", "Protocol", "Types", "Pool"];

    /// <summary>A folder uses only the folders that the table allows.</summary>
    public static IEnumerable<Breach> Uses(Sources sources, LayerTable table) => sources.Folders.References
        .Where(reference => !table.Allows(reference.From, reference.To))
        .DistinctBy(reference => reference.Subject)
        .Select(reference => new Breach(reference.Place, reference.Subject, $"{reference}, which docs/ARCHITECTURE.md does not allow.",
            "Let the upper folder call the lower one: hand the value down, or return it."));

    /// <summary>Settings name what they fill, settings records and enums, and nothing that acts.</summary>
    public static IEnumerable<Breach> SettingsUseOnlyRecords(Sources sources) => sources.Folders.References
        .Where(reference => reference.From == "Settings" && _ofOthers.Contains(FolderGraph.Top(reference.To)))
        .Where(reference => reference.Type is not ({ TypeKind: TypeKind.Enum } or { IsRecord: true }))
        .Select(reference => new Breach(reference.Place, reference.Subject, $"{reference}, which is neither a settings record nor an enum.",
            "Settings are read without a session: move the work to the folder that uses the setting."));

    /// <summary>No two subfolders of one folder use each other, directly or over others.</summary>
    public static IEnumerable<Breach> CyclesOfSubfolders(Sources sources) => sources.Folders.Folders.Select(FolderGraph.Top).Distinct()
        .SelectMany(top => Cycles(sources, folder => FolderGraph.Top(folder) == top && folder.Length > 0 ? folder : null));

    /// <summary>No two folders use each other, directly or over others.</summary>
    public static IEnumerable<Breach> CyclesOfFolders(Sources sources) => Cycles(sources, FolderGraph.Top);

    /// <summary>All parts of a type are in one folder.</summary>
    public static IEnumerable<Breach> PartsInOneFolder(Sources sources) =>
        from type in SizeRules.TypesOf(sources)
        let folders = type.DeclaringSyntaxReferences.Select(part => Path.GetDirectoryName(part.SyntaxTree.FilePath)!).Distinct().ToArray()
        where folders.Length > 1
        select new Breach(Sources.Place(type.DeclaringSyntaxReferences[0].GetSyntax()), type.ToDisplayString(),
            $"{type.ToDisplayString()} has parts in the folders {string.Join(", ", folders)}.",
            "A part in an upper folder lets a lower one use it unseen: put all parts into one folder.");

    private static IEnumerable<Breach> Cycles(Sources sources, Func<string, string?> node) =>
        from circle in sources.Folders.Cycles(node)
        let names = string.Join(", ", circle.Select(FolderReference.NameOf))
        select new Breach("src/Loxo", names, $"the folders {names} use each other.",
            $"Decide which is the lower one, and move what it uses of the others into it:\n{Explain(sources, node, circle)}");

    private static string Explain(Sources sources, Func<string, string?> node, string[] circle) =>
        string.Join('\n', sources.Folders.References
            .Where(reference => circle.Contains(node(reference.From)) && circle.Contains(node(reference.To))
                && node(reference.From) != node(reference.To))
            .DistinctBy(reference => reference.Subject)
            .Select(reference => $"  {reference.Place}: {reference}").Take(60));
}
