using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Loxo.Migration;

/// <summary>
/// The namespaces that the sources of a project import for all files. Generated files do not count, because no code fix changes them.
/// </summary>
internal sealed class GlobalUsings
{
    private readonly HashSet<string> _namespaces;

    private GlobalUsings(HashSet<string> namespaces) => _namespaces = namespaces;

    public static GlobalUsings Of(Compilation compilation, AnalyzerConfigOptionsProvider options, CancellationToken token) =>
        new([.. compilation.SyntaxTrees
            .Where(tree => !IsGenerated(tree, options))
            .SelectMany(tree => ((CompilationUnitSyntax)tree.GetRoot(token)).Usings)
            .Where(one => one.GlobalKeyword.IsKind(SyntaxKind.GlobalKeyword))
            .Select(NamespaceOf)]);

    public bool Contains(string name) => _namespaces.Contains(name);

    /// <summary>The namespace that a directive imports; an empty text for aliases and types.</summary>
    public static string NamespaceOf(UsingDirectiveSyntax directive) =>
        directive.Alias is not null || directive.StaticKeyword.IsKind(SyntaxKind.StaticKeyword)
            ? "" : directive.NamespaceOrType.ToString().Replace("global::", "");

    private static bool IsGenerated(SyntaxTree tree, AnalyzerConfigOptionsProvider options) =>
        tree.FilePath.EndsWith(".g.cs", System.StringComparison.OrdinalIgnoreCase)
        || (options.GetOptions(tree).TryGetValue("generated_code", out var value) && value == "true");
}
