using System.Reflection;
using System.Runtime.CompilerServices;
using Npgsql;

namespace Loxo.Tests.Compatibility;

/// <summary>Compares the public members of two assemblies, the names of one mapped to those of the other.</summary>
internal static class NpgsqlSurface
{
    private const BindingFlags Declared = BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;
    private const BindingFlags All = BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.FlattenHierarchy;

    private static readonly Assembly _npgsql = typeof(NpgsqlConnection).Assembly;

    /// <summary>Members of Npgsql that code could use and that Loxo's types lack: <c>NpgsqlCommand.Statements</c>, or a whole type.</summary>
    public static IReadOnlyList<MissingMember> Missing { get; } =
        [.. _npgsql.GetExportedTypes().SelectMany(type => MissingFrom(type, Counterpart(type)))];

    /// <summary>Members of Npgsql that Loxo has, too.</summary>
    public static IReadOnlyList<MissingMember> Present { get; } = [.. _npgsql.GetExportedTypes()
        .Where(type => Counterpart(type) is not null)
        .SelectMany(type => type.GetMembers(Declared).Where(member => member is not TypeInfo && IsMatched(member, Counterpart(type)!))
            .Select(member => new MissingMember(type.Namespace!, ShortName(type), $"{ShortName(type)}.{Signature(member)}")))];

    /// <summary>What the type lacks, as if <paramref name="ours"/> were to replace <paramref name="theirs"/>.</summary>
    public static IEnumerable<MissingMember> MissingFrom(Type theirs, Type? ours)
    {
        var name = ShortName(theirs);
        if (ours is null)
            return [new(theirs.Namespace!, name, name)];
        return theirs.GetInterfaces().Where(one => one.IsPublic && !ours.GetInterfaces().Any(other => Name(other) == Name(one)))
            .Select(one => $"{name} : {Name(one)}")
            .Concat(theirs.GetMembers(Declared).Where(member => !IsMatched(member, ours))
                .Select(member => $"{name}.{Signature(member)}{(LacksOnlySetter(member, ours) ? " { set; }" : "")}"))
            .Distinct()
            .Select(member => new MissingMember(theirs.Namespace!, name, member));
    }

    // Nested types have their own entry.
    private static bool IsMatched(MemberInfo member, Type ours) => member switch
    {
        TypeInfo => true,
        ConstructorInfo constructor => Calls(constructor).All(call => ours.GetConstructors().Any(own => Takes(own, call))
            || (call.Length == 0 && ours.IsValueType)),
        MethodInfo { IsSpecialName: true } method when !method.Name.StartsWith("op_", StringComparison.Ordinal) => true,
        MethodInfo method when IsConversion(method) => HasConversion(ours, method) || HasConversion(Counterpart(Other(method)), method),
        MethodInfo method => Calls(method).All(call => Methods(ours).Any(own => Mapped(own.Name) == Mapped(method.Name)
            && own.IsStatic == method.IsStatic && own.GetGenericArguments().Length == method.GetGenericArguments().Length
            && Takes(own, call) && Gives(own.ReturnType, method.ReturnType))),
        PropertyInfo property => IsReadable(property, ours,
            own => property.SetMethod is not { IsPublic: true } || own.SetMethod is { IsPublic: true }),
        FieldInfo { IsLiteral: true, DeclaringType.IsEnum: true } value => ours.GetField(Mapped(value.Name)) is { } own
            && Equals(Convert.ToInt64(own.GetRawConstantValue()), Convert.ToInt64(value.GetRawConstantValue())),
        FieldInfo { IsSpecialName: true } => true,
        FieldInfo field => ours.GetField(Mapped(field.Name)) is { } own && Gives(own.FieldType, field.FieldType)
            && own.IsStatic == field.IsStatic && (!own.IsInitOnly || field.IsInitOnly),
        EventInfo change => ours.GetEvent(change.Name) is { } own && Name(own.EventHandlerType!) == Name(change.EventHandlerType!),
        _ => false,
    };

    private static bool IsReadable(PropertyInfo property, Type ours, Predicate<PropertyInfo> isWritable) =>
        ours.GetProperties(All).Any(own => Mapped(own.Name) == Mapped(property.Name)
            && Gives(own.PropertyType, property.PropertyType)
            && own.GetIndexParameters().Select(one => Name(one.ParameterType))
                .SequenceEqual(property.GetIndexParameters().Select(one => Name(one.ParameterType)))
            && (property.GetMethod is not { IsPublic: true } || own.GetMethod is { IsPublic: true })
            && isWritable(own));

    // Without those that a method of a derived class hides: a call means the latter.
    private static IEnumerable<MethodInfo> Methods(Type type) => type.GetMethods(All)
        .GroupBy(own => $"{own.Name}`{own.GetGenericArguments().Length}({Parameters(own)})")
        .Select(same => same.MaxBy(own => Bases(own.DeclaringType!).Count())!);

    private static bool LacksOnlySetter(MemberInfo member, Type ours) =>
        member is PropertyInfo { GetMethod.IsPublic: true } property && IsReadable(property, ours, static _ => true);

    private static bool IsConversion(MethodInfo method) => method.Name is "op_Explicit" or "op_Implicit";

    // A conversion may be an operator of either type, and what is implicit may be written as a cast.
    private static bool HasConversion(Type? type, MethodInfo theirs) => type?.GetMethods(All).Any(own => IsConversion(own)
        && (own.Name == theirs.Name || own.Name == "op_Implicit") && Name(own.ReturnType) == Name(theirs.ReturnType)
        && Name(own.GetParameters()[0].ParameterType) == Name(theirs.GetParameters()[0].ParameterType)) == true;

    private static Type Other(MethodInfo conversion) => conversion.ReturnType == conversion.DeclaringType
        ? conversion.GetParameters()[0].ParameterType : conversion.ReturnType;

    // The ways in which source code calls it: with all arguments, and with none of those that may be left out.
    private static IEnumerable<ParameterInfo[]> Calls(MethodBase method)
    {
        var all = method.GetParameters();
        return all.Any(one => one.IsOptional) ? [all, [.. all.TakeWhile(one => !one.IsOptional)]] : [all];
    }

    private static bool Takes(MethodBase own, ParameterInfo[] arguments)
    {
        var parameters = own.GetParameters();
        return parameters.Length >= arguments.Length && parameters.Skip(arguments.Length).All(one => one.IsOptional || IsParams(one))
            && arguments.Zip(parameters).All(pair => Name(pair.First.ParameterType) == Name(pair.Second.ParameterType)
                && pair.First.IsOut == pair.Second.IsOut && (!IsParams(pair.First) || IsParams(pair.Second)));
    }

    private static bool IsParams(ParameterInfo parameter) =>
        parameter.IsDefined(typeof(ParamArrayAttribute)) || parameter.IsDefined(typeof(ParamCollectionAttribute));

    private static bool Gives(Type own, Type theirs) => Name(own) == Name(theirs)
        || (theirs == typeof(object) && !own.IsValueType)
        || own.GetInterfaces().Concat(Bases(own)).Any(one => Name(one) == Name(theirs));

    private static IEnumerable<Type> Bases(Type type)
    {
        for (var one = type.BaseType; one is not null && one != typeof(object) && one != typeof(ValueType); one = one.BaseType)
            yield return one;
    }

    private static Type? Counterpart(Type theirs)
    {
        var name = Mapped(theirs.FullName![(theirs.Namespace!.Length + 1)..]);
        var inLoxo = typeof(PgConnection).Assembly.GetType("Loxo." + name) ?? typeof(PgConnection).Assembly.GetType(Mapped(theirs.FullName));
        return inLoxo is { IsVisible: true } ? inLoxo : null;
    }

    private static string Signature(MemberInfo member) => member switch
    {
        ConstructorInfo constructor => $"{ShortName(constructor.DeclaringType!).Split('.')[^1]}({Parameters(constructor)})",
        MethodInfo method when IsConversion(method) =>
            $"{(method.Name == "op_Explicit" ? "explicit" : "implicit")} operator {Name(method.ReturnType)}({Parameters(method)})",
        MethodInfo method => $"{method.Name}({Parameters(method)})",
        PropertyInfo property when property.GetIndexParameters() is { Length: > 0 } keys =>
            $"this[{string.Join(", ", keys.Select(one => Name(one.ParameterType)))}]",
        _ => member.Name,
    };

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(one => Name(one.ParameterType)));

    private static string ShortName(Type type) => type.FullName![(type.Namespace!.Length + 1)..].Replace('+', '.').Split('`')[0]
        + (type is { IsNested: true } && type.FullName.Contains('`') ? "." + type.Name : "");

    private static string Name(Type type)
    {
        if (type.IsByRef)
            return Name(type.GetElementType()!) + "&";
        if (type.IsArray)
            return Name(type.GetElementType()!) + $"[{new string(',', type.GetArrayRank() - 1)}]";
        var name = Mapped(type.Name.Split('`')[0]);
        return type.IsGenericType ? $"{name}<{string.Join(", ", type.GetGenericArguments().Select(Name))}>" : name;
    }

    private static string Mapped(string name) => name.Replace("INpgsql", "IPg").Replace("Npgsql", "Pg");
}

/// <summary>A member of Npgsql, such as one that Loxo has no counterpart of.</summary>
internal sealed record MissingMember(string Namespace, string Type, string Name)
{
    /// <summary>Whether a row of the list speaks of it: of the member, of all its overloads, of its type, or of its namespace.</summary>
    public bool IsNamedBy(string row) => row == Name || row == Name.Split('(')[0] || row == Type || row == $"{Namespace}.*"
        || (row.EndsWith("*", StringComparison.Ordinal) && !row.EndsWith(".*", StringComparison.Ordinal)
            && Name.StartsWith(row[..^1], StringComparison.Ordinal));
}
