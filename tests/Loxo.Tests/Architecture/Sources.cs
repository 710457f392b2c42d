using System.Collections.Concurrent;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Loxo.Tests.Architecture;

/// <summary>
/// C# files and their compilation. All rules of the architecture share <see cref="Own"/>, so that the repository is parsed once.
/// </summary>
internal sealed class Sources
{
    // Those of the SDK, and those of Loxo.csproj.
    private const string ImplicitUsings = """
        global using Loxo.Types;
        global using System;
        global using System.Buffers;
        global using System.Buffers.Binary;
        global using System.Collections.Generic;
        global using System.Diagnostics.CodeAnalysis;
        global using System.Globalization;
        global using System.IO;
        global using System.Linq;
        global using System.Net.Http;
        global using System.Runtime.CompilerServices;
        global using System.Runtime.InteropServices;
        global using System.Text;
        global using System.Threading;
        global using System.Threading.Tasks;
        """;

    private static readonly CSharpParseOptions _options = new(LanguageVersion.Preview);
    private static readonly Lazy<Sources> _own = new(() => Below(Repository.Root));
    private static readonly Lazy<IReadOnlyList<MetadataReference>> _assemblies = new(Assemblies);

    private readonly ConcurrentDictionary<SyntaxTree, SemanticModel> _models = [];
    private readonly Lazy<FolderGraph> _folders;

    private Sources(IEnumerable<(string Path, string Text)> files)
    {
        Trees = [.. files.AsParallel().AsOrdered().Select(file => CSharpSyntaxTree.ParseText(file.Text, _options, file.Path))];
        Compilation = CSharpCompilation.Create("Sources", [.. Trees, CSharpSyntaxTree.ParseText(ImplicitUsings, _options)],
            _assemblies.Value,
            new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true,
                nullableContextOptions: NullableContextOptions.Enable));
        _folders = new(() => new FolderGraph(this));
    }

    /// <summary>The files below <c>src</c> of this repository.</summary>
    public static Sources Own => _own.Value;

    /// <summary>One tree for each file. Its path starts at the repository's root: <c>src/Loxo/PgCommand.cs</c>.</summary>
    public IReadOnlyList<SyntaxTree> Trees { get; }

    public CSharpCompilation Compilation { get; }

    /// <summary>The references between the folders of <c>src/Loxo</c>.</summary>
    public FolderGraph Folders => _folders.Value;

    /// <summary>Files that people wrote.</summary>
    public IEnumerable<SyntaxTree> Written => Trees.Where(tree => !tree.FilePath.EndsWith(".g.cs", StringComparison.Ordinal));

    /// <summary>The files below <c>src</c> of a repository.</summary>
    public static Sources Below(string root) => new(Repository.FilesBelow(Path.Combine(root, "src"))
        .Where(path => path.EndsWith(".cs", StringComparison.Ordinal))
        .Order(StringComparer.Ordinal)
        .Select(path => (Path.GetRelativePath(root, path).Replace('\\', '/'), File.ReadAllText(path))));

    /// <summary>Files made for a test.</summary>
    public static Sources Of(params (string Path, string Text)[] files) => new(files);

    public SemanticModel Model(SyntaxTree tree) => _models.GetOrAdd(tree, key => Compilation.GetSemanticModel(key));

    /// <summary>File and line of a node.</summary>
    public static string Place(SyntaxNode node) =>
        $"{node.SyntaxTree.FilePath}:{node.GetLocation().GetLineSpan().StartLinePosition.Line + 1}";

    // The assemblies that the tests run with, except those that are compiled here from source.
    private static IReadOnlyList<MetadataReference> Assemblies() =>
        [.. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(path => !Path.GetFileName(path).StartsWith("Loxo", StringComparison.Ordinal))
            .Select(path => MetadataReference.CreateFromFile(path))];
}
