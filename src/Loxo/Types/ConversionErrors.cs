namespace Loxo.Types;

/// <summary>Errors of .NET types that do not go with a PostgreSQL type. The caller adds the column or parameter.</summary>
internal static class ConversionErrors
{
    public const string JaggedRemedy =
        "An array of PostgreSQL is rectangular, an array of arrays is not: give an array of several dimensions, such as int[,].";

    public static InvalidCastException NotReadable(TypeEntry type, Type asked) => new(
        $"PostgreSQL type {type.DisplayName} cannot be read as {ClrNames.Of(asked)}. Read it as {Alternatives(type)}."
        + Mapping(type, asked));

    public static InvalidCastException NotWritable(TypeEntry type, Type given) => new(
        $"A value of .NET type {ClrNames.Of(given)} cannot be written as PostgreSQL type {type.DisplayName}. " +
        (IsJagged(given) ? JaggedRemedy : $"Give {Alternatives(type)}, or name another PostgreSQL type.{Mapping(type, given)}"));

    public static bool IsJagged(Type type) =>
        type.IsArray && type.GetElementType() is { IsArray: true } inner && inner != typeof(byte[]) && inner != typeof(char[]);

    // Where code cannot be made at run time, only what is mapped has a codec.
    private static string Mapping(TypeEntry type, Type clrType)
    {
        if (RuntimeFeature.IsDynamicCodeSupported)
            return "";
        var element = clrType.GetElementType() ?? clrType;
        var own = Nullable.GetUnderlyingType(element) ?? element;
        return (type.Element ?? type).Factory?.MappingOf(own) is { } method
            ? $" A native program has to map it: call {method}<{ClrNames.Of(own)}> of the data source builder."
            : "";
    }

    private static string Alternatives(TypeEntry type)
    {
        // Nullable forms and lists need no mention.
        var names = type.ClrTypes
            .Where(clrType => type.Element is null || !type.HasBinaryCodec ? Nullable.GetUnderlyingType(clrType) is null : clrType.IsArray)
            .Select(ClrNames.Of).ToList();
        return names.Count == 1 ? names[0] : string.Join(", ", names.Take(names.Count - 1)) + " or " + names[^1];
    }
}
