namespace Loxo.Types;

/// <summary>.NET types as a C# programmer writes them, for error messages.</summary>
internal static class ClrNames
{
    public static string Of(Type type)
    {
        if (Nullable.GetUnderlyingType(type) is { } underlying)
            return Of(underlying) + "?";
        if (type.IsArray)
            return Of(type.GetElementType()!) + "[" + new string(',', type.GetArrayRank() - 1) + "]";
        return type.IsGenericType ? OfGeneric(type) : Keyword(type) ?? type.FullName ?? type.Name;
    }

    private static string OfGeneric(Type type)
    {
        var name = type.Name;
        var arguments = string.Join(", ", type.GetGenericArguments().Select(Of));
        return $"{(name.IndexOf('`', StringComparison.Ordinal) is >= 0 and var tick ? name[..tick] : name)}<{arguments}>";
    }

    private static string? Keyword(Type type) => type.IsEnum ? null : Type.GetTypeCode(type) switch
    {
        TypeCode.Boolean => "bool",
        TypeCode.Char => "char",
        TypeCode.SByte => "sbyte",
        TypeCode.Byte => "byte",
        TypeCode.Int16 => "short",
        TypeCode.UInt16 => "ushort",
        TypeCode.Int32 => "int",
        TypeCode.UInt32 => "uint",
        TypeCode.Int64 => "long",
        TypeCode.UInt64 => "ulong",
        TypeCode.Single => "float",
        TypeCode.Double => "double",
        TypeCode.Decimal => "decimal",
        TypeCode.String => "string",
        _ => type == typeof(object) ? "object" : null,
    };
}
