using System.Linq;
using Microsoft.CodeAnalysis;

namespace Loxo.Migration;

/// <summary>Writes members as docs/npgsql-differences.md does, such as <c>NpgsqlPath.NpgsqlPath(Int32, Boolean)</c>.</summary>
internal static class SymbolNames
{
    /// <summary>A type with the types around it, without its namespace.</summary>
    public static string OfType(INamedTypeSymbol type) =>
        type.ContainingType is { } outer ? $"{OfType(outer)}.{type.Name}" : type.Name;

    /// <summary>A member with its type and its parameters.</summary>
    public static string OfMember(ISymbol member) => $"{OfType(member.ContainingType)}.{Signature(member)}";

    private static string Signature(ISymbol member) => member switch
    {
        IMethodSymbol { MethodKind: MethodKind.Constructor } method => $"{method.ContainingType.Name}({Parameters(method.Parameters)})",
        IMethodSymbol { MethodKind: MethodKind.Conversion } method =>
            $"{(method.Name == "op_Explicit" ? "explicit" : "implicit")} operator {OfReference(method.ReturnType)}"
            + $"({Parameters(method.Parameters)})",
        IMethodSymbol method => $"{method.Name}({Parameters(method.Parameters)})",
        IPropertySymbol { IsIndexer: true } indexer => $"this[{Parameters(indexer.Parameters)}]",
        _ => member.Name,
    };

    private static string Parameters(System.Collections.Immutable.ImmutableArray<IParameterSymbol> parameters) => string.Join(", ",
        parameters.Select(one => OfReference(one.Type) + (one.RefKind == RefKind.None ? "" : "&")));

    private static string OfReference(ITypeSymbol type) => type switch
    {
        IArrayTypeSymbol array => $"{OfReference(array.ElementType)}[{new string(',', array.Rank - 1)}]",
        INamedTypeSymbol { IsGenericType: true } named =>
            $"{LoxoNames.Of(named.Name)}<{string.Join(", ", named.TypeArguments.Select(OfReference))}>",
        _ => LoxoNames.Of(type.Name),
    };
}
