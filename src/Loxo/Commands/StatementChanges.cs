using Loxo.Session;
using Loxo.Sql;

namespace Loxo.Commands;

/// <summary>The changes that a statement may make to its session.</summary>
internal static class StatementChanges
{
    /// <summary>Adds the changes of a statement that is sent to those of the session, and returns them.</summary>
    public static SqlChanges Add(ServerSession session, StatementPlan statement) => Add(session, statement.Source);

    /// <inheritdoc cref="Add(ServerSession, StatementPlan)"/>
    public static SqlChanges Add(ServerSession session, SqlStatement source)
    {
        var changes = Of(source, session);
        if (changes != SqlChanges.None)
            Add(session, source, changes);
        // The statements behind it are parsed before its answer has arrived.
        if (session.Effects.OfTransaction != SessionChanges.None && source.MayRollBack)
            session.Effects.EndTransaction(isLast: false);
        return changes;
    }

    private static void Add(ServerSession session, SqlStatement source, SqlChanges changes)
    {
        session.Effects.Add(ToSessionChanges(changes, source.Changes), ReasonOf(source));
        if (source.ConcernsDatabases)
            session.Effects.AddDatabases(source.Databases);
    }

    /// <summary>The changes that a statement may make, as far as the functions of the database are known.</summary>
    public static SqlChanges Of(SqlStatement source, ServerSession session)
    {
        var now = session.Effects.ReachableNow;
        var changes = source.ChangesWith(session.Effects.Reachable.Names, now.NameChangers, now.IsUnknown);
        return now.UnseenNameChanges switch
        {
            UnseenNameChanges.None => changes,
            UnseenNameChanges.ByChange when !source.MayRunTriggers => changes,
            _ => changes | SqlChanges.Names,
        };
    }

    // What the server plans changes the session by the functions that it calls; SELECT INTO and changes of pg_settings call none.
    private static PgResetReason ReasonOf(SqlStatement source) =>
        source is { IsPlannable: true, MayCallFunctions: true } ? PgResetReason.UnknownFunction : PgResetReason.ChangedByStatement;

    // Sql and Session have an enumeration each, because neither may use the other. A function that may change names marks the session
    // alone: were the types of all sessions forgotten with each call, every session would describe its statements again.
    private static SessionChanges ToSessionChanges(SqlChanges changes, SqlChanges withoutFunctions)
    {
        // Names alone: SET LOCAL search_path, which ends with its transaction.
        var ofSession = changes == SqlChanges.Names ? SessionChanges.None : SessionChanges.State;
        if ((changes & SqlChanges.Statements) != 0)
            ofSession |= SessionChanges.Statements;
        if ((changes & SqlChanges.Names) != 0)
            ofSession |= SessionChanges.Names;
        if ((withoutFunctions & SqlChanges.Names) != 0)
            ofSession |= SessionChanges.Types;
        if ((changes & SqlChanges.Routines) != 0)
            ofSession |= SessionChanges.Routines;
        if ((changes & SqlChanges.Definitions) != 0)
            ofSession |= SessionChanges.Definitions;
        return ofSession;
    }
}
