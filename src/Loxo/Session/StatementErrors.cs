using Loxo.Protocol;

namespace Loxo.Session;

/// <summary>What the server's errors say of a statement: prepared but missing or out of date, or not understood at all.</summary>
internal static class StatementErrors
{
    /// <summary>Whether preparing the statement again solves it.</summary>
    public static bool IsMendable(ServerErrorFields error) =>
        error.SqlState is SqlStates.InvalidSqlStatementName or SqlStates.DuplicatePreparedStatement
        || IsOutdated(error) || IsTypeGone(error);

    /// <summary>
    /// The server does not understand a statement of the driver that every PostgreSQL understands: it is another server, which does not
    /// know the syntax, a function, a table or a column. It will not understand it the next time either.
    /// </summary>
    public static bool IsNotUnderstood(ServerErrorFields error) => error.SqlState is SqlStates.SyntaxError or SqlStates.FeatureNotSupported
        or SqlStates.UndefinedFunction or SqlStates.UndefinedTable or SqlStates.UndefinedColumn or SqlStates.UndefinedObject
        or SqlStates.InvalidSchemaName;

    /// <summary>
    /// A type that a parameter was said to be of does not exist any more, or is a composite type with other fields: somebody else has
    /// dropped or altered it after it had been looked up. The one is an internal error, whose text is never translated
    /// (getBaseTypeAndTypmod and others, lsyscache.c).
    /// </summary>
    public static bool IsTypeGone(ServerErrorFields error) =>
        (error.SqlState == SqlStates.InternalError
            && error.MessageText?.StartsWith("cache lookup failed for type ", StringComparison.Ordinal) == true)
        || error is { SqlState: SqlStates.DatatypeMismatch, Routine: "record_recv" };

    /// <summary>The statement's result columns have changed since it was parsed (RevalidateCachedQuery, plancache.c).</summary>
    public static bool IsOutdated(ServerErrorFields error) =>
        error is { SqlState: SqlStates.FeatureNotSupported, Routine: "RevalidateCachedQuery" };

    /// <summary>Whether the error says that no function of the statement has run: Parse or Bind was refused before one could.</summary>
    /// <remarks>
    /// An immutable function runs while its statement is planned, the function of a domain's check while a parameter is read, both before
    /// BindComplete. Each call adds a line of context to an error that it raises; reading a parameter adds one line, which names it as $n
    /// (bind_param_error_callback, postgres.c). A built-in function that the planner calls after others, such as array_in, adds none.
    /// </remarks>
    public static bool ComesBeforeFunctions(ServerErrorFields error, Reply failedAt) =>
        failedAt switch
        {
            Reply.ParseComplete => !MayComeFromFunction(error),
            Reply.BindComplete => !MayComeFromFunction(error) && (!IsTypeGone(error) || ComesFromParameter(error)),
            _ => false,
        };

    /// <summary>
    /// Corrects the cached state that an error contradicts. The statement was refused by Parse or Bind; an error of the same SQLSTATE that
    /// the statement itself raises comes later. Returns the error to report.
    /// </summary>
    public static ServerErrorFields CorrectCaches(ServerSession session, StatementRun run, ServerErrorFields error)
    {
        switch (error.SqlState)
        {
            // The exchange in front, which was to parse the statement, has failed to.
            case SqlStates.InvalidSqlStatementName when run is { Parse: null, Statement.Refusal: { } refusal }:
                return refusal;
            case SqlStates.InvalidSqlStatementName: // other statements may be gone with this one
                session.Effects.ForgetMeanings();
                break;
            case SqlStates.FeatureNotSupported when IsOutdated(error):
                session.Context.Database.ForgetMeanings();
                run.Statement?.SendsText = session.IsPooledElsewhere;
                break;
            case SqlStates.InternalError or SqlStates.DatatypeMismatch when IsTypeGone(error):
                session.Context.Database.ForgetTypes();
                session.Context.Database.ForgetMeanings();
                break;
            case SqlStates.DuplicatePreparedStatement when run.Statement is { } there:
                there.Parsed(session.Effects.Epoch);
                break;
            case SqlStates.ProtocolViolation when run is { Sql: { } sql, Remembered.Length: > 0 }:
                // The formats did not fit the columns, perhaps; without them the next run does.
                session.Context.Database.Formats.Keep(sql, run.Types, []);
                break;
            default:
                // A statement that cannot be parsed is not cached.
                if (run is { Parse.Statement: { IsExplicit: false } wrong } && error.SqlState is ['4', '2', ..])
                {
                    session.Statements.Remove(wrong);
                    wrong.Refusal = error;
                }
                break;
        }
        return error;
    }

    private static bool MayComeFromFunction(ServerErrorFields error) =>
        error.Where is { Length: > 0 } context && (context.Contains('\n') || !NamesParameter(context));

    // Bind reads the parameters before it plans (exec_bind_message, postgres.c).
    private static bool ComesFromParameter(ServerErrorFields error) =>
        error is { Where.Length: > 0 } or { Routine: "getTypeBinaryInputInfo" or "getTypeInputInfo" };

    // "unnamed portal parameter $1 = ..": in every language that has $1 there, words come before it, then a blank. A function may be named
    // f$1 or "f $1", but its context begins with PL/pgSQL, or has the name in quotes.
    private static bool NamesParameter(string context)
    {
        var dollar = context.IndexOf('$');
        if (dollar < 1 || context[dollar - 1] != ' ' || dollar + 1 == context.Length || !char.IsAsciiDigit(context[dollar + 1]))
            return false;
        foreach (var c in context.AsSpan(0, dollar))
        {
            if (!char.IsLetter(c) && c is not (' ' or ','))
                return false;
        }
        return true;
    }
}
