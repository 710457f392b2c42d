using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Loxo.Migration;

/// <summary>Loxo's names for the names of Npgsql.</summary>
internal static class LoxoNames
{
    public const string Namespace = "Loxo";

    // Arguments passed by name, where Loxo's parameter has another name: that of the base class, of the record's property, or of
    // all Parse methods. A number stands for the overload with so many parameters.
    private static readonly Dictionary<(string Member, string Parameter), string> _parameters = Parse("""
        INpgsqlTypeMapper.ConfigureJsonOptions: serializerOptions options
        NpgsqlBinaryImporter.Write: npgsqlDbType pgDbType
        NpgsqlBinaryImporter.WriteAsync: npgsqlDbType pgDbType
        NpgsqlBox: upperRight corner, lowerLeft opposite
        NpgsqlCircle/2: center Center, radius Radius
        NpgsqlCircle.Deconstruct/2: center Center, radius Radius
        NpgsqlConnection.ChangeDatabase: dbName databaseName
        NpgsqlConnection.GetSchema: restrictions restrictionValues
        NpgsqlConnection.GetSchemaAsync: restrictions restrictionValues
        NpgsqlCube: coord coordinate, coords point, lowerLeft corner, upperRight opposite
        NpgsqlCube.ToSubset: indexes dimensions
        NpgsqlDataSourceBuilder.ConfigureJsonOptions: serializerOptions options
        NpgsqlLSeg: start Start, end End, startx startX, starty startY, endx endX, endy endY
        NpgsqlLSeg.Deconstruct: start Start, end End
        NpgsqlLine: a A, b B, c C
        NpgsqlLine.Deconstruct: a A, b B, c C
        NpgsqlLogSequenceNumber.CompareTo: value other
        NpgsqlLogSequenceNumber.Larger: value1 first, value2 second
        NpgsqlLogSequenceNumber.Smaller: value1 first, value2 second
        NpgsqlParameter: npgsqlDbType parameterType, dbType parameterType
        NpgsqlParameterCollection.Contains: parameterName value
        NpgsqlPoint: x X, y Y
        NpgsqlPoint.Deconstruct: x X, y Y
        NpgsqlRange.Equals: o obj
        NpgsqlRange.Parse: value s
        NpgsqlRawCopyStream.Read: span buffer
        NpgsqlSlimDataSourceBuilder.ConfigureJsonOptions: serializerOptions options
        NpgsqlTid: blockNumber BlockNumber, offsetNumber OffsetNumber
        NpgsqlTid.Deconstruct: blockNumber BlockNumber, offsetNumber OffsetNumber
        NpgsqlTid.Equals: o obj
        NpgsqlTransaction.Release: name savepointName
        NpgsqlTransaction.ReleaseAsync: name savepointName
        NpgsqlTransaction.Rollback: name savepointName
        NpgsqlTransaction.RollbackAsync: name savepointName
        NpgsqlTransaction.Save: name savepointName
        NpgsqlTransaction.SaveAsync: name savepointName
        NpgsqlTsQuery.Parse: value s
        NpgsqlTsQueryNot: child operand
        NpgsqlTsVector.Parse: value s
        PgNameAttribute: pgName name
        """);

    /// <summary>The name of a type or member; the same one if it does not speak of Npgsql.</summary>
    public static string Of(string name) => name.Replace("INpgsql", "IPg").Replace("Npgsql", "Pg");

    /// <summary>The name of a parameter, for arguments that are passed by name.</summary>
    public static string OfParameter(IParameterSymbol parameter) =>
        parameter.ContainingSymbol is IMethodSymbol method
        && (_parameters.TryGetValue((Owner(method), parameter.Name), out var name)
            || _parameters.TryGetValue(($"{Owner(method)}/{method.Parameters.Length}", parameter.Name), out name)) ? name : parameter.Name;

    /// <summary>Whether a symbol comes from Npgsql or one of the packages beside it.</summary>
    public static bool IsOfNpgsql(ISymbol symbol) => symbol.ContainingAssembly is { } assembly && IsNpgsql(assembly.Name);

    public static bool IsNpgsql(string assembly) => assembly == "Npgsql" || assembly.StartsWith("Npgsql.", StringComparison.Ordinal);

    private static Dictionary<(string Member, string Parameter), string> Parse(string table) => table.Split('\n')
        .Select(line => line.Trim().Split([": "], StringSplitOptions.None))
        .SelectMany(line => line[1].Split([", "], StringSplitOptions.None).Select(pair => (Member: line[0], Names: pair.Split(' '))))
        .ToDictionary(row => (row.Member, row.Names[0]), row => row.Names[1]);

    private static string Owner(IMethodSymbol method) => method.MethodKind == MethodKind.Constructor
        ? method.ContainingType.Name : $"{method.ContainingType.Name}.{method.Name}";
}
