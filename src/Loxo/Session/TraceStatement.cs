using Loxo.Protocol;
using Loxo.Protocol.Frontend;

namespace Loxo.Session;

/// <summary>
/// The statement that tells the server of a trace until the transaction ends; the transaction of a single command ends with the command.
/// The trace is a value, so that the statement is prepared once. docs/decisions/0030 says why it is not a comment.
/// </summary>
/// <param name="value">The <c>traceparent</c>: ASCII, shorter than the 63 bytes that the server keeps.</param>
internal sealed class TraceStatement(string value) : IParameterValues
{
    public const string Sql = "SELECT pg_catalog.set_config('application_name', $1, true)";

    // text
    private const uint TextOid = 25;

    public static uint[] Types { get; } = [TextOid];

    /// <summary>The setting that tells it.</summary>
    public const string Setting = "application_name";

    /// <summary>Tells the server of the trace of the query, if it has one and this is its first statement.</summary>
    /// <param name="query">It is being written.</param>
    /// <param name="isPlanned">
    /// Whether the server plans the caller's first statement. Others, such as VACUUM, may have to run alone, and a ROLLBACK must not be
    /// kept from running.
    /// </param>
    public static void AddTo(QueryExchange query, bool isPlanned)
    {
        if (query.TraceContext is not { } trace)
            return;
        query.TraceContext = null;
        var session = query.Session;
        // A portal with portions has a Flush in the place of the Sync.
        if (!isPlanned || query.Runs.Length > 0 || query.Portal.Rows > 0 || session.TransactionStatus == TransactionStatus.Failed)
            return;
        if (session.KeepsDescriptions)
            query.Add(session.Statements.Hold(Sql, Types), new TraceStatement(trace), []);
        else
            query.Add(Sql, Types, new TraceStatement(trace), []);
        query.MarkOwn();
    }

    public int Count => 1;

    public FormatCode Format(int index) => FormatCode.Text;

    public void Write(int index, MessageWriter writer)
    {
        writer.WriteInt32(value.Length);
        writer.WriteBytes(Encoding.ASCII.GetBytes(value));
    }
}
