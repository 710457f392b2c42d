using System.Reflection;

namespace Loxo.Types;

internal static class ClrMembers
{
    private const string EnumsAreKept = "An enum's fields are kept whenever the enum is.";

    public static string? PgNameOf(MemberInfo member) => member.GetCustomAttribute<PgNameAttribute>()?.PgName;

    public static TypeName TypeNameOf(Type clrType, IPgNameTranslator translator) =>
        TypeName.Parse(PgNameOf(clrType) ?? Quoted(translator.TranslateTypeName(clrType.Name)));

    /// <summary>The labels of an enum, by value. Of several names for one value the first is written; all are read.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = EnumsAreKept)]
    public static IEnumerable<(string Label, object Value)> LabelsOf(Type enumType, IPgNameTranslator translator)
    {
        foreach (var field in enumType.GetFields(BindingFlags.Public | BindingFlags.Static))
            yield return (PgNameOf(field) ?? translator.TranslateMemberName(field.Name),
                Enum.ToObject(enumType, field.GetRawConstantValue()!));
    }

    // A translator makes the very name, capitals and all; an attribute is written as in SQL.
    private static string Quoted(string name) => new TypeName(null, name).ToString();
}
