using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Loxo.Migration;

/// <summary>The directives of a file that import Npgsql's namespaces. They all become <c>using Loxo;</c>, which is written once.</summary>
internal sealed class UsingDirectives
{
    private readonly SemanticModel _model;
    private readonly CancellationToken _token;
    private readonly GlobalUsings _globals;
    private readonly SourceText _text;
    private readonly HashSet<string> _imported;

    public UsingDirectives(SemanticModel model, GlobalUsings globals, CancellationToken token)
    {
        (_model, _globals, _token) = (model, globals, token);
        _text = model.SyntaxTree.GetText(token);
        _imported = [.. model.SyntaxTree.GetRoot(token)
            .DescendantNodes(node => node is CompilationUnitSyntax or BaseNamespaceDeclarationSyntax)
            .OfType<UsingDirectiveSyntax>().Select(GlobalUsings.NamespaceOf)];
    }

    /// <summary>What has to be done to a directive that imports a namespace; null if it imports none of Npgsql's.</summary>
    public Finding? Find(UsingDirectiveSyntax directive)
    {
        if (_model.GetSymbolInfo(directive.NamespaceOrType, _token).Symbol is not INamespaceSymbol space || !IsNpgsql(space))
            return null;
        var (name, span) = (directive.NamespaceOrType.ToString(), directive.NamespaceOrType.Span);
        if (Differences.Instance.OfNamespace(space) is { } reason)
            return Finding.Missing(span, name, reason);
        var becomesLoxo = Siblings(directive).FirstOrDefault(one => one == directive || ImportsLoxo(one));
        return becomesLoxo == directive && !Siblings(directive).Any(one => GlobalUsings.NamespaceOf(one) == LoxoNames.Namespace)
            ? Finding.Rename(span, name, name.StartsWith("global::", StringComparison.Ordinal) ? "global::Loxo" : LoxoNames.Namespace)
            : Finding.Remove(span, WholeLine(directive), name, UsingNeed.WhenFixedAlone);
    }

    /// <summary>
    /// Whether a namespace belongs to Npgsql, and not only to a library that extends its name, or to one that Npgsql's packages extend.
    /// </summary>
    public bool IsNpgsql(INamespaceSymbol space) => IsNpgsql(space.ToDisplayString()) && space.ConstituentNamespaces
        .Any(one => one.ContainingAssembly is { } assembly && LoxoNames.IsNpgsql(assembly.Name) && one.GetTypeMembers().Any());

    public UsingNeed NeedOf(INamespaceSymbol space)
    {
        var name = space.ToDisplayString();
        return !IsNpgsql(name) ? UsingNeed.None
            : _imported.Contains(name) || _globals.Contains(name) ? UsingNeed.WhenFixedAlone : UsingNeed.Always;
    }

    private static bool IsNpgsql(string name) => name.StartsWith("Npgsql", StringComparison.Ordinal);

    private bool ImportsLoxo(UsingDirectiveSyntax directive) => GlobalUsings.NamespaceOf(directive) is { Length: > 0 } name
        && (name == LoxoNames.Namespace || (_model.GetSymbolInfo(directive.NamespaceOrType, _token).Symbol is INamespaceSymbol space
            && IsNpgsql(space) && Differences.Instance.OfNamespace(space) is null));

    // Directives that stand together; global ones are a list of their own.
    private static IEnumerable<UsingDirectiveSyntax> Siblings(UsingDirectiveSyntax directive)
    {
        var all = directive.Parent switch
        {
            CompilationUnitSyntax unit => unit.Usings,
            BaseNamespaceDeclarationSyntax space => space.Usings,
            _ => default,
        };
        return all.Where(one => one.GlobalKeyword.IsKind(directive.GlobalKeyword.Kind()));
    }

    private TextSpan WholeLine(UsingDirectiveSyntax directive)
    {
        var line = _text.Lines.GetLineFromPosition(directive.SpanStart);
        return _text.ToString(line.Span).Trim() == directive.ToString() ? line.SpanIncludingLineBreak : directive.Span;
    }
}
