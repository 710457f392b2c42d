using System.Collections.Immutable;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Loxo.Migration;

/// <summary>Finds the names of Npgsql that have another name in Loxo, and the parts of Npgsql that Loxo does not have.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class MigrationAnalyzer : DiagnosticAnalyzer
{
    /// <summary>The diagnostic of a name that the code fix changes.</summary>
    public const string RenameId = "LOXO0001";

    /// <summary>The diagnostic of a use that has no counterpart in Loxo.</summary>
    public const string MissingId = "LOXO0002";

    private static readonly DiagnosticDescriptor _rename = new(
        RenameId, "Npgsql's name has a counterpart in Loxo", "{0}", "Migration", DiagnosticSeverity.Warning, isEnabledByDefault: true,
        "The name belongs to Npgsql. The code fix writes the name that Loxo has for it.");

    private static readonly DiagnosticDescriptor _missing = new(
        MissingId, "Npgsql's feature has no counterpart in Loxo", "'{0}' has no counterpart in Loxo: {1}", "Migration",
        DiagnosticSeverity.Warning, isEnabledByDefault: true,
        "Loxo does not have this part of Npgsql. The message says why, and what to use.");

    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [_rename, _missing];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.EnableConcurrentExecution();
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.RegisterCompilationStartAction(static start =>
        {
            if (!start.Compilation.ReferencedAssemblyNames.Any(one => one.Name == "Npgsql"))
                return;
            var globals = GlobalUsings.Of(start.Compilation, start.Options.AnalyzerConfigOptionsProvider, start.CancellationToken);
            start.RegisterSemanticModelAction(model => Analyze(model, globals));
        });
    }

    private static void Analyze(SemanticModelAnalysisContext context, GlobalUsings globals)
    {
        var walker = new NameWalker(context.SemanticModel, globals, context.CancellationToken);
        walker.Visit(context.SemanticModel.SyntaxTree.GetRoot(context.CancellationToken));
        foreach (var finding in walker.Findings)
            context.ReportDiagnostic(Report(finding, context.SemanticModel.SyntaxTree));
    }

    private static Diagnostic Report(Finding finding, SyntaxTree tree)
    {
        var location = Location.Create(tree, finding.Span);
        if (finding.Replacement is not { } replacement)
            return Diagnostic.Create(_missing, location, finding.Name, finding.Reason);
        var message = replacement.Length == 0 ? $"'{finding.Name}' is not needed in Loxo"
            : replacement == finding.Name ? $"'{finding.Name}' is in the namespace '{LoxoNames.Namespace}'"
            : $"'{finding.Name}' is '{replacement}' in Loxo";
        return Diagnostic.Create(_rename, location, Edit.Properties(finding), message);
    }
}
