using Loxo.Protocol;
using Loxo.Protocol.Frontend;

namespace Loxo.Session;

/// <summary>Writes messages that the server answers, and notes the replies that are due for them.</summary>
internal readonly struct RequestWriter(MessageWriter output, ExpectedReplies expected)
{
    /// <summary>Parse; an empty name for the unnamed statement.</summary>
    public void Parse(string name, string sql, ReadOnlySpan<uint> types)
    {
        output.WriteParse(name, sql, types);
        expected.Add(Reply.ParseComplete);
    }

    /// <summary>Begins Bind, whose parameters and end the caller writes.</summary>
    public void BeginBind(string statement)
    {
        output.BeginBind(statement);
        expected.Add(Reply.BindComplete);
    }

    /// <summary>Bind with values in the formats that they choose.</summary>
    public void Bind<T>(string statement, T values, ReadOnlySpan<FormatCode> results)
        where T : IParameterValues
    {
        BeginBind(statement);
        WriteParameters(values);
        output.EndBind(results);
    }

    /// <summary>
    /// Bind and Execute of a statement whose rows nobody reads: they are requested as text, which the server has for every type. If a value
    /// cannot be written, nothing is left of them.
    /// </summary>
    /// <exception cref="PgException">A value comes from a stream.</exception>
    public void BindAndExecute<T>(string statement, T values)
        where T : IParameterValues
    {
        var start = output.Position;
        try
        {
            output.BeginBind(statement);
            WriteParameters(values);
            if (output.Sources.Length > 0)
                throw SessionErrors.StreamInRows();
            output.EndBind([FormatCode.Text]);
        }
        catch
        {
            output.TakeBack(start);
            throw;
        }
        output.WriteExecute();
        expected.Add(Reply.BindComplete);
        expected.Add(Reply.ExecuteUndescribed);
    }

    /// <summary>Describe of the portal, and Execute.</summary>
    /// <inheritdoc cref="Execute"/>
    public void DescribeAndExecute(string sql, int mostRows = 0)
    {
        output.WriteDescribe(Messages.Target.Portal, "");
        expected.Add(Reply.Description);
        Execute(sql, hasColumns: false, mostRows);
    }

    /// <summary>Whether the text may hold no statement: only one that begins with a comment may hold nothing else.</summary>
    public static bool MayBeEmpty(string sql) => sql.AsSpan().TrimStart() is [] or ['-' or '/' or ';', ..];

    /// <summary>Execute.</summary>
    /// <param name="sql">The statement.</param>
    /// <param name="hasColumns">Whether it is known to return rows without having been described with it.</param>
    /// <param name="mostRows">How many rows it returns at most; 0 for all.</param>
    public void Execute(string sql, bool hasColumns, int mostRows = 0)
    {
        output.WriteExecute(mostRows);
        expected.AddExecute(hasColumns ? Reply.ExecuteWithRows : MayBeEmpty(sql) ? Reply.ExecuteOrEmpty : Reply.Execute, mostRows);
    }

    /// <summary>Execute of the portal that the last one has suspended.</summary>
    /// <param name="mostRows">How many rows it returns at most; 0 for all.</param>
    public void ExecuteOn(int mostRows)
    {
        output.WriteExecute(mostRows);
        expected.AddExecute(Reply.ExecuteWithRows, mostRows);
    }

    /// <summary>Close of the unnamed portal.</summary>
    public void ClosePortal()
    {
        output.WriteClose(Messages.Target.Portal, "");
        expected.Add(Reply.CloseComplete);
    }

    /// <summary>Flush: the server sends its replies so far, and the group goes on.</summary>
    public void Flush() => output.WriteFlush();

    /// <summary>Describe of a statement.</summary>
    public void DescribeStatement(string name)
    {
        output.WriteDescribe(Messages.Target.Statement, name);
        expected.Add(Reply.ParameterDescription);
        expected.Add(Reply.Description);
    }

    /// <summary>Close of a statement.</summary>
    public void CloseStatement(string name)
    {
        output.WriteClose(Messages.Target.Statement, name);
        expected.Add(Reply.CloseComplete);
    }

    /// <summary>Parse, Bind and Execute of a statement without parameters or columns.</summary>
    public void Unnamed(string sql)
    {
        output.WriteUnnamed(sql);
        expected.Add(Reply.ParseComplete);
        expected.Add(Reply.BindComplete);
        expected.Add(Reply.Execute);
    }

    /// <summary>Sync.</summary>
    public void Sync()
    {
        output.WriteSync();
        expected.Add(Reply.Ready);
    }

    /// <summary>A Query of that many statements; an empty text counts as one.</summary>
    public void Query(string sql, int statements)
    {
        output.WriteQuery(sql);
        for (var i = 0; i < statements; i++)
            expected.Add(sql.Length == 0 ? Reply.EmptyQuery : Reply.SimpleStatement);
        expected.Add(Reply.Ready);
    }

    /// <summary>A COPY, with the BEGIN in front of it that is due; null for none.</summary>
    /// <param name="sql">The statement.</param>
    /// <param name="begin">The BEGIN.</param>
    /// <param name="inGroup">Whether it begins a group, whose Sync the caller writes when the COPY has ended; otherwise a Query.</param>
    public void Copy(string sql, string? begin, bool inGroup)
    {
        if (inGroup)
        {
            if (begin is not null)
                Unnamed(begin);
            output.WriteUnnamed(sql);
            Flush();
            expected.Add(Reply.ParseComplete);
            expected.Add(Reply.BindComplete);
        }
        else
        {
            output.WriteQuery(begin is null ? sql : begin + "; " + sql);
            if (begin is not null)
                expected.Add(Reply.SimpleStatement);
        }
        expected.Add(Reply.Copy);
        expected.Add(Reply.Ready);
    }

    /// <summary>
    /// Behind the error of a COPY FROM STDIN that was ended by CopyFail, and was begun by a statement in front of the last Sync: another
    /// Sync and an empty Query. The server ignores the Sync that was sent before if it reads it in copy mode, and answers both if it had
    /// left copy mode by then; EmptyQueryResponse tells where these answers end.
    /// </summary>
    /// <remarks>
    /// Not together with CopyFail: with the error that ends a copy, pgbouncer (1.18) forgets what was sent behind the copy, hands the
    /// server process on with the next ReadyForQuery, and drops the other answers.
    /// </remarks>
    public void SyncBehindCopy()
    {
        output.WriteSync();
        expected.Add(Reply.ReadyUnlessCopied);
        Query("", statements: 1);
    }

    private void WriteParameters<T>(T values)
        where T : IParameterValues
    {
        var count = values.Count;
        WriteParameterFormats(values, count);
        output.WriteCount(count);
        for (var i = 0; i < count; i++)
            values.Write(i, output);
    }

    private void WriteParameterFormats<T>(T values, int count)
        where T : IParameterValues
    {
        var binary = true;
        for (var i = 0; i < count && binary; i++)
            binary = values.Format(i) == FormatCode.Binary;
        if (binary)
        {
            output.WriteFormat(FormatCode.Binary);
            return;
        }
        output.WriteCount(count);
        for (var i = 0; i < count; i++)
            output.WriteInt16((short)values.Format(i));
    }
}
