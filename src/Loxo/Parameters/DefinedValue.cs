using System.Data;

namespace Loxo.Parameters;

/// <summary>Values of ADO.NET's enumerations: one that does not exist is refused where it is set.</summary>
internal static class DefinedValue
{
    private const CommandBehavior AllBehaviors = CommandBehavior.SingleResult | CommandBehavior.SchemaOnly | CommandBehavior.KeyInfo
        | CommandBehavior.SingleRow | CommandBehavior.SequentialAccess | CommandBehavior.CloseConnection;

    /// <summary>The value.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The enumeration has no such member.</exception>
    public static T Of<T>(T value)
        where T : struct, Enum => Enum.IsDefined(value) ? value : throw Undefined(value, string.Join(", ", Enum.GetNames<T>()));

    /// <summary>Refuses a flag that does not exist.</summary>
    /// <exception cref="ArgumentOutOfRangeException">There is one.</exception>
    public static void Check(CommandBehavior behavior)
    {
        if ((behavior & ~AllBehaviors) != 0)
            throw Undefined(behavior, AllBehaviors.ToString());
    }

    private static ArgumentOutOfRangeException Undefined<T>(T value, string names)
        where T : struct, Enum => new(nameof(value), value, $"There is no {typeof(T).Name} {value}. There are: {names}.");
}
