using System.Text;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>
/// Statements of the driver whose replies nobody waits for: the ROLLBACK of a disposed transaction, the reset of a session that goes back
/// to the pool, the Sync of <see cref="KeepAlive"/>. They are sent at once; their replies are read before those of the session's next
/// exchange.
/// F: Query or Sync for each / B: (T | D | C)* Z for each, or E Z
/// </summary>
internal sealed class DeferredStatements(ServerSession session) : MessageExchange(session.Owner, new ExpectedReplies())
{
    private readonly Queue<(Action<string?[]?, ServerErrorFields?>? Answered, bool MustSucceed)> _due = [];
    private ServerErrorFields? _failure;
    private ServerErrorFields? _error;
    private string?[]? _row;
    // Read by cancelling threads.
    private int _dueCount;

    /// <summary>Whether an answer is still to come.</summary>
    public bool IsDue => Volatile.Read(ref _dueCount) > 0;

    /// <summary>Whether the server has replied with a FATAL error: it closes the connection next.</summary>
    public bool IsFatal => _error is { InvariantSeverity: "FATAL" or "PANIC" };

    private RequestWriter Requests => new(session.Output, Expected);

    /// <summary>Writes statements that have to succeed, or the session breaks; it must have been claimed.</summary>
    /// <param name="sql">Divided by semicolons, with none in a string; or empty.</param>
    public void Write(string sql) => WriteRequired(sql, answered: null);

    /// <inheritdoc cref="Write(string)"/>
    /// <param name="sql">As there.</param>
    /// <param name="answered">Gets the error, or null.</param>
    public void WriteRequired(string sql, Action<string?[]?, ServerErrorFields?>? answered)
    {
        Requests.Query(sql, statements: sql.AsSpan().Count(';') + 1);
        Add(answered, mustSucceed: true);
    }

    /// <summary>Writes a Sync: its answer is a sign of life.</summary>
    public void WriteSync()
    {
        Requests.Sync();
        Add(null, mustSucceed: true);
    }

    /// <summary>Writes a statement that may fail; the session must have been claimed.</summary>
    /// <param name="sql">One statement, which returns at most one row.</param>
    /// <param name="answered">Gets the row as texts, or null, and the error.</param>
    public void Write(string sql, Action<string?[]?, ServerErrorFields?> answered)
    {
        Requests.Query(sql, statements: 1);
        Add(answered, mustSucceed: false);
    }

    /// <summary>Writes a ROLLBACK and sends it, as far as it fits; the transaction counts as ended from now on.</summary>
    public static bool Rollback(ServerSession session, string sql)
    {
        session.Deferred.Write(sql);
        var isSent = session.Deferred.Send();
        session.TransactionStatus = TransactionStatus.Idle;
        return isSent;
    }

    /// <summary>Sends what was written and frees the session. False when the socket does not take all of it now.</summary>
    public bool Send()
    {
        var isSent = session.Wire.TrySend();
        session.End();
        return isSent;
    }

    /// <summary>Blocks until everything has been answered. False when the time is over.</summary>
    public bool Take(Deadline limit) => !IsDue || session.Wire.Pump(this, limit) != Progress.NeedMore;

    /// <summary>Awaits the answers to everything.</summary>
    public ValueTask<Progress> TakeAsync(Deadline limit, CancellationToken token) =>
        IsDue ? session.Wire.PumpAsync(this, limit, token) : new(Progress.Done);

    public override PgException? OnEndOfStream() => _error is null ? null : SessionErrors.FromServer(_error, session.Context);

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.DataRow:
                _row = TextsOf(new DataRow(message.Body));
                return Progress.NeedMore;
            case BackendMessageType.RowDescription or BackendMessageType.CommandComplete or BackendMessageType.EmptyQueryResponse:
                return Progress.NeedMore;
            case BackendMessageType.ErrorResponse:
                _error ??= new ErrorOrNotice(message.Body).ToFields();
                return Progress.NeedMore;
            case BackendMessageType.ReadyForQuery:
                return OnReady(new ReadyForQuery(message.Body));
            default:
                throw ProtocolErrors.UnexpectedMessage("CommandComplete", message.Type);
        }
    }

    private void Add(Action<string?[]?, ServerErrorFields?>? answered, bool mustSucceed)
    {
        _due.Enqueue((answered, mustSucceed));
        if (Interlocked.Increment(ref _dueCount) == 1)
            session.Wire.Enqueue(this);
    }

    private Progress OnReady(ReadyForQuery ready)
    {
        // Idle since it was sent. Setting it again would end a transaction that the command behind it is about to begin.
        if (session.TransactionStatus != ready.Status)
            session.TransactionStatus = ready.Status;
        var (answered, mustSucceed) = _due.Dequeue();
        answered?.Invoke(_row, _error);
        if (mustSucceed)
            _failure ??= _error;
        _error = null;
        _row = null;
        if (Interlocked.Decrement(ref _dueCount) > 0)
            return Progress.NeedMore;
        session.Cancellation.DeferredEnded();
        session.Owner.DeferredEnded();
        return _failure is null
            ? Progress.Done
            : throw SessionErrors.ResetRefused(SessionErrors.FromServer(_failure, session.Context));
    }

    private static string?[] TextsOf(DataRow row)
    {
        var texts = new string?[row.Count];
        for (var i = 0; row.TryReadNext(out var column); i++)
            texts[i] = column.IsNull ? null : Encoding.UTF8.GetString(column.Value);
        return texts;
    }
}
