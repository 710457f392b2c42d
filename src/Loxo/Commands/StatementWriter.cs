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
    /// <param name="command">Whose statement it is.</param>
    /// <param name="index">Which one of the command.</param>
    /// <param name="statement">What to run.</param>
    /// <param name="formats">The formats that the user wants the columns in; empty to leave that to the driver.</param>
    public static void Write(
        QueryExchange query, IExecutable command, int index, StatementPlan statement, ReadOnlySpan<FormatCode> formats)
    {
        var session = query.Session;
        var source = statement.Source;
        if (source.CertainChange != SqlCertainChange.None && session.Context.Settings.Pooler != Pooler.None)
            PoolerRules.Check(source.CertainChange, session);
        if (!(query.IsSingle && query.LooksUpColumns) && source.CopiesThroughClient(session.Parameters.StandardConformingStrings))
            throw SessionErrors.CopyAmongOthers(); // a pipeline looks up no columns
        var values = new StatementValues(statement, command.ParametersAt(index));
        values.Bind(session.Types);
        if (session.Types.NamesToLookUp.Count > 0)
            return; // the command is written again once the types of its parameters are known
        if (MustLookUpColumns(query, statement, formats))
        {
            if (!query.SkipResults)
            {
                query.LookUpColumns(statement.Sql, session.Types.Bound);
                return; // written again once they are known
            }
            formats = _text; // nobody reads the rows, and the server can send every type as text
        }
        WriteBound(query, statement, values, session.Types.Bound, command.PreparesAt(index), formats);
    }

    /// <summary>Adds the statement, whose parameters have been bound.</summary>
    /// <param name="query">Where it is written.</param>
    /// <param name="statement">What to run.</param>
    /// <param name="values">The values of its parameters.</param>
    /// <param name="types">Their types.</param>
    /// <param name="mayPrepare">Whether the command allows that it is prepared without being asked for.</param>
    /// <param name="formats">The formats that the user wants the columns in; empty to leave that to the driver.</param>
    public static void WriteBound<T>(
        QueryExchange query, StatementPlan statement, T values, ReadOnlySpan<uint> types, bool mayPrepare, ReadOnlySpan<FormatCode> formats)
        where T : IParameterValues
    {
        var (session, source) = (query.Session, statement.Source);
        TraceStatement.AddTo(query, source.IsPlannable);
        source.Counters?.LearnTypes(types);
        var named = Named(session, statement, types, mayPrepare, query.Number, atOnce: statement.Prepared is not null);
        if (named is { SendsText: false })
            query.Add(named, values, formats);
        else
            query.Add(statement.Sql, types, values, formats);
        if (query.Runs is [{ Remembered.Length: > 0 }])
            query.MayPlanAgain = !source.MayCallFunctions || ChangesNothing(source, session);
        if (!source.IsPlannable)
            session.Groups.AddBegin();
        session.Record?.Add(statement.Sql);
        var changes = StatementChanges.Add(session, statement);
        query.Portal.OnlyReads = source.IsReadOnly && changes == SqlChanges.None;
        query.OnlyReads &= query.Portal.OnlyReads;
    }

    /// <summary>The prepared statement to use, counting as a use of it; null if the text is to be sent unnamed.</summary>
    /// <param name="session">Where it runs.</param>
    /// <param name="statement">What to run.</param>
    /// <param name="types">The types of its parameters.</param>
    /// <param name="mayPrepare">Whether the command allows that it is prepared without being asked for.</param>
    /// <param name="flight">The flight that is being written.</param>
    /// <param name="atOnce">Whether it is prepared with this use, however few there were.</param>
    public static CachedStatement? Named(
        ServerSession session, StatementPlan statement, ReadOnlySpan<uint> types, bool mayPrepare, long flight, bool atOnce) =>
        mayPrepare && statement.Source.IsPlannable
            ? session.Statements.Use(statement.Sql, types, flight, atOnce)
            : session.Statements.FindExplicit(statement.Sql, types);

    /// <summary>Adds a description of the statement, which is not run.</summary>
    public static void Describe(QueryExchange query, IExecutable command, int index, StatementPlan statement)
    {
        new StatementValues(statement, command.ParametersAt(index)).BindTypes(query.Session.Types);
        if (query.Session.Types.NamesToLookUp.Count == 0)
            query.AddDescription(statement.Sql, query.Session.Types.Bound);
    }

    private static bool ChangesNothing(SqlStatement source, ServerSession session) =>
        source.IsReadOnly && (StatementChanges.Of(source, session) & ~SqlChanges.Names) == SqlChanges.None
        && session.Context.Database.HidesNothing?.Invoke(session) == true && !session.Effects.ReachableNow.HidesChanges;

    // A column that the server cannot send in binary fails the statement with its first row, when its functions have run already. So the
    // columns of a text that was never run are asked for first, unless it provably changes nothing and could run again, as a whole.
    private static bool MustLookUpColumns(QueryExchange query, StatementPlan statement, ReadOnlySpan<FormatCode> formats)
    {
        var (session, source) = (query.Session, statement.Source);
        if (source.AreColumnsKnown || !query.IsSingle || !query.LooksUpColumns || !formats.IsEmpty
            || statement.Prepared is not null || !source.MayReturnRows)
            return false;
        query.ChangesNothing = ChangesNothing(source, session);
        return (!query.ChangesNothing || query.Portal.Rows > 0)
            && session.Context.Database.Formats.Find(statement.Sql, session.Types.Bound).Length == 0;
    }
}
