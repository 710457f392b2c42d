using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Loxo.Migration;

/// <summary>Visits the names of a file, those in documentation comments included, and collects what has to change.</summary>
internal sealed class NameWalker : CSharpSyntaxWalker
{
    private readonly SemanticModel _model;
    private readonly CancellationToken _token;
    private readonly UsingDirectives _usings;
    private readonly MissingMembers _missing;
    private readonly List<Finding> _findings = [];

    public NameWalker(SemanticModel model, GlobalUsings globals, CancellationToken token)
        : base(SyntaxWalkerDepth.StructuredTrivia)
    {
        (_model, _token) = (model, token);
        _usings = new UsingDirectives(model, globals, token);
        _missing = new MissingMembers(model, token, _findings);
    }

    public IReadOnlyList<Finding> Findings => _findings;

    public override void VisitUsingDirective(UsingDirectiveSyntax node)
    {
        var isOfNamespace = node.Alias is null && !node.StaticKeyword.IsKind(SyntaxKind.StaticKeyword);
        if (isOfNamespace && _usings.Find(node) is { } finding)
            _findings.Add(finding);
        else
            Visit(node.NamespaceOrType); // not the name of an alias
    }

    // The names of the project's own namespaces stay.
    public override void VisitNamespaceDeclaration(NamespaceDeclarationSyntax node) => VisitMembers(node);

    public override void VisitFileScopedNamespaceDeclaration(FileScopedNamespaceDeclarationSyntax node) => VisitMembers(node);

    public override void VisitIdentifierName(IdentifierNameSyntax node)
    {
        VisitName(node);
        base.VisitIdentifierName(node); // a documentation comment can stand in front of it
    }

    public override void VisitGenericName(GenericNameSyntax node)
    {
        VisitName(node);
        base.VisitGenericName(node);
    }

    public override void VisitLiteralExpression(LiteralExpressionSyntax node)
    {
        if (!node.IsKind(SyntaxKind.StringLiteralExpression))
            return;
        _findings.AddRange(ConnectionStrings.Find(node));
        _findings.AddRange(Switches.Find(node));
    }

    public override void VisitInterpolatedStringExpression(InterpolatedStringExpressionSyntax node)
    {
        _findings.AddRange(ConnectionStrings.Find(node));
        base.VisitInterpolatedStringExpression(node);
    }

    public override void DefaultVisit(SyntaxNode node)
    {
        _token.ThrowIfCancellationRequested();
        _missing.Visit(node);
        base.DefaultVisit(node);
    }

    private void VisitMembers(BaseNamespaceDeclarationSyntax node)
    {
        foreach (var child in node.ChildNodes().Where(child => child != node.Name))
            Visit(child);
    }

    private void VisitName(SimpleNameSyntax node)
    {
        if (node is IdentifierNameSyntax { IsVar: true })
            return;
        var alias = node is IdentifierNameSyntax identifier ? _model.GetAliasInfo(identifier, _token) : null;
        var info = _model.GetSymbolInfo(node, _token);
        switch (info.Symbol ?? info.CandidateSymbols.FirstOrDefault())
        {
            case INamespaceSymbol:
                VisitNamespace(node);
                break;
            case INamedTypeSymbol type when alias is null && LoxoNames.IsOfNpgsql(type):
                VisitType(node, type.OriginalDefinition);
                break;
            case IMethodSymbol { MethodKind: MethodKind.Constructor } constructor when alias is null && LoxoNames.IsOfNpgsql(constructor):
                VisitType(node, constructor.ContainingType.OriginalDefinition);
                break;
            case IParameterSymbol parameter when node.Parent is NameColonSyntax && LoxoNames.IsOfNpgsql(parameter):
                Rename(node, LoxoNames.OfParameter((IParameterSymbol)parameter.OriginalDefinition), UsingNeed.None);
                break;
            case { ContainingType: not null } member when alias is null && LoxoNames.IsOfNpgsql(member):
                VisitMember(node, member);
                break;
        }
    }

    private void VisitNamespace(SimpleNameSyntax leftmost)
    {
        // "Npgsql.NameTranslation.X": the namespace ends where its longest name does.
        SyntaxNode whole = leftmost;
        while (whole.Parent is QualifiedNameSyntax or MemberAccessExpressionSyntax or AliasQualifiedNameSyntax
            && _model.GetSymbolInfo(whole.Parent, _token).Symbol is INamespaceSymbol)
        {
            whole = whole.Parent;
        }
        var isLeftmost = whole == leftmost || whole.DescendantNodes().OfType<SimpleNameSyntax>()
            .First(name => name.Parent is not AliasQualifiedNameSyntax qualified || qualified.Name == name) == leftmost;
        if (!isLeftmost || _model.GetSymbolInfo(whole, _token).Symbol is not INamespaceSymbol space || !_usings.IsNpgsql(space))
            return;
        var span = TextSpan.FromBounds(leftmost.SpanStart, whole.Span.End);
        var name = whole.ToString();
        var alias = leftmost is IdentifierNameSyntax identifier ? _model.GetAliasInfo(identifier, _token) : null;
        if (Differences.Instance.OfNamespace(space) is { } reason)
            _findings.Add(Finding.Missing(span, name, reason));
        else if (alias is null)
            _findings.Add(Finding.Rename(span, name, LoxoNames.Namespace));
        else if (whole != leftmost)
            _findings.Add(Finding.Rename(span, name, alias.Name));
    }

    private void VisitType(SimpleNameSyntax node, INamedTypeSymbol type)
    {
        if (Differences.Instance.OfType(type) is { } reason)
            _findings.Add(Finding.Missing(node.Identifier.Span, node.Identifier.ValueText, reason));
        else
            Rename(node, LoxoNames.Of(node.Identifier.ValueText),
                IsQualified(node) ? UsingNeed.None : _usings.NeedOf(type.ContainingNamespace));
    }

    private void VisitMember(SimpleNameSyntax node, ISymbol symbol)
    {
        var isExtension = symbol is IMethodSymbol { ReducedFrom: not null };
        var member = ((symbol as IMethodSymbol)?.ReducedFrom ?? symbol).OriginalDefinition;
        if (!_missing.Report(node, node.Identifier.Span, member))
            Rename(node, LoxoNames.Of(node.Identifier.ValueText),
                isExtension ? _usings.NeedOf(member.ContainingNamespace) : UsingNeed.None);
    }

    private void Rename(SimpleNameSyntax node, string name, UsingNeed needed)
    {
        var isSame = name == node.Identifier.ValueText;
        if (isSame && needed != UsingNeed.Always)
            return;
        var finding = Finding.Rename(node.Identifier.Span, node.Identifier.ValueText, name, needed);
        _findings.Add(finding);
        if (isSame)
            return;
        // new { parameter.NpgsqlDbType } and (parameter.NpgsqlDbType, 1) name a member after the expression.
        SyntaxNode expression = node.Parent is MemberAccessExpressionSyntax access && access.Name == node ? access : node;
        if (expression.Parent is AnonymousObjectMemberDeclaratorSyntax { NameEquals: null })
            finding.KeepName(expression.SpanStart, " = ");
        else if (expression.Parent is ArgumentSyntax { NameColon: null, Parent: TupleExpressionSyntax })
            finding.KeepName(expression.SpanStart, ": ");
    }

    private static bool IsQualified(SimpleNameSyntax node) => node.Parent switch
    {
        QualifiedNameSyntax qualified => qualified.Right == node,
        MemberAccessExpressionSyntax access => access.Name == node,
        AliasQualifiedNameSyntax qualified => qualified.Name == node,
        NameMemberCrefSyntax { Parent: QualifiedCrefSyntax } => true,
        _ => false,
    };
}
