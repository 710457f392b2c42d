using Loxo.Protocol;
using Loxo.Session;
using Loxo.Sql;

namespace Loxo.Commands;

/// <summary>Puts one statement into a session's query: by its name if it is prepared or worth it, else by its text.</summary>
internal static class StatementWriter
{
    private static readonly FormatCode[] _text = [FormatCode.Text];

    /// <summary>Adds the statement.</summary>
    /// <param name="query">Where it is written.</param>
    /// <param name="statement">What to run.</param>
    /// <param name="mayPrepare">Whether the command allows that it is prepared without being asked for.</param>
    /// <param name="formats">The formats that the user wants the columns in; empty to leave that to the driver.</param>
    public static void Write(QueryExchange query, StatementPlan statement, bool mayPrepare, ReadOnlySpan<FormatCode> formats)
    {
        var session = query.Session;
        var source = statement.Source;
        if (source.CertainChange != SqlCertainChange.None && session.Context.Settings.Pooler != Pooler.None)
            PoolerRules.Check(source.CertainChange, session);
        statement.Bind(session.Types);
        if (session.Types.NamesToLookUp.Count > 0)
            return; // the command is written again once the types of its parameters are known
        if (MustLookUpColumns(query, statement, formats))
        {
            if (!query.SkipResults)
            {
                query.LookUpColumns(statement.Sql, statement.Types);
                return; // written again once they are known
            }
            formats = _text; // nobody reads the rows, and the server can send every type as text
        }
        if (Named(query, statement, mayPrepare) is { } named)
            query.Add(named, statement, formats);
        else
            query.Add(statement.Sql, statement.Types, statement, formats);
        session.Record?.Add(statement.Sql);
        var changes = ChangesOf(source, session);
        query.OnlyReads &= source.IsReadOnly && changes == SqlChanges.None;
        if (changes != SqlChanges.None)
            session.Effects.Add(ToSessionChanges(changes, source.Changes));
    }

    /// <summary>Adds a description of the statement, which is not run.</summary>
    public static void Describe(QueryExchange query, StatementPlan statement)
    {
        statement.BindTypes(query.Session.Types);
        if (query.Session.Types.NamesToLookUp.Count == 0)
            query.AddDescription(statement.Sql, statement.Types);
    }

    // A column that the server cannot send in binary fails the statement with its first row, when its functions have run already. So the
    // columns of a text that was never run are asked for first, unless it provably changes nothing and could run again.
    private static bool MustLookUpColumns(QueryExchange query, StatementPlan statement, ReadOnlySpan<FormatCode> formats)
    {
        var (session, source) = (query.Session, statement.Source);
        if (source.AreColumnsKnown || !query.IsSingle || !formats.IsEmpty || statement.Prepared is not null || !source.MayReturnRows)
            return false;
        query.ChangesNothing = source.IsReadOnly && ChangesOf(source, session) == SqlChanges.None
            && session.Context.HidesNothing?.Invoke(session) == true;
        return !query.ChangesNothing && session.Context.Formats.Find(statement.Sql, statement.Types).Length == 0;
    }

    private static CachedStatement? Named(QueryExchange query, StatementPlan statement, bool mayPrepare)
    {
        var statements = query.Session.Statements;
        return mayPrepare && statement.Source.IsPlannable
            ? statements.Use(
                statement.Sql, statement.Types, statement.NullsMatch, query.Number, atOnce: statement.Prepared is not null)
            : statements.FindExplicit(statement.Sql, statement.Types, statement.NullsMatch);
    }

    private static SqlChanges ChangesOf(SqlStatement source, ServerSession session)
    {
        if (!source.MayCallFunctions)
            return source.Changes;
        var now = session.Effects.ReachableNow;
        return source.ChangesWith(session.Effects.Reachable.Names, now.NameChangers, now.IsUnknown);
    }

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
