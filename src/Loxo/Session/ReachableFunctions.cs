using System.Collections.Frozen;

namespace Loxo.Session;

/// <summary>The functions of a database by which a statement may change its session or the meaning of names.</summary>
/// <param name="Names">
/// The functions that attribute notation (<c>x.f</c>) reaches and that may leave something in the session, beside the built-in ones; null
/// for none, and where nobody has asked the database.
/// </param>
/// <param name="NameChangers">The functions that may change the meaning of names; null for none.</param>
/// <param name="UnseenNameChanges">The statements that may run one of the name changers without calling it by its name.</param>
/// <param name="HidesChanges">Whether a query may change something that its text does not show: a table, a sequence, a file.</param>
/// <param name="ActsOutside">
/// Whether a statement may act unseen on more than itself and its rows: do what no rollback takes back, other than advance a sequence, or
/// leave a setting or a cursor until the end of the transaction. Then nothing shares a transaction.
/// </param>
/// <param name="EscapesReadOnly">
/// Whether a query may do unseen what a read-only transaction does not refuse, such as NOTIFY, or go on although it has refused something.
/// Then a query shares no transaction and does not run again.
/// </param>
/// <param name="IsUnknown">Whether the database is audited and has not answered yet: any function may be one of these.</param>
/// <param name="Version">Changes whenever what is known of the database does.</param>
internal readonly record struct ReachableFunctions(
    FrozenSet<string>? Names, FrozenSet<string>? NameChangers, UnseenNameChanges UnseenNameChanges, bool HidesChanges,
    bool ActsOutside, bool EscapesReadOnly, bool IsUnknown, int Version);

/// <summary>The statements that may run a function unseen which changes the meaning of names.</summary>
internal enum UnseenNameChanges : byte
{
    None,
    /// <summary>A change of rows, which runs triggers and defaults.</summary>
    ByChange,
    /// <summary>Any: views, operators, casts and the like run such a function.</summary>
    ByAny,
}
