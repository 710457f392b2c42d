using System.Reflection;

namespace Loxo.Conformance.BadInput;

/// <summary>The names of types and members in XML documentation files (C# specification, annex D.4.2).</summary>
internal static class DocumentationId
{
    public static string Of(MemberInfo member) => member switch
    {
        Type type => "T:" + NameOf(type),
        MethodBase method => $"M:{NameOf(method.DeclaringType!)}.{method.Name.Replace('.', '#')}{Arity(method)}{Parameters(method.GetParameters())}"
            + (method is MethodInfo { Name: "op_Implicit" or "op_Explicit" } conversion ? "~" + InSignature(conversion.ReturnType) : ""),
        PropertyInfo property => $"P:{NameOf(property.DeclaringType!)}.{property.Name}{Parameters(property.GetIndexParameters())}",
        EventInfo @event => $"E:{NameOf(@event.DeclaringType!)}.{@event.Name}",
        FieldInfo field => $"F:{NameOf(field.DeclaringType!)}.{field.Name}",
        _ => throw new ArgumentException($"{member} is not documented by a name of its own."),
    };

    private static string Arity(MethodBase method) => method.IsGenericMethod ? $"``{method.GetGenericArguments().Length}" : "";

    private static string Parameters(ParameterInfo[] parameters) =>
        parameters.Length == 0 ? "" : $"({string.Join(',', parameters.Select(parameter => InSignature(parameter.ParameterType)))})";

    private static string NameOf(Type type) => (type.FullName ?? $"{type.Namespace}.{type.Name}").Replace('+', '.');

    private static string InSignature(Type type)
    {
        if (type.IsByRef)
            return InSignature(type.GetElementType()!) + "@";
        if (type.IsArray)
            return InSignature(type.GetElementType()!) + (type.GetArrayRank() == 1 ? "[]" : $"[{string.Join(',', Enumerable.Repeat("0:", type.GetArrayRank()))}]");
        if (type.IsGenericParameter)
            return (type.DeclaringMethod is null ? "`" : "``") + type.GenericParameterPosition;
        if (!type.IsGenericType)
            return NameOf(type);
        var name = NameOf(type.GetGenericTypeDefinition());
        return $"{name[..name.LastIndexOf('`')]}{{{string.Join(',', type.GetGenericArguments().Select(InSignature))}}}";
    }
}
