namespace Loxo;

/// <summary>What an array of a value type becomes when it is read as <see cref="object"/>: <c>int[]</c> or <c>int?[]</c>.</summary>
public enum ArrayNullabilityMode
{
    /// <summary>Always <c>T[]</c>; an array that contains NULL is an error. The default.</summary>
    Never,

    /// <summary>Always <c>T?[]</c>.</summary>
    Always,

    /// <summary><c>T?[]</c> for an array that contains NULL, <c>T[]</c> for others.</summary>
    PerInstance,
}
