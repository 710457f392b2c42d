using System.IO.Compression;
using System.Xml.Linq;

namespace Loxo.Docs.Tests;

/// <summary>What <c>dotnet pack</c> makes: looked at as a user of the package would get it.</summary>
public class PackageTests
{
    private static readonly string[] Ids =
    [
        "Loxo", "Loxo.AspNetCore", "Loxo.Dapper", "Loxo.DependencyInjection", "Loxo.Embedded", "Loxo.NetTopologySuite", "Loxo.NodaTime",
        "Loxo.Npgsql", "Loxo.OpenTelemetry", "Loxo.Pooling", "Loxo.Pooling.Data",
    ];

    // Analyzers are for the compiler: there is nothing to reference.
    private static readonly string[] _libraries = [.. Ids.Where(id => id != "Loxo.Npgsql")];

    private string _folder = "";

    [OneTimeSetUp]
    public async Task Pack()
    {
        _folder = Directory.CreateTempSubdirectory("loxo-packages-").FullName;
        foreach (var id in Ids)
        {
            var pack = await Terminal.Run("dotnet", "pack", Repository.PathOf($"src/{id}/{id}.csproj"),
                "-c", Repository.Configuration, "--no-build", "-o", _folder, "--nologo", "-nodeReuse:false");
            Assert.That(pack.ExitCode, Is.Zero, pack.Output + pack.Error);
        }
    }

    [OneTimeTearDown]
    public void Remove() => Directory.Delete(_folder, recursive: true);

    [TestCaseSource(nameof(Ids))]
    public void A_package_says_what_it_is(string id)
    {
        using var package = Open(id, "nupkg");
        var metadata = Metadata(package, id);

        Assert.That(metadata("id"), Is.EqualTo(id));
        Assert.That(metadata("description"), Does.Contain("PostgreSQL").And.EndsWith("."));
        Assert.That(metadata("license"), Is.EqualTo("MIT"));
        Assert.That(metadata("readme"), Is.EqualTo("README.md"));
        Assert.That(metadata("authors"), Is.Not.Empty);
        Assert.That(metadata("tags"), Does.Contain("postgresql"));
    }

    [Test]
    public void The_analyzer_is_where_the_compiler_looks_for_it()
    {
        using var package = Open("Loxo.Npgsql", "nupkg");
        var files = package.Entries.Select(entry => entry.FullName).ToArray();

        Assert.That(files, Has.Member("analyzers/dotnet/cs/Loxo.Npgsql.dll").And.Member("README.md"));
        Assert.That(files, Has.None.StartsWith("lib/"));
        using var nuspec = new StreamReader(package.GetEntry("Loxo.Npgsql.nuspec")!.Open());
        Assert.That(nuspec.ReadToEnd(), Does.Contain("<developmentDependency>true").And.Not.Contain("<dependency "));
    }

    [TestCaseSource(nameof(_libraries))]
    public void A_package_holds_the_assembly_its_documentation_and_the_readme(string id)
    {
        using var package = Open(id, "nupkg");
        var files = package.Entries.Select(entry => entry.FullName).ToArray();

        Assert.That(files, Is.SupersetOf(new[] { $"lib/net10.0/{id}.dll", $"lib/net10.0/{id}.xml", "README.md" }));
        using var readme = new StreamReader(package.GetEntry("README.md")!.Open());
        Assert.That(readme.ReadToEnd(), Is.EqualTo(Repository.Read(id == "Loxo" ? "README.md" : $"src/{id}/README.md")));
    }

    [TestCaseSource(nameof(_libraries))]
    public void Symbols_come_in_a_package_of_their_own(string id)
    {
        using var symbols = Open(id, "snupkg");

        Assert.That(symbols.Entries.Select(entry => entry.FullName), Has.Member($"lib/net10.0/{id}.pdb"));
    }

    [Test]
    public void Nothing_is_packed_that_was_not_meant_to_be() =>
        Assert.That(Directory.EnumerateFiles(_folder, "*.nupkg").Count(), Is.EqualTo(Ids.Length));

    private ZipArchive Open(string id, string kind) => ZipFile.OpenRead(
        Directory.EnumerateFiles(_folder, $"{id}.*.{kind}").Single(file => char.IsAsciiDigit(Path.GetFileName(file)[id.Length + 1])));

    private static Func<string, string> Metadata(ZipArchive package, string id)
    {
        using var stream = package.GetEntry($"{id}.nuspec")!.Open();
        var metadata = XDocument.Load(stream).Root!.Elements().Single(element => element.Name.LocalName == "metadata");
        return name => metadata.Elements().Single(element => element.Name.LocalName == name).Value;
    }
}
