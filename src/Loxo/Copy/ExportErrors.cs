namespace Loxo.Copy;

/// <summary>The errors of exports as objects.</summary>
internal static class ExportErrors
{
    public static ArgumentException NoPlace(string column, Type type) => new(
        $"Column \"{column}\" has no place in {type.Name}: no constructor parameter, and no property or field that can be set, has "
        + "its name. Leave the column out of the COPY, or name it with PgNameAttribute.");

    public static ArgumentException NoColumn(string parameter, Type type) => new(
        $"Parameter '{parameter}' of the constructor of {type.Name} has no column of its name in the COPY.");

    public static ArgumentException NoConstructor(Type type) => new(
        $"{type.Name} has no public constructor. Give a function that reads a row.");
}
