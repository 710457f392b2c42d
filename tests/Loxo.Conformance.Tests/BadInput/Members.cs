using System.Reflection;

namespace Loxo.Conformance.BadInput;

/// <summary>The public members that are called: all that Loxo declares, of every public type that has objects or static members.</summary>
internal static class Members
{
    private const BindingFlags Public = BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    // Types that a generic parameter is tried with; the first that meets its constraints is taken.
    private static readonly Type[] _typeArguments = [typeof(int), typeof(DayOfWeek), typeof(string), typeof(object)];

    /// <summary>The types, generic ones closed.</summary>
    public static IEnumerable<Type> Types() => typeof(PgConnection).Assembly.GetExportedTypes()
        .Where(type => !type.IsEnum && !type.IsInterface && !typeof(Delegate).IsAssignableFrom(type))
        .Select(type => type.ContainsGenericParameters ? Closed(type) : type).OfType<Type>()
        .Where(type => Of(type).Any()).OrderBy(type => type.FullName, StringComparer.Ordinal);

    /// <summary>The members that Loxo declares for the type, accessors and constructors among them.</summary>
    public static IEnumerable<MethodBase> Of(Type type)
    {
        for (var declaring = type; declaring?.Assembly == typeof(PgConnection).Assembly; declaring = declaring.BaseType)
        {
            if (declaring == type && !type.IsAbstract)
            {
                foreach (var constructor in type.GetConstructors())
                    yield return constructor;
            }
            foreach (var method in declaring.GetMethods(Public))
            {
                if ((declaring == type || !method.IsStatic) && Closed(method) is { } closed)
                    yield return closed;
            }
        }
    }

    /// <summary>
    /// Whether reflection can call it: it cannot pass or return what lives on the stack only. Wait and WaitAsync wait for a message that
    /// nobody sends; <c>WaitTests</c> tries them.
    /// </summary>
    public static bool CanBeCalled(MethodBase method) => method.Name is not ("Wait" or "WaitAsync") && !IsOfStack(method);

    /// <summary>Whether it passes or returns what lives on the stack only.</summary>
    public static bool IsOfStack(MethodBase method) => method.GetParameters().Any(parameter => IsOfStack(parameter.ParameterType))
        || (method is MethodInfo info && IsOfStack(info.ReturnType));

    private static bool IsOfStack(Type type) => type.IsByRefLike || type.IsPointer || (type.IsByRef && type.GetElementType()!.IsByRefLike);

    private static Type? Closed(Type type) => Try(() => type.MakeGenericType([.. type.GetGenericArguments().Select(_ => typeof(int))]));

    private static MethodInfo? Closed(MethodInfo method) => !method.IsGenericMethodDefinition ? method
        : _typeArguments.Select(argument => Try(() => method.MakeGenericMethod([.. method.GetGenericArguments().Select(_ => argument)])))
            .FirstOrDefault(closed => closed is not null);

    private static T? Try<T>(Func<T> make)
        where T : class
    {
        try
        {
            return make();
        }
        catch (ArgumentException)
        {
            return null;
        }
    }
}
