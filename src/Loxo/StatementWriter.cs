using Loxo.Protocol;
using Loxo.Session;

namespace Loxo;

/// <summary>Puts one statement into a session's query: by its name if it is prepared, else by its text.</summary>
internal static class StatementWriter
{
    public static void Write(ServerSession session, StatementPlan statement, bool onlyDescribe, ReadOnlySpan<FormatCode> formats)
    {
        var query = session.Query;
        if (onlyDescribe)
        {
            statement.BindTypes();
            query.AddDescription(statement.Sql, statement.Types);
            return;
        }
        statement.Bind();
        if (statement.Prepared is { } prepared && statement.Fits(prepared))
            query.Add(prepared, statement, formats);
        else
            query.Add(statement.Sql, statement.Types, statement, formats);
    }
}
