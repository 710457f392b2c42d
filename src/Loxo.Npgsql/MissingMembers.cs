using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Text;

namespace Loxo.Migration;

/// <summary>Reports uses of members that Loxo does not have: by name, and where an expression uses one without naming it.</summary>
internal sealed class MissingMembers(SemanticModel model, CancellationToken token, List<Finding> findings)
{
    /// <summary>Looks at what uses a constructor, an indexer or an operator.</summary>
    public void Visit(SyntaxNode node)
    {
        switch (node)
        {
            case BaseObjectCreationExpressionSyntax creation:
                Report(node, creation is ObjectCreationExpressionSyntax { Type: var type } ? type.Span : creation.NewKeyword.Span);
                break;
            case ElementAccessExpressionSyntax access:
                Report(node, access.ArgumentList.Span);
                break;
            case BinaryExpressionSyntax binary:
                Report(node, binary.OperatorToken.Span);
                break;
            case CastExpressionSyntax cast:
                Report(node, cast.Type.Span);
                break;
            case ConstructorInitializerSyntax or PrimaryConstructorBaseTypeSyntax:
                Report(node, node.Span);
                break;
        }
    }

    /// <summary>Reports a member if it has no counterpart.</summary>
    public bool Report(SyntaxNode node, TextSpan span, ISymbol member)
    {
        var used = member is IMethodSymbol { AssociatedSymbol: { } property } ? property : member;
        var isWritten = IsWritten(node);
        if ((Differences.Instance.OfMember(used, isWritten) ?? OfKeyword(used, isWritten)) is not { } reason)
            return false;
        var name = SymbolNames.OfMember(used);
        findings.Add(Finding.Missing(span, name.Split('(')[0], reason));
        return true;
    }

    private void Report(SyntaxNode node, TextSpan span)
    {
        if (model.GetSymbolInfo(node, token).Symbol is { ContainingType: not null } symbol && LoxoNames.IsOfNpgsql(symbol)
            && Differences.Instance.OfType(symbol.ContainingType.OriginalDefinition) is null)
        {
            Report(node, span, symbol.OriginalDefinition);
        }
    }

    private static string? OfKeyword(ISymbol member, bool isWritten) =>
        isWritten && member is IPropertySymbol { IsIndexer: false, ContainingType.Name: "NpgsqlConnectionStringBuilder" }
            ? Differences.Instance.Keywords.FirstOrDefault(keyword => keyword.Value is null && keyword.IsOf(member.Name))?.Reason : null;

    private static bool IsWritten(SyntaxNode node)
    {
        var expression = node.Parent is MemberAccessExpressionSyntax access && access.Name == node ? access : node;
        return expression.Parent switch
        {
            AssignmentExpressionSyntax assignment => assignment.Left == expression,
            PrefixUnaryExpressionSyntax or PostfixUnaryExpressionSyntax => expression.Parent.Kind() is SyntaxKind.PreIncrementExpression
                or SyntaxKind.PreDecrementExpression or SyntaxKind.PostIncrementExpression or SyntaxKind.PostDecrementExpression,
            ArgumentSyntax argument => argument.RefOrOutKeyword.Kind() is SyntaxKind.OutKeyword or SyntaxKind.RefKeyword,
            _ => false,
        };
    }
}
