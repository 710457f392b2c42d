using System.Collections.Immutable;
using Loxo.Migration;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Loxo.MigrationTests;

/// <summary>Runs the analyzer and the code fix on sources, as an editor or <c>dotnet format</c> does.</summary>
internal static class Migration
{
    /// <summary>The references of a project that is being migrated: both drivers.</summary>
    public static readonly ImmutableArray<MetadataReference> BothDrivers =
        [.. References.Platform, .. References.Loxo, References.Of(typeof(global::Npgsql.NpgsqlConnection)), References.Of(typeof(Dapper.SqlMapper))];

    private const string ImplicitUsings = """
        global using System;
        global using System.Collections.Generic;
        global using System.Linq;
        global using System.Threading;
        global using System.Threading.Tasks;
        """;

    public static Project Project(ImmutableArray<MetadataReference> references, params (string Name, string Text)[] files)
    {
        var workspace = new AdhocWorkspace();
        var project = workspace.AddProject(ProjectInfo.Create(ProjectId.CreateNewId(), VersionStamp.Default, "Shop", "Shop", LanguageNames.CSharp,
            metadataReferences: references,
            parseOptions: new CSharpParseOptions(LanguageVersion.Latest, DocumentationMode.Parse),
            compilationOptions: new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable)));
        project = project.AddDocument("Implicit.g.cs", ImplicitUsings, filePath: "/obj/Implicit.g.cs").Project;
        foreach (var (name, text) in files)
            project = project.AddDocument(name, text, filePath: "/" + name).Project;
        return project;
    }

    /// <summary>The diagnostics of the sources, in the order of their places.</summary>
    public static async Task<ImmutableArray<Diagnostic>> Diagnose(Project project)
    {
        var compilation = (await project.GetCompilationAsync())!;
        var diagnostics = await compilation.WithAnalyzers([new MigrationAnalyzer()], project.AnalyzerOptions).GetAnalyzerDiagnosticsAsync();
        return [.. diagnostics.OrderBy(one => one.Location.SourceTree!.FilePath, StringComparer.Ordinal).ThenBy(one => one.Location.SourceSpan.Start)];
    }

    /// <summary>What the code fix makes of a source, applied to all of it.</summary>
    public static async Task<string> Fix(string source) => (await FixAll(Project(BothDrivers, ("Source.cs", source)))).Single().Text;

    /// <summary>What the code fix makes of the sources, applied to the project.</summary>
    public static async Task<IReadOnlyList<(string Name, string Text)>> FixAll(Project project)
    {
        var (solution, files) = (await FixAll(project, FixAllScope.Project), new List<(string, string)>());
        foreach (var document in solution.GetProject(project.Id)!.Documents.Where(one => one.Name != "Implicit.g.cs"))
            files.Add((document.Name, (await document.GetTextAsync()).ToString()));
        return files;
    }

    public static async Task<Solution> FixAll(Project project, FixAllScope scope)
    {
        var (fix, diagnostics) = (new RenameCodeFix(), new Diagnostics());
        if ((await Diagnose(project)).FirstOrDefault(one => one.Id == MigrationAnalyzer.RenameId) is not { } first)
            return project.Solution;
        var document = project.GetDocument(first.Location.SourceTree)!;
        var key = (await Actions(document, first)).Single().EquivalenceKey;
        var context = scope == FixAllScope.Document
            ? new FixAllContext(document, fix, scope, key!, fix.FixableDiagnosticIds, diagnostics, default)
            : new FixAllContext(project, fix, scope, key!, fix.FixableDiagnosticIds, diagnostics, default);
        return await Changed((await fix.GetFixAllProvider().GetFixAsync(context))!);
    }

    /// <summary>What the code fix makes of a document when it is applied to one diagnostic alone.</summary>
    public static async Task<string> FixOne(Project project, Diagnostic diagnostic)
    {
        var document = project.GetDocument(diagnostic.Location.SourceTree)!;
        var solution = await Changed((await Actions(document, diagnostic)).Single());
        return (await solution.GetDocument(document.Id)!.GetTextAsync()).ToString();
    }

    /// <summary>The errors that the compiler finds in the sources, other than that something of Npgsql's is obsolete or experimental.</summary>
    public static async Task<IEnumerable<string>> Errors(Project project) => (await project.GetCompilationAsync())!.GetDiagnostics()
        .Where(one => one.Severity == DiagnosticSeverity.Error && one.Id is not ("CS0619" or "NPG9001")).Select(one => one.ToString());

    private static async Task<List<CodeAction>> Actions(Document document, Diagnostic diagnostic)
    {
        var actions = new List<CodeAction>();
        await new RenameCodeFix().RegisterCodeFixesAsync(new CodeFixContext(document, diagnostic, (action, _) => actions.Add(action), default));
        return actions;
    }

    private static async Task<Solution> Changed(CodeAction action) =>
        (await action.GetOperationsAsync(default)).OfType<ApplyChangesOperation>().Single().ChangedSolution;

    private sealed class Diagnostics : FixAllContext.DiagnosticProvider
    {
        public override async Task<IEnumerable<Diagnostic>> GetAllDiagnosticsAsync(Project project, CancellationToken token) =>
            (await Diagnose(project)).Where(one => one.Id == MigrationAnalyzer.RenameId);

        public override async Task<IEnumerable<Diagnostic>> GetDocumentDiagnosticsAsync(Document document, CancellationToken token)
        {
            var tree = await document.GetSyntaxTreeAsync(token);
            return (await GetAllDiagnosticsAsync(document.Project, token)).Where(one => one.Location.SourceTree == tree);
        }

        public override Task<IEnumerable<Diagnostic>> GetProjectDiagnosticsAsync(Project project, CancellationToken token) =>
            Task.FromResult<IEnumerable<Diagnostic>>([]);
    }
}
