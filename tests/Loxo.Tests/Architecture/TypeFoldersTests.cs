namespace Loxo.Tests.Architecture;

/// <summary>The folders of src/Loxo/Types use each other in one direction only.</summary>
public sealed class TypeFoldersTests
{
    private static FolderGraph Graph => FolderGraph.Of("src/Loxo");

    [Test]
    public void No_two_folders_of_Types_use_each_other()
    {
        var cycles = Graph.Cycles(TypesOnly);
        Assert.That(cycles.Select(cycle => string.Join(", ", cycle)), Is.Empty, () => string.Join('\n', cycles.SelectMany(Explain)));
    }

    [Test]
    public void References_are_seen() =>
        Assert.That(Graph.References.Where(reference => reference.From == "Types/Catalog").Select(reference => reference.To).Distinct(), Is.SupersetOf(new[] { "Types", "Types/Ranges" }));

    private static string? TypesOnly(string folder) => folder == "Types" || folder.StartsWith("Types/", StringComparison.Ordinal) ? folder : null;

    private static IEnumerable<string> Explain(string[] cycle) =>
        from a in cycle
        from b in cycle
        where a != b
        from reference in Graph.Between(a, b)
        select reference.ToString();
}
