using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Composition;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CodeActions;
using Microsoft.CodeAnalysis.CodeFixes;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Loxo.Migration;

/// <summary>Writes Loxo's names for Npgsql's: at one place, or in a document, a project or a solution.</summary>
[ExportCodeFixProvider(LanguageNames.CSharp, Name = nameof(RenameCodeFix))]
[Shared]
public sealed class RenameCodeFix : CodeFixProvider
{
    private const string Title = "Use Loxo";

    /// <inheritdoc/>
    public override ImmutableArray<string> FixableDiagnosticIds { get; } = [MigrationAnalyzer.RenameId];

    /// <inheritdoc/>
    public override FixAllProvider GetFixAllProvider() => FixAllProvider.Create(
        static (context, document, diagnostics) => Apply(document, diagnostics, isAlone: false, context.CancellationToken)!);

    /// <inheritdoc/>
    public override Task RegisterCodeFixesAsync(CodeFixContext context)
    {
        foreach (var diagnostic in context.Diagnostics)
        {
            context.RegisterCodeFix(
                CodeAction.Create(Title, token => Apply(context.Document, [diagnostic], isAlone: true, token), Title), diagnostic);
        }
        return Task.CompletedTask;
    }

    private static async Task<Document> Apply(
        Document document, ImmutableArray<Diagnostic> diagnostics, bool isAlone, CancellationToken token)
    {
        var edits = diagnostics.Select(Edit.Of).GroupBy(edit => edit.Span).Select(group => group.First()).ToArray();
        var text = await document.GetTextAsync(token).ConfigureAwait(false);
        var changes = edits.Select(edit => new TextChange(edit.Span, edit.Text))
            .Concat(edits.Where(edit => edit.KeptName is not null).Select(edit => edit.KeptName!.Value))
            .OrderBy(change => change.Span.Start).ThenBy(change => change.Span.Length);
        text = text.WithChanges(changes);
        var needsUsing = edits.Any(edit => edit.Using == UsingNeed.Always || (isAlone && edit.Using == UsingNeed.WhenFixedAlone));
        if (needsUsing && !(isAlone && await IsImportedForAll(document.Project, token).ConfigureAwait(false)))
            text = WithUsing(text, token);
        return document.WithText(text);
    }

    private static async Task<bool> IsImportedForAll(Project project, CancellationToken token)
    {
        foreach (var document in project.Documents)
        {
            if (await document.GetSyntaxRootAsync(token).ConfigureAwait(false) is CompilationUnitSyntax root
                && root.Usings.Any(one => one.GlobalKeyword.IsKind(SyntaxKind.GlobalKeyword)
                    && GlobalUsings.NamespaceOf(one) == LoxoNames.Namespace))
            {
                return true;
            }
        }
        return false;
    }

    private static SourceText WithUsing(SourceText text, CancellationToken token)
    {
        var root = (CompilationUnitSyntax)CSharpSyntaxTree.ParseText(text, cancellationToken: token).GetRoot(token);
        if (root.DescendantNodes().OfType<UsingDirectiveSyntax>().Any(one => GlobalUsings.NamespaceOf(one) == LoxoNames.Namespace))
            return text;
        var line = text.Lines[LineFor(root, text)];
        var first = text.Lines[0];
        var end = text.ToString(TextSpan.FromBounds(first.End, first.EndIncludingLineBreak)) is { Length: > 0 } ending ? ending : "\n";
        var blank = root.Usings.Count == 0 ? end : "";
        return text.WithChanges(new TextChange(new TextSpan(line.Start, 0), $"using {LoxoNames.Namespace};{end}{blank}"));
    }

    // In front of the first directive that would come later in the alphabet, else after the last one; without any, below the file's header.
    private static int LineFor(CompilationUnitSyntax root, SourceText text)
    {
        var directives = root.Usings.Where(one => !one.GlobalKeyword.IsKind(SyntaxKind.GlobalKeyword)).ToArray();
        var next = directives.FirstOrDefault(one => GlobalUsings.NamespaceOf(one) is { } name
            && !name.StartsWith("System", StringComparison.Ordinal)
            && string.CompareOrdinal(name.Length == 0 ? "~" : name, LoxoNames.Namespace) > 0);
        if (next is not null)
            return text.Lines.GetLineFromPosition(next.SpanStart).LineNumber;
        if (root.Usings.LastOrDefault() is { } last)
            return Math.Min(text.Lines.GetLineFromPosition(last.Span.End).LineNumber + 1, text.Lines.Count - 1);
        var header = text.Lines.TakeWhile(line => text.ToString(line.Span).Trim() is { } start
            && (start.Length == 0 || start.StartsWith("//", StringComparison.Ordinal) && !start.StartsWith("///", StringComparison.Ordinal)
                || start.StartsWith("#:", StringComparison.Ordinal) || start.StartsWith("#!", StringComparison.Ordinal)));
        return Math.Min(header.Count(), text.Lines.Count - 1);
    }
}
