using System.Reflection;

namespace Loxo.Types;

/// <summary>Which members of a .NET type stand for which fields of a composite type.</summary>
internal sealed class CompositeMembers
{
    /// <summary>What trimming must leave of a type that is mapped.</summary>
    public const DynamicallyAccessedMemberTypes Needed =
        DynamicallyAccessedMemberTypes.PublicConstructors | DynamicallyAccessedMemberTypes.PublicProperties
        | DynamicallyAccessedMemberTypes.PublicFields;

    private readonly MemberInfo?[] _members;
    private readonly int[] _argumentOfField;
    private readonly ConstructorInfo? _constructor;
    private readonly Type _clrType;
    private InvalidCastException? _cannotBeMade;

    private CompositeMembers(Type clrType, MemberInfo?[] members, ConstructorInfo? constructor, int[] argumentOfField)
    {
        (_clrType, _members, _constructor, _argumentOfField) = (clrType, members, constructor, argumentOfField);
        Types = [.. members.Select((member, i) => argumentOfField[i] >= 0
            ? constructor!.GetParameters()[argumentOfField[i]].ParameterType
            : member is PropertyInfo property ? property.PropertyType : ((FieldInfo)member!).FieldType)];
    }

    public Type[] Types { get; }

    /// <summary>Finds settable properties and fields by name, or a constructor with a parameter for each of the others.</summary>
    /// <exception cref="InvalidCastException">A field has no counterpart.</exception>
    [UnconditionalSuppressMessage("Trimming", "IL2070",
        Justification = "Types that are mapped are annotated; of others what is missing is named in an error.")]
    public static CompositeMembers Of(Type clrType, IReadOnlyList<string> fields, string typeName, IPgNameTranslator translator)
    {
        var named = new Dictionary<string, MemberInfo>(StringComparer.Ordinal);
        foreach (var member in clrType.GetMembers(BindingFlags.Public | BindingFlags.Instance))
        {
            if (member is PropertyInfo { GetMethod: not null } property && property.GetIndexParameters().Length == 0 || member is FieldInfo)
                named.TryAdd(ClrMembers.PgNameOf(member) ?? translator.TranslateMemberName(member.Name), member);
        }
        MemberInfo?[] members = [.. fields.Select(named.GetValueOrDefault)];
        int[] none = [.. Enumerable.Repeat(-1, members.Length)];
        if (clrType.IsValueType || clrType.GetConstructor(Type.EmptyTypes) is not null)
        {
            if (Array.TrueForAll(members, CanBeSet))
                return new CompositeMembers(clrType, members, null, none);
        }
        foreach (var constructor in clrType.GetConstructors().OrderByDescending(constructor => constructor.GetParameters().Length))
        {
            if (ArgumentsFor(constructor, fields, members, translator) is { } arguments)
                return new CompositeMembers(clrType, members, constructor, arguments);
        }
        var missing = fields.Where((_, i) => !CanBeSet(members[i])).DefaultIfEmpty("a constructor without parameters");
        var cannotBeMade = TypeErrors.NoForm($"Composite type {typeName}", ClrNames.Of(clrType),
            $"Give it a settable property, or a constructor with a parameter, for each field ({string.Join(", ", missing)}), "
            + "with [PgName] where the name is another"
            + (RuntimeFeature.IsDynamicCodeSupported ? ""
                : $". In a native program call MapComposite<{ClrNames.Of(clrType)}> of the data source builder: it keeps the members"));
        // It can be written nevertheless.
        return Array.TrueForAll(members, member => member is not null)
            ? new CompositeMembers(clrType, members, null, none) { _cannotBeMade = cannotBeMade }
            : throw cannotBeMade;
    }

    [UnconditionalSuppressMessage("Trimming", "IL2077", Justification = "See Of.")]
    [UnconditionalSuppressMessage("Trimming", "IL2072", Justification = "See Of.")]
    public object Make(object?[] values)
    {
        if (_cannotBeMade is { } error)
            throw new InvalidCastException(error.Message);
        object?[] arguments = _constructor is null ? [] : new object?[_constructor.GetParameters().Length];
        for (var i = 0; i < values.Length; i++)
        {
            if (_argumentOfField[i] >= 0)
                arguments[_argumentOfField[i]] = values[i];
        }
        var made = _constructor is null
            ? Activator.CreateInstance(_clrType)!
            : _constructor.Invoke(BindingFlags.DoNotWrapExceptions, null, arguments, null);
        for (var i = 0; i < values.Length; i++)
        {
            if (_argumentOfField[i] < 0)
                Set(_members[i]!, made, values[i]);
        }
        return made;
    }

    public object? Get(object value, int field) => _members[field] switch
    {
        PropertyInfo property => property.GetValue(value),
        FieldInfo member => member.GetValue(value),
        _ => throw TypeErrors.NoForm($"A {ClrNames.Of(_clrType)}", "a composite value",
            $"It can be read, but has no property to write field number {field + 1} from"),
    };

    // For each field the position of its parameter, or -1 where the member is set afterwards; null when the constructor does not fit.
    private static int[]? ArgumentsFor(ConstructorInfo constructor, IReadOnlyList<string> fields, MemberInfo?[] members,
        IPgNameTranslator translator)
    {
        var parameters = constructor.GetParameters();
        int[] arguments = [.. fields.Select(field => Array.FindIndex(parameters, parameter => IsFor(parameter, field, translator)))];
        var allGiven = parameters.Length == arguments.Count(argument => argument >= 0);
        var restCanBeSet = arguments.Index().All(argument => argument.Item >= 0 || CanBeSet(members[argument.Index]));
        return allGiven && restCanBeSet ? arguments : null;
    }

    private static bool IsFor(ParameterInfo parameter, string field, IPgNameTranslator translator)
    {
        var name = parameter.GetCustomAttribute<PgNameAttribute>()?.PgName;
        return name is not null ? name == field
            : translator.TranslateMemberName(parameter.Name!) == field
            || string.Equals(parameter.Name, field.Replace("_", "", StringComparison.Ordinal), StringComparison.OrdinalIgnoreCase);
    }

    private static bool CanBeSet(MemberInfo? member) =>
        member is PropertyInfo { SetMethod.IsPublic: true } or FieldInfo { IsInitOnly: false };

    private static void Set(MemberInfo member, object target, object? value)
    {
        if (member is PropertyInfo property)
            property.SetValue(target, value);
        else
            ((FieldInfo)member).SetValue(target, value);
    }
}
