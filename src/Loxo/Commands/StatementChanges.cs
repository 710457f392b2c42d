using Loxo.Session;
using Loxo.Sql;

namespace Loxo.Commands;

/// <summary>The changes that a statement may make to its session.</summary>
internal static class StatementChanges
{
    /// <summary>Adds the changes of a statement that is sent to those of the session, and returns them.</summary>
    public static SqlChanges Add(ServerSession session, StatementPlan statement)
    {
        var changes = statement.Source.ChangesWith(session.Effects.Reachable.Names);
        if (changes != SqlChanges.None)
            session.Effects.Add(ToSessionChanges(changes));
        return changes;
    }

    // Sql and Session have an enumeration each, because neither may use the other.
    private static SessionChanges ToSessionChanges(SqlChanges changes)
    {
        // Names alone: SET LOCAL search_path, which ends with its transaction.
        var ofSession = changes == SqlChanges.Names ? SessionChanges.None : SessionChanges.State;
        if ((changes & SqlChanges.Statements) != 0)
            ofSession |= SessionChanges.Statements;
        if ((changes & SqlChanges.Names) != 0)
            ofSession |= SessionChanges.Names;
        if ((changes & SqlChanges.Routines) != 0)
            ofSession |= SessionChanges.Routines;
        if ((changes & SqlChanges.Definitions) != 0)
            ofSession |= SessionChanges.Definitions;
        return ofSession;
    }
}
