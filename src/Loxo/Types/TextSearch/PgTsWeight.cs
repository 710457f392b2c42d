namespace Loxo;

/// <summary>
/// The weight of a place in a <see cref="PgTsVector"/> (manual, "Text Search Types"): A for a title, for instance, and D for the body of a
/// text.
/// </summary>
public enum PgTsWeight : byte
{
    /// <summary>The default, which is not shown.</summary>
    D,

    /// <summary>More than D.</summary>
    C,

    /// <summary>More than C.</summary>
    B,

    /// <summary>The highest.</summary>
    A,
}

/// <summary>The weights that a lexeme of a <see cref="PgTsQuery"/> may have in the text.</summary>
[Flags]
public enum PgTsWeights : byte
{
    /// <summary>Not restricted: any weight will do.</summary>
    Any = 0,

    /// <summary>D, the default of texts.</summary>
    D = 1,

    /// <summary>C.</summary>
    C = 2,

    /// <summary>B.</summary>
    B = 4,

    /// <summary>A, the highest.</summary>
    A = 8,
}
