namespace Loxo.Session;

/// <summary>The kinds of state that statements may have left behind in a session since it was handed out.</summary>
[Flags]
internal enum SessionMarks : byte
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>Settings, locks, listeners, cursors, temporary tables or the like.</summary>
    State = 1,

    /// <summary>Prepared statements may have been made or forgotten.</summary>
    Statements = 2,

    /// <summary>Names in SQL may have come to mean something else; without <see cref="State"/>, until the end of the transaction.</summary>
    Names = 4,

    /// <summary>Code in the database that statements run unseen may be another now.</summary>
    Routines = 8,

    /// <summary>Names in SQL may have come to mean something else in every session.</summary>
    Definitions = 16,
}
