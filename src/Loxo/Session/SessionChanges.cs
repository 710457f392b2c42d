namespace Loxo.Session;

/// <summary>The kinds of changes that statements may have made since the session was handed out.</summary>
[Flags]
internal enum SessionChanges : byte
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>Settings, locks, listeners, cursors, temporary tables and other state of the session.</summary>
    State = 1,

    /// <summary>The session's prepared statements.</summary>
    Statements = 2,

    /// <summary>The meaning of names in this session; without <see cref="State"/>, until the end of the transaction.</summary>
    Names = 4,

    /// <summary>Functions, triggers and other code in the database that statements may run without naming it.</summary>
    Routines = 8,

    /// <summary>The meaning of names in every session.</summary>
    Definitions = 16,

    /// <summary>
    /// The meaning of names, those of types included: always with <see cref="Names"/>, which a call of a function changes alone.
    /// </summary>
    Types = 32,
}
