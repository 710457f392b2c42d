using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Session;

/// <summary>
/// The rows of a command that shares its session: copied out of the input, so that the commands behind it need not wait for its reader.
/// </summary>
/// <remarks>
/// Rows are added under the gate of the wire while the reader reads others without it, so there are two buffers: the reader gets the full
/// one for the one that it has read.
/// </remarks>
/// <param name="most">The number of bytes that are collected ahead of the reader.</param>
internal sealed class CollectedRows(int most)
{
    private const int InitialSize = 512;

    // Ends a result. Only its type is read.
    private static readonly byte[] _end = [(byte)BackendMessageType.CommandComplete, 0, 0, 0, sizeof(int)];

    private readonly Queue<StatementRun> _results = [];
    private MessageReader _arriving = new(InitialSize);
    private StatementRun? _added;
    private bool _hasEnded = true;
    private bool _leaving;
    private bool _isLeft;

    /// <summary>The rows that the reader takes.</summary>
    public MessageReader Reading { get; private set; } = new(InitialSize);

    /// <summary>The result that the reader is in.</summary>
    public StatementRun? Result { get; private set; }

    /// <summary>Whether the reader has to take rows before more are added.</summary>
    public bool IsFull => !_isLeft && _arriving.Buffered >= most;

    /// <summary>Copies the next row.</summary>
    /// <param name="result">The result that it belongs to.</param>
    /// <param name="messages">The row is its next message.</param>
    public void AddRow(StatementRun result, MessageReader messages)
    {
        Enter(result);
        messages.TryTakeRow(out var start, out var end);
        result.HasLongRows |= end - start > most;
        _arriving.Append(messages.Buffer.AsSpan(start - BackendMessage.HeaderSize, end - start + BackendMessage.HeaderSize));
    }

    /// <summary>Notes the end of a result.</summary>
    public void AddEnd(StatementRun result)
    {
        Enter(result);
        _arriving.Append(_end);
    }

    /// <summary>
    /// The reader's next stop; <see cref="Progress.NeedMore"/> when nothing is left. A row stays for it in <see cref="Reading"/>.
    /// </summary>
    public Progress Next()
    {
        while (!_isLeft)
        {
            if (Reading.Buffered == 0)
                (Reading, _arriving) = (_arriving, Reading);
            if (!Reading.TryPeek(out var message))
                return Progress.NeedMore;
            if (_hasEnded)
                Result = _results.Dequeue();
            _hasEnded = message.Type != BackendMessageType.DataRow;
            if (!_hasEnded && !_leaving)
                return Progress.Row;
            Reading.Consume(message);
            if (_hasEnded && !_leaving)
                return Progress.ResultEnd;
            _leaving &= !_hasEnded;
        }
        return Progress.NeedMore;
    }

    /// <summary>Nothing more is read.</summary>
    public void LeaveAll() => _isLeft = true;

    /// <summary>Begins anew, for another command.</summary>
    public void Clear()
    {
        _results.Clear();
        _arriving.Clear();
        Reading.Clear();
        _added = Result = null;
        _hasEnded = true;
        _leaving = _isLeft = false;
    }

    /// <summary>Skips the rest of the current result, its end included.</summary>
    public void LeaveResult() => _leaving = true;

    private void Enter(StatementRun result)
    {
        if (ReferenceEquals(_added, result))
            return;
        _added = result;
        _results.Enqueue(result);
    }
}
