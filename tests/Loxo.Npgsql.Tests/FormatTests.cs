using System.Xml.Linq;
using Loxo.Docs.Tests;

namespace Loxo.MigrationTests;

/// <summary>The package, used as docs/migration.md says: on a command line, without an editor.</summary>
[Category("Slow")]
public sealed class FormatTests
{
    private static readonly string _version = typeof(PgConnection).Assembly.GetName().Version!.ToString(3);
    private string _folder = "";

    [SetUp]
    public async Task CreateProject()
    {
        _folder = Directory.CreateTempSubdirectory("loxo-migration-").FullName;
        foreach (var package in new[] { "Loxo", "Loxo.Pooling", "Loxo.Npgsql" })
        {
            await Dotnet("pack", Repository.PathOf($"src/{package}/{package}.csproj"), "-c", Repository.Configuration,
                "--no-build", "-o", Path.Combine(_folder, "feed"), "--nologo", "-nodeReuse:false");
        }
        foreach (var (name, text) in Sources("before"))
            await File.WriteAllTextAsync(Path.Combine(_folder, name), text);
        await File.WriteAllTextAsync(Path.Combine(_folder, "nuget.config"), $"""
            <configuration>
              <packageSources><clear /><add key="feed" value="{_folder}/feed" /></packageSources>
              <fallbackPackageFolders><add key="cache" value="{References.Packages}" /></fallbackPackageFolders>
              <config><add key="globalPackagesFolder" value="{_folder}/packages" /></config>
            </configuration>
            """);
    }

    [TearDown]
    public void RemoveProject() => Directory.Delete(_folder, recursive: true);

    [Test]
    public async Task A_project_is_renamed_by_dotnet_format_and_builds_without_Npgsql()
    {
        WriteProject(("Npgsql", "10.0.0"), ("Loxo", _version), ("Loxo.Npgsql", _version));
        await Dotnet("format", "analyzers", Project, "--diagnostics", "LOXO0001");

        Assert.That(Sources("after").Select(file => (file.Name, File.ReadAllText(Path.Combine(_folder, file.Name)))), Is.EqualTo(Sources("after")));

        WriteProject(("Loxo", _version));
        await Dotnet("build", Project, "--nologo", "-nodeReuse:false");
    }

    private string Project => Path.Combine(_folder, "Ledger.csproj");

    private static async Task Dotnet(params string[] arguments)
    {
        var (exitCode, output, error) = await Terminal.Run("dotnet", arguments);
        Assert.That(exitCode, Is.Zero, output + error);
    }

    private static IEnumerable<(string Name, string Text)> Sources(string side) =>
        Directory.EnumerateFiles(Repository.PathOf($"samples/migration/Ledger/{side}"), "*.cs").Order(StringComparer.Ordinal)
            .Select(path => (Path.GetFileName(path), File.ReadAllText(path)));

    private void WriteProject(params (string Id, string Version)[] packages) => new XElement("Project",
        new XAttribute("Sdk", "Microsoft.NET.Sdk"),
        new XElement("PropertyGroup",
            new XElement("TargetFramework", "net10.0"),
            new XElement("OutputType", "Exe"),
            new XElement("ImplicitUsings", "enable"),
            new XElement("Nullable", "enable"),
            new XElement("NuGetAudit", "false")),
        new XElement("ItemGroup", packages.Select(package => new XElement("PackageReference",
            new XAttribute("Include", package.Id), new XAttribute("Version", package.Version))))).Save(Project);
}
