using System.Collections.Immutable;
using System.Reflection;
using Microsoft.CodeAnalysis;

namespace Loxo.MigrationTests;

/// <summary>The assemblies that sources are compiled against.</summary>
internal static class References
{
    /// <summary>The folder into which NuGet downloads packages.</summary>
    public static string Packages { get; } = typeof(References).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
        .Single(one => one.Key == "Packages").Value!;

    public static ImmutableArray<MetadataReference> Platform { get; } =
    [
        .. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(path => Path.GetFileName(path) is "netstandard.dll" or "mscorlib.dll" or "Microsoft.Extensions.Logging.Abstractions.dll"
                || Path.GetFileName(path).StartsWith("System.", StringComparison.Ordinal))
            .Select(path => MetadataReference.CreateFromFile(path)),
    ];

    public static ImmutableArray<MetadataReference> Loxo { get; } =
        [Of(typeof(PgConnection)), Of(typeof(Loxo.Pooling.ResourcePoolOptions))];

    public static MetadataReference Of(Type type) => MetadataReference.CreateFromFile(type.Assembly.Location);

    /// <summary>An assembly of a package that no project references.</summary>
    public static MetadataReference OfPackage(string id, string version)
    {
        var folders = Path.Combine(Packages, id.ToLowerInvariant(), version, "lib");
        var newest = Directory.EnumerateFiles(folders, id + ".dll", SearchOption.AllDirectories).Order(StringComparer.Ordinal)
            .Last(file => !file.Contains("netstandard", StringComparison.Ordinal));
        return MetadataReference.CreateFromFile(newest);
    }
}
