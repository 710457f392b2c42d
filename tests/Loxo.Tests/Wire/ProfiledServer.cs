using System.Text;

namespace Loxo.Tests.Wire;

/// <summary>
/// Serves one connection as a <see cref="ServerProfile"/> says. It knows a handful of statements: integers and parameters come back, "unknown" is
/// a value of a type that the driver does not know, and "INSERT once" asks for its transaction to be run again the first time.
/// </summary>
internal sealed class ProfiledServer(ServerProfile profile, ScriptedPeer peer)
{
    // A type that the driver does not know and the server's catalogue does not have.
    private const uint UnknownType = 90001;

    private readonly Dictionary<string, Parse> _statements = [];
    private readonly List<string> _seen = [];
    private (string Sql, uint[] Types, byte[]?[] Values, short[] Formats) _portal;
    private char _status = 'I';
    private bool _hasFailed;

    /// <summary>All statements that have been executed or refused on this connection, in order.</summary>
    public List<string> Seen
    {
        get
        {
            lock (_seen)
                return [.. _seen];
        }
    }

    /// <summary>Serves until the client ends the connection.</summary>
    public void Serve()
    {
        LogIn();
        while (ServeNext())
        {
        }
    }

    /// <summary>Lets the client in.</summary>
    public void LogIn() => LogIn(peer, profile);

    public static Startup LogIn(ScriptedPeer peer, ServerProfile profile)
    {
        var startup = peer.Expect<Startup>();
        var answer = new Answer().AuthenticationOk();
        foreach (var (name, value) in profile.Parameters)
            answer.ParameterStatus(name, value);
        if (profile.SendsKey)
            answer.BackendKeyData(ScriptedPeer.ProcessId, ScriptedPeer.Key);
        peer.Write(answer.ReadyForQuery().Bytes);
        return startup;
    }

    private bool ServeNext()
    {
        if (!peer.Channel.HasMore())
            return false;
        switch (peer.ExpectAny())
        {
            case Terminate:
                return false;
            case Query query:
                RunAll(query.Sql);
                break;
            case Sync:
                _hasFailed = false;
                peer.Send.ReadyForQuery(_status);
                _status = profile.ErrorsLookLikeTransactions && _status == 'E' ? 'I' : _status;
                break;
            case var message when !_hasFailed:
                Handle(message);
                break;
        }
        return true;
    }

    private void Handle(ClientMessage message)
    {
        switch (message)
        {
            case Parse parse:
                if (TryAccept(parse.Sql))
                    peer.Send.ParseComplete();
                _statements[parse.Statement] = parse;
                break;
            case Bind bind:
                var statement = _statements[bind.Statement];
                _portal = (statement.Sql, statement.Types, bind.Values, bind.ResultFormats);
                peer.Send.BindComplete();
                break;
            case Describe { Target: 'S' } describe:
                var described = _statements[describe.Name];
                peer.Send.Add('t', [.. Answer.Int16(described.Types.Length), .. described.Types.SelectMany(type => Answer.Int32((int)type))]);
                SendDescription(described.Sql, described.Types, []);
                break;
            case Describe:
                SendDescription(_portal.Sql, _portal.Types, _portal.Formats);
                break;
            case Execute:
                Run(_portal.Sql, _portal.Types, _portal.Values, _portal.Formats);
                break;
            case Close:
                peer.Send.CloseComplete();
                break;
        }
    }

    private void RunAll(string sql)
    {
        // As a whole, too: a server that cannot parse one statement of a text runs none of them.
        if (TryAccept(sql))
        {
            // The search for hidden code has semicolons in its literals.
            var statements = sql.Contains("'", StringComparison.Ordinal) ? [sql]
                : sql.Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
            foreach (var statement in statements)
            {
                if (IsQuery(statement))
                    SendDescription(statement, [], []);
                Run(statement, [], [], []);
            }
            if (statements.Length == 0)
                peer.Send.EmptyQueryResponse();
        }
        _hasFailed = false;
        peer.Send.ReadyForQuery(_status);
    }

    private bool TryAccept(string sql)
    {
        lock (_seen)
            _seen.Add(sql);
        if (ErrorOf(sql) is not var (state, message))
            return true;
        peer.Send.ErrorResponse(state, message);
        _hasFailed = true;
        _status = _status != 'I' || profile.ErrorsLookLikeTransactions ? 'E' : 'I';
        return false;
    }

    private (string SqlState, string Message)? ErrorOf(string sql) => sql switch
    {
        "FAIL" => ("42601", "syntax error at or near \"FAIL\""),
        "INSERT once" when Seen.Count(one => one == sql) == 1 => ServerProfile.Restart,
        _ => profile.ErrorOf(sql),
    };

    private static bool IsQuery(string sql) => sql.StartsWith("SELECT", StringComparison.Ordinal) || sql.StartsWith("WITH", StringComparison.Ordinal);

    private static bool IsUnknown(string sql) => sql.EndsWith("unknown", StringComparison.Ordinal);

    private void SendDescription(string sql, uint[] types, short[] formats)
    {
        if (!IsQuery(sql))
            peer.Send.NoData();
        else if (IsUnknown(sql))
            SendColumns([UnknownType], formats);
        else if (types.Length > 0)
            SendColumns(types, formats);
        else
            SendColumns(Enumerable.Repeat(sql.Contains("pg_", StringComparison.Ordinal) ? 25u : 23u, ColumnsOf(sql)).ToArray(), formats);
    }

    private void SendColumns(uint[] types, short[] formats) => peer.Send.Add('T',
    [
        .. Answer.Int16(types.Length),
        .. types.SelectMany((type, i) => (byte[])
        [
            .. Answer.Text("c" + i), .. Answer.Int32(0), .. Answer.Int16(0), .. Answer.Int32((int)type), .. Answer.Int16(-1),
            .. Answer.Int32(-1), .. Answer.Int16(FormatOf(formats, i)),
        ]),
    ]);

    private static short FormatOf(short[] formats, int column) => formats.Length switch { 0 => 0, 1 => formats[0], _ => formats[column] };

    private static int ColumnsOf(string sql) => sql.StartsWith("WITH RECURSIVE found", StringComparison.Ordinal) ? 16
        : sql.StartsWith("WITH", StringComparison.Ordinal) ? 5 : sql.Contains("pg_prepared_statements", StringComparison.Ordinal) ? 2 : 1;

    private void Run(string sql, uint[] types, byte[]?[] values, short[] formats)
    {
        if (sql.StartsWith("BEGIN", StringComparison.Ordinal) && !profile.IgnoresBegin)
            _status = 'T';
        if (sql is "COMMIT" or "ROLLBACK")
            _status = 'I';
        if (!IsQuery(sql))
        {
            peer.Send.CommandComplete(sql.StartsWith("INSERT", StringComparison.Ordinal) ? "INSERT 0 1" : sql.Split(' ')[0]);
            return;
        }
        byte[]?[]? row = IsUnknown(sql) || types is [UnknownType] ? [FormatOf(formats, 0) == 0 ? "POINT(1 2)"u8.ToArray() : [1, 2, 3, 4]]
            : values.Length > 0 && !sql.Contains("pg_", StringComparison.Ordinal) ? values
            : sql.StartsWith("WITH RECURSIVE found", StringComparison.Ordinal) ? null
            : sql.StartsWith("WITH", StringComparison.Ordinal) ? [null, null, "f"u8.ToArray(), null, null]
            : sql.Contains("pg_prepared_statements", StringComparison.Ordinal) ? ["0"u8.ToArray(), "0"u8.ToArray()]
            : sql.Contains("pg_", StringComparison.Ordinal) ? [[]]
            : [Integer(sql["SELECT ".Length..], FormatOf(formats, 0))];
        if (row is not null)
            peer.Send.DataRow(row);
        peer.Send.CommandComplete(row is null ? "SELECT 0" : "SELECT 1");
    }

    private static byte[] Integer(string text, short format) =>
        format == 0 ? Encoding.ASCII.GetBytes(text) : Answer.Int32(int.Parse(text, System.Globalization.CultureInfo.InvariantCulture));
}
