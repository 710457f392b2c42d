using System.Linq.Expressions;
using System.Reflection;

namespace Loxo.Copy;

/// <summary>
/// Makes an object of a row of an export. Its code is compiled for the columns of each export: a column goes to the parameter of the
/// constructor, or the member, that has its name, or the only one that differs in case and underscores alone.
/// </summary>
internal static class ExportedObject
{
    /// <summary>What an export needs of a type.</summary>
    public const DynamicallyAccessedMemberTypes Needed = DynamicallyAccessedMemberTypes.PublicConstructors
        | DynamicallyAccessedMemberTypes.PublicProperties | DynamicallyAccessedMemberTypes.PublicFields;

    /// <summary>What the publisher of a native program is told.</summary>
    public const string Dynamic = "Code is made for the columns at run time. Read the rows of a PgBinaryExporter by a function: "
        + "ReadRows(row => ...).";

    private static readonly MethodInfo _read =
        typeof(ExportedObject).GetMethod(nameof(Read), BindingFlags.NonPublic | BindingFlags.Static)!;

    /// <summary>Compiles the code.</summary>
    /// <param name="columns">The names of the export's columns.</param>
    /// <exception cref="ArgumentException">A column finds no place, or the constructor lacks a column.</exception>
    [UnconditionalSuppressMessage("Trimming", "IL2060", Justification = "Read<T> places no demand on T.")]
    [RequiresDynamicCode(Dynamic)]
    public static Func<PgBinaryExporter, T> Compile<[DynamicallyAccessedMembers(Needed)] T>(IReadOnlyList<string> columns)
    {
        var exporter = Expression.Parameter(typeof(PgBinaryExporter));
        var constructor = ConstructorOf(typeof(T));
        var parameters = constructor?.GetParameters() ?? [];
        var values = new ParameterExpression[columns.Count];
        var arguments = new Expression?[parameters.Length];
        List<MemberBinding> members = [];
        var body = new List<Expression>();
        for (var i = 0; i < values.Length; i++)
        {
            var parameter = IndexOf(columns[i], parameters, static parameter => parameter.Name!);
            var member = parameter < 0 ? MemberFor<T>(columns[i]) : null;
            if (member is null && (parameter < 0 || arguments[parameter] is not null))
                throw ExportErrors.NoPlace(columns[i], typeof(T));
            values[i] = Expression.Variable(member is null ? parameters[parameter].ParameterType : TypeOf(member));
            body.Add(Expression.Assign(values[i], Expression.Call(_read.MakeGenericMethod(values[i].Type), exporter)));
            if (member is null)
                arguments[parameter] = values[i];
            else
                members.Add(Expression.Bind(member, values[i]));
        }
        if (Array.IndexOf(arguments, null) is >= 0 and var missing)
            throw ExportErrors.NoColumn(parameters[missing].Name!, typeof(T));
        var made = constructor is null ? Expression.New(typeof(T)) : Expression.New(constructor, arguments!);
        body.Add(Expression.MemberInit(made, members));
        return Expression.Lambda<Func<PgBinaryExporter, T>>(Expression.Block(values, body), exporter).Compile();
    }

    private static T? Read<T>(PgBinaryExporter exporter)
    {
        if (typeof(T).IsValueType || !exporter.IsNull)
            return exporter.Read<T>();
        exporter.Skip();
        return default;
    }

    // Without parameters if there is one, else the one with the most; null for that of a struct that declares none.
    private static ConstructorInfo? ConstructorOf([DynamicallyAccessedMembers(Needed)] Type type)
    {
        var constructors = type.GetConstructors();
        if (constructors.Length == 0 && !type.IsValueType)
            throw ExportErrors.NoConstructor(type);
        return constructors.FirstOrDefault(static constructor => constructor.GetParameters().Length == 0)
            ?? constructors.MaxBy(static constructor => constructor.GetParameters().Length);
    }

    private static MemberInfo? MemberFor<[DynamicallyAccessedMembers(Needed)] T>(string column)
    {
        MemberInfo[] members =
        [
            .. typeof(T).GetProperties(BindingFlags.Public | BindingFlags.Instance).Where(static property =>
                property.SetMethod is { IsPublic: true } && property.GetIndexParameters().Length == 0),
            .. typeof(T).GetFields(BindingFlags.Public | BindingFlags.Instance).Where(static field => !field.IsInitOnly),
        ];
        var index = IndexOf(column, members, static member => member.GetCustomAttribute<PgNameAttribute>()?.PgName ?? member.Name);
        return index < 0 ? null : members[index];
    }

    private static Type TypeOf(MemberInfo member) =>
        member is PropertyInfo property ? property.PropertyType : ((FieldInfo)member).FieldType;

    private static int IndexOf<TItem>(string name, TItem[] items, Func<TItem, string> nameOf)
    {
        var same = Array.FindIndex(items, item => nameOf(item) == name);
        if (same >= 0)
            return same;
        var similar = Array.FindIndex(items, item => ColumnName.IsSimilar(nameOf(item), name));
        return similar == Array.FindLastIndex(items, item => ColumnName.IsSimilar(nameOf(item), name)) ? similar : -1;
    }
}
