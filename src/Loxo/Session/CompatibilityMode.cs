namespace Loxo;

/// <summary>Where Loxo departs from Npgsql on purpose, whose way it goes; docs/npgsql-differences.md lists the cases.</summary>
public enum CompatibilityMode
{
    /// <summary>Loxo's. The default.</summary>
    None,

    /// <summary>Npgsql's: for programs that rely on it.</summary>
    Npgsql,
}
