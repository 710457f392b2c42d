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
        if (source.Lasting != SqlLasting.None && session.Context.Settings.Pooler != Pooler.None)
            PoolerRules.Check(source.Lasting, session);
        statement.Bind(session.Types);
        if (session.Types.Wanted.Count > 0)
            return; // the command is written again once the types of its parameters are known
        if (MustAskForColumns(query, statement, formats))
        {
            if (!query.SkipResults)
            {
                query.AskForColumns(statement.Sql, statement.Types);
                return; // written again once they are known
            }
            formats = _text; // nobody reads the rows, and the server can send every type as text
        }
        if (Named(query, statement, mayPrepare) is { } named)
            query.Add(named, statement, formats);
        else
            query.Add(statement.Sql, statement.Types, statement, formats);
        session.Record?.Add(statement.Sql);
        var traces = source.TracesAmong(session.Effects.Reachable.Names);
        query.OnlyReads &= source.IsReadOnly && traces == SqlTraces.None;
        if (traces != SqlTraces.None)
            session.Effects.Add(MarksOf(traces));
    }

    /// <summary>Adds a description of the statement, which is not run.</summary>
    public static void Describe(QueryExchange query, StatementPlan statement)
    {
        statement.BindTypes(query.Session.Types);
        if (query.Session.Types.Wanted.Count == 0)
            query.AddDescription(statement.Sql, statement.Types);
    }

    // A column that the server cannot send in binary fails the statement with its first row, when its functions have run already. So the
    // columns of a text that was never run are asked for first, unless it provably changes nothing and could run again.
    private static bool MustAskForColumns(QueryExchange query, StatementPlan statement, ReadOnlySpan<FormatCode> formats)
    {
        var (session, source) = (query.Session, statement.Source);
        if (source.AreColumnsKnown || !query.IsSingle || !formats.IsEmpty || statement.Prepared is not null || !source.MayReturnRows)
            return false;
        query.ChangesNothing = source.IsReadOnly && source.TracesAmong(session.Effects.Reachable.Names) == SqlTraces.None
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

    // The two say the same; Sql knows nothing of sessions, and sessions nothing of SQL.
    private static SessionMarks MarksOf(SqlTraces traces)
    {
        // Names alone: SET LOCAL search_path, which goes with its transaction.
        var marks = traces == SqlTraces.Schema ? SessionMarks.None : SessionMarks.State;
        if ((traces & SqlTraces.Statements) != 0)
            marks |= SessionMarks.Statements;
        if ((traces & SqlTraces.Schema) != 0)
            marks |= SessionMarks.Names;
        if ((traces & SqlTraces.Routines) != 0)
            marks |= SessionMarks.Routines;
        if ((traces & SqlTraces.Definitions) != 0)
            marks |= SessionMarks.Definitions;
        return marks;
    }
}
