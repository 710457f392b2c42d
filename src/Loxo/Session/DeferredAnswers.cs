using System.Text;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;

namespace Loxo.Session;

/// <summary>
/// Statements of ours that nobody waits for: the ROLLBACK of a disposed transaction, the reset of a session that goes back to the pool. They are
/// sent at once; the answers are taken in front of those of the session's next exchange.
/// F: Query for each / B: (T | D | C)* Z for each, or E Z
/// </summary>
internal sealed class DeferredAnswers(ServerSession session) : Exchange(session)
{
    private readonly Queue<Action<string?[]?, ServerErrorFields?>?> _due = [];
    private ServerErrorFields? _failure;
    private ServerErrorFields? _error;
    private string?[]? _row;

    /// <summary>Whether an answer is still to come.</summary>
    public bool IsDue => _due.Count > 0;

    /// <summary>A statement without which the session cannot be used was refused.</summary>
    public ServerErrorFields? Failure => _failure;

    /// <summary>The server has said goodbye instead of answering; the end of the stream is on its way.</summary>
    public bool IsLast => _error is { InvariantSeverity: "FATAL" or "PANIC" };

    /// <summary>Writes a statement that has to succeed.</summary>
    public void Write(string sql)
    {
        session.Output.WriteQuery(sql);
        _due.Enqueue(null);
    }

    /// <summary>Writes a statement that may fail.</summary>
    /// <param name="sql">It returns at most one row.</param>
    /// <param name="answered">Gets the row as texts, or null, and the error.</param>
    public void Write(string sql, Action<string?[]?, ServerErrorFields?> answered)
    {
        session.Output.WriteQuery(sql);
        _due.Enqueue(answered);
    }

    public override PgException? OnEndOfStream() => _error is null ? null : SessionErrors.FromServer(_error, session.Context.Settings);

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.DataRow:
                _row = TextsOf(message.Body);
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

    private Progress OnReady(ReadyForQuery ready)
    {
        // Idle since it was sent. Setting it again would end a transaction that the command behind it is about to begin.
        if (session.TransactionStatus != ready.Status)
            session.TransactionStatus = ready.Status;
        if (_due.Dequeue() is { } answered)
            answered(_row, _error);
        else
            _failure ??= _error;
        _error = null;
        _row = null;
        return IsDue ? Progress.NeedMore : Progress.Done;
    }

    private static string?[] TextsOf(ReadOnlySpan<byte> row)
    {
        var reader = new ValueReader(row);
        var texts = new string?[reader.ReadCount()];
        for (var i = 0; i < texts.Length; i++)
        {
            var length = reader.ReadInt32();
            texts[i] = length < 0 ? null : Encoding.UTF8.GetString(reader.ReadBytes(length));
        }
        return texts;
    }
}
