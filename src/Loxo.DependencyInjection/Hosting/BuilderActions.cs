using System.Runtime.CompilerServices;

namespace Loxo.Hosting;

/// <summary>The two forms of a program's action that changes a builder, as one.</summary>
internal static class BuilderActions
{
    public static Action<IServiceProvider, T> WithProvider<T>(
        this Action<T> action, [CallerArgumentExpression(nameof(action))] string? name = null)
    {
        ArgumentNullException.ThrowIfNull(action, name);
        return (_, builder) => action(builder);
    }

    public static Action<IServiceProvider, T> Required<T>(
        this Action<IServiceProvider, T> action, [CallerArgumentExpression(nameof(action))] string? name = null)
    {
        ArgumentNullException.ThrowIfNull(action, name);
        return action;
    }
}
