using System.Reflection;
using Loxo.Migration;
using Loxo.Tests.Compatibility;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;

namespace Loxo.MigrationTests;

/// <summary>Nothing that is public in Npgsql is forgotten: it is renamed to what exists in Loxo, or reported.</summary>
public sealed class SurfaceTests
{
    private static readonly CSharpCompilation _compilation = CSharpCompilation.Create("Surface", references: Migration.BothDrivers);
    private static readonly INamedTypeSymbol[] _types = [.. TypesOf(typeof(Npgsql.NpgsqlConnection).Assembly)];
    private static readonly HashSet<string> _missing = [.. NpgsqlSurface.Missing.Select(member => member.Name)];

    [Test]
    public async Task Each_type_is_renamed_to_one_that_exists_or_is_reported()
    {
        var lines = _types.Select(type => $"    Type F{Array.IndexOf(_types, type)} = typeof({Written(type)});").ToArray();
        var project = Migration.Project(Migration.BothDrivers, ("C.cs", $"class C\n{{\n{string.Join('\n', lines)}\n}}\n"));
        var reported = (await Migration.Diagnose(project)).Where(one => one.Id == MigrationAnalyzer.MissingId)
            .Select(one => one.Location.GetLineSpan().StartLinePosition.Line).ToHashSet();

        var after = (await Migration.FixAll(project))[0].Text.Split('\n').Where((_, line) => !reported.Contains(line));

        var migrated = Migration.Project([.. References.Platform, .. References.Loxo], ("C.cs", string.Join('\n', after)));
        Assert.That(await Migration.Errors(migrated), Is.Empty);
        Assert.That(reported.Select(line => SymbolNames.OfType(_types[line - 2])).Order(),
            Is.EqualTo(_types.Select(SymbolNames.OfType).Where(_missing.Contains).Order()));
    }

    [Test]
    public void Each_member_without_counterpart_is_reported_and_no_other()
    {
        var wrong = _types.Where(type => Differences.Instance.OfType(type) is null)
            .SelectMany(type => type.GetMembers().Where(IsPublicMember))
            .Where(member => (Differences.Instance.OfMember(member, isWritten: true) is not null) != IsMissing(member))
            .Select(SymbolNames.OfMember);

        Assert.That(wrong, Is.Empty);
    }

    [Test]
    public void Each_missing_member_is_known_by_the_name_of_the_list()
    {
        var names = _types.SelectMany(type => type.GetMembers().Where(member => member is not INamedTypeSymbol).Select(SymbolNames.OfMember)
            .Append(SymbolNames.OfType(type))).ToHashSet();

        Assert.That(_missing.Select(name => name.Replace(" { set; }", "", StringComparison.Ordinal))
            .Where(name => !name.Contains(" : ", StringComparison.Ordinal) && !names.Contains(name)), Is.Empty);
    }

    [Test]
    public void Each_argument_passed_by_name_has_the_name_of_Loxos_parameter()
    {
        var ours = TypesOf(typeof(PgConnection).Assembly).ToDictionary(type => (SymbolNames.OfType(type), type.Arity));
        var wrong =
            from type in _types
            where Differences.Instance.OfType(type) is null
            from method in type.GetMembers().OfType<IMethodSymbol>()
            where method.MethodKind is MethodKind.Ordinary or MethodKind.Constructor // the operands of operators have no names
                && IsPublicMember(method)
                && Differences.Instance.OfMember(method, isWritten: false) is null
            let own = Counterpart(ours[(LoxoNames.Of(SymbolNames.OfType(type)), type.Arity)], method)
            where own is not null
            from pair in method.Parameters.Zip(own.Parameters)
            where LoxoNames.OfParameter(pair.First) != pair.Second.Name
            select $"{SymbolNames.OfMember(method)}: {pair.First.Name}, in Loxo {pair.Second.Name}";

        Assert.That(wrong, Is.Empty);
    }

    private static IMethodSymbol? Counterpart(INamedTypeSymbol type, IMethodSymbol method) => Bases(type)
        .SelectMany(one => one.GetMembers().OfType<IMethodSymbol>())
        .Where(own => own.DeclaredAccessibility == Accessibility.Public && own.Name == LoxoNames.Of(method.Name)
            && own.Parameters.Length >= method.Parameters.Length
            && own.Parameters.Zip(method.Parameters).All(pair => TypeName(pair.First) == TypeName(pair.Second)))
        .OrderBy(own => own.Parameters.Length).FirstOrDefault();

    private static IEnumerable<INamedTypeSymbol> Bases(INamedTypeSymbol type)
    {
        for (var one = type; one is not null; one = one.BaseType)
            yield return one;
    }

    private static string TypeName(IParameterSymbol parameter) =>
        LoxoNames.Of(parameter.Type.ToDisplayString(SymbolDisplayFormat.MinimallyQualifiedFormat));

    private static bool IsMissing(ISymbol member)
    {
        var name = SymbolNames.OfMember(member);
        var isSource = name is not ("NpgsqlRange.Empty" or "NpgsqlTsVector.Empty" or "NpgsqlDataReader.GetColumnSchemaAsync(CancellationToken)")
            && !name.StartsWith("NpgsqlOperationInProgressException.NpgsqlOperationInProgressException(", StringComparison.Ordinal);
        return isSource && (_missing.Contains(name) || _missing.Contains(name + " { set; }"));
    }

    private static bool IsPublicMember(ISymbol member) => member.DeclaredAccessibility == Accessibility.Public && !member.IsImplicitlyDeclared
        && member is IPropertySymbol or IFieldSymbol or IEventSymbol
            or IMethodSymbol { MethodKind: MethodKind.Ordinary or MethodKind.Constructor or MethodKind.Conversion or MethodKind.UserDefinedOperator };

    private static IEnumerable<INamedTypeSymbol> TypesOf(Assembly assembly) =>
        assembly.GetExportedTypes().Select(type => _compilation.GetTypeByMetadataName(type.FullName!)!);

    private static string Written(INamedTypeSymbol type) => type.IsGenericType
        ? type.ConstructUnboundGenericType().ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat)
        : type.ToDisplayString(SymbolDisplayFormat.FullyQualifiedFormat);
}
