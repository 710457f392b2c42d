using Loxo.Protocol.Backend;

namespace Loxo.Protocol;

/// <summary>A reply that the server owes for a message, or for a part of one.</summary>
internal enum Reply : byte
{
    CloseComplete,
    ParseComplete,
    BindComplete,
    /// <summary>For Describe of a statement, in front of its <see cref="Description"/>.</summary>
    ParameterDescription,
    /// <summary>RowDescription or NoData, for Describe.</summary>
    Description,
    /// <summary>For Execute: rows if a RowDescription came before, then CommandComplete.</summary>
    Execute,
    /// <summary>As <see cref="Execute"/>, or EmptyQueryResponse, since the text may hold no statement.</summary>
    ExecuteOrEmpty,
    /// <summary>For Execute of a statement whose columns are known from an earlier description: rows, then CommandComplete.</summary>
    ExecuteWithRows,
    /// <summary>For Execute of a statement that was not described: perhaps rows, then CommandComplete or EmptyQueryResponse.</summary>
    ExecuteUndescribed,
    /// <summary>For each statement of a Query: perhaps RowDescription and rows, then CommandComplete.</summary>
    SimpleStatement,
    /// <summary>For a COPY in a Query: perhaps CopyInResponse or CopyOutResponse and what it copies, then CommandComplete.</summary>
    Copy,
    EmptyQuery,
    /// <summary>ReadyForQuery, for Sync and for the end of a Query.</summary>
    Ready,
    /// <summary>ReadyForQuery for a Sync that the server may have read in copy mode, where it is ignored.</summary>
    ReadyUnlessCopied,
}

/// <summary>The replies that are due. A message out of place means that client and server disagree, so the session breaks.</summary>
/// <remarks>
/// After ErrorResponse the server ignores everything up to the next Sync (manual, "Extended Query"). Rows are counted and compared
/// with the count in CommandComplete: PortalRun (pquery.c) sets it to the rows that it has sent.
/// </remarks>
internal sealed class ExpectedReplies
{
    private Reply[] _replies = new Reply[8];
    private int _count;
    private int _next;
    private bool _hasFailed;
    private bool _isOver;
    private bool _hasColumns;
    private int _mostRows;
    private CopyState _copy;

    private enum CopyState : byte
    {
        None,
        In,
        Out,
        OutDone,
    }

    public bool IsEmpty => _next == _count;

    /// <summary>The reply in whose place the last ErrorResponse came.</summary>
    public Reply FailedAt { get; private set; }

    public void Clear()
    {
        _count = _next = 0;
        _hasFailed = _isOver = _hasColumns = false;
        _mostRows = 0;
        _copy = CopyState.None;
    }

    public void Add(Reply reply)
    {
        if (IsEmpty)
            _count = _next = 0;
        if (_count == _replies.Length)
            MakeRoom();
        _replies[_count++] = reply;
    }

    /// <summary>Adds the reply to an Execute that ends with PortalSuspended if there may be more rows than it asks for.</summary>
    /// <param name="execute">The reply if there are not. Nothing may be added before it has come.</param>
    /// <param name="mostRows">How many rows the Execute asks for; 0 for all.</param>
    public void AddExecute(Reply execute, int mostRows)
    {
        Add(execute);
        _mostRows = mostRows;
    }

    /// <summary>An error in front has ended the group: nothing is due before its ReadyForQuery.</summary>
    public void SkipToReady()
    {
        while (_next < _count && Next is not Reply.Ready)
            _next++;
    }

    /// <summary>A CopyData is next that is taken in pieces.</summary>
    public void AcceptCopyData()
    {
        if (_copy != CopyState.Out)
            throw ProtocolErrors.UnexpectedMessage(Description(), BackendMessageType.CopyData);
    }

    /// <summary>Checks that a message is due; a DataRow may be shown any number of times before it is consumed.</summary>
    public void Accept(BackendMessage message, MessageReader messages)
    {
        if (!IsDue(message.Type))
            throw ProtocolErrors.UnexpectedMessage(Description(), message.Type);
        switch (message.Type)
        {
            case BackendMessageType.DataRow or BackendMessageType.CopyData:
                return;
            case BackendMessageType.CopyDone:
                _copy = CopyState.OutDone;
                return;
            case BackendMessageType.CopyInResponse:
                _copy = CopyState.In;
                return;
            case BackendMessageType.CopyOutResponse:
                _copy = CopyState.Out;
                return;
            case BackendMessageType.ErrorResponse:
                Fail(message, messages);
                return;
            case BackendMessageType.RowDescription when Next == Reply.SimpleStatement:
                _hasColumns = true;
                return;
            case BackendMessageType.CommandComplete:
                CheckCount(new CommandComplete(message.Body), messages);
                EndStatement();
                break;
            case BackendMessageType.PortalSuspended:
                if (messages.TakeRowCount() is var rows && rows != _mostRows)
                    throw ProtocolErrors.RowsMissing(rows, (ulong)_mostRows);
                EndStatement();
                break;
            case BackendMessageType.EmptyQueryResponse:
                // The Sync in front of the Query was ignored.
                if (Next == Reply.ReadyUnlessCopied)
                    _next++;
                EndStatement();
                break;
            case BackendMessageType.ReadyForQuery:
                _hasFailed = _hasColumns = false;
                break;
            case BackendMessageType.RowDescription or BackendMessageType.NoData:
                _hasColumns = message.Type == BackendMessageType.RowDescription;
                break;
        }
        _next++;
    }

    /// <summary>Checks that a row is due which has not arrived whole.</summary>
    public void AcceptRow()
    {
        if (!IsDue(BackendMessageType.DataRow))
            throw ProtocolErrors.UnexpectedMessage(Description(), BackendMessageType.DataRow);
    }

    private Reply Next => _replies[_next];

    // The array grows only if more than half of it is due, so an exchange that adds and takes replies all the time needs no more memory.
    private void MakeRoom()
    {
        if (_next < _count / 2)
        {
            Array.Resize(ref _replies, _count * 2);
            return;
        }
        Array.Copy(_replies, _next, _replies, 0, _count - _next);
        (_count, _next) = (_count - _next, 0);
    }

    private bool IsDue(BackendMessageType type)
    {
        if (IsEmpty)
            return false;
        if (_copy != CopyState.None)
            return IsDueInCopy(type);
        if (type == BackendMessageType.ErrorResponse)
            return true;
        if (type == BackendMessageType.PortalSuspended)
            return _mostRows > 0 && _next == _count - 1
                && (Next == Reply.ExecuteWithRows || (_hasColumns && Next is Reply.Execute or Reply.ExecuteOrEmpty));
        return Next switch
        {
            Reply.CloseComplete => type == BackendMessageType.CloseComplete,
            Reply.ParseComplete => type == BackendMessageType.ParseComplete,
            Reply.BindComplete => type == BackendMessageType.BindComplete,
            Reply.ParameterDescription => type == BackendMessageType.ParameterDescription,
            Reply.Description => type is BackendMessageType.RowDescription or BackendMessageType.NoData,
            Reply.Ready => type == BackendMessageType.ReadyForQuery,
            Reply.ReadyUnlessCopied => type is BackendMessageType.ReadyForQuery or BackendMessageType.EmptyQueryResponse,
            Reply.ExecuteWithRows => type is BackendMessageType.DataRow or BackendMessageType.CommandComplete,
            Reply.EmptyQuery => type == BackendMessageType.EmptyQueryResponse,
            Reply.Copy => type is BackendMessageType.CommandComplete or BackendMessageType.CopyInResponse
                or BackendMessageType.CopyOutResponse,
            Reply.ExecuteUndescribed => type is BackendMessageType.DataRow or BackendMessageType.CommandComplete
                or BackendMessageType.EmptyQueryResponse or BackendMessageType.CopyInResponse or BackendMessageType.CopyOutResponse,
            Reply.Execute or Reply.ExecuteOrEmpty or Reply.SimpleStatement when _hasColumns =>
                type is BackendMessageType.DataRow or BackendMessageType.CommandComplete,
            Reply.SimpleStatement => type is BackendMessageType.RowDescription or BackendMessageType.CommandComplete,
            var execute => type is BackendMessageType.CommandComplete or BackendMessageType.CopyInResponse
                or BackendMessageType.CopyOutResponse
                || (type == BackendMessageType.EmptyQueryResponse && execute == Reply.ExecuteOrEmpty),
        };
    }

    // An ordinary command copies nothing in, so the server cannot complete it.
    private bool IsDueInCopy(BackendMessageType type) => type switch
    {
        BackendMessageType.ErrorResponse => true,
        BackendMessageType.CopyData or BackendMessageType.CopyDone => _copy == CopyState.Out,
        BackendMessageType.CommandComplete => _copy == CopyState.OutDone || (_copy == CopyState.In && Next == Reply.Copy),
        _ => false,
    };

    private void Fail(BackendMessage message, MessageReader messages)
    {
        // One error ends a group. Another can only be the end of the connection, to which pgpool adds an error of its own.
        _isOver |= new ErrorOrNotice(message.Body).ToFields() is { InvariantSeverity: "FATAL" or "PANIC" };
        if (_hasFailed && !_isOver)
            throw ProtocolErrors.UnexpectedMessage("ReadyForQuery", BackendMessageType.ErrorResponse);
        if (!_hasFailed)
            FailedAt = Next;
        _hasFailed = true;
        messages.TakeRowCount();
        EndStatement();
        SkipToReady();
    }

    private void EndStatement()
    {
        _hasColumns = false;
        _copy = CopyState.None;
    }

    private void CheckCount(CommandComplete complete, MessageReader messages)
    {
        var rows = messages.TakeRowCount();
        var mayHaveColumns = _hasColumns || Next == Reply.ExecuteWithRows || (Next == Reply.ExecuteUndescribed && rows > 0);
        if (mayHaveColumns && complete.TryGetRows(out var counted) && (ulong)rows != counted)
            throw ProtocolErrors.RowsMissing(rows, counted);
    }

    private string Description() => IsEmpty ? "nothing more" : _copy switch
    {
        CopyState.In when Next != Reply.Copy => nameof(BackendMessageType.ErrorResponse),
        CopyState.Out => nameof(BackendMessageType.CopyData),
        CopyState.In or CopyState.OutDone => nameof(BackendMessageType.CommandComplete),
        _ => Next switch
        {
            Reply.Description => "RowDescription or NoData",
            Reply.EmptyQuery => nameof(BackendMessageType.EmptyQueryResponse),
            Reply.Execute or Reply.ExecuteOrEmpty or Reply.SimpleStatement when !_hasColumns => nameof(BackendMessageType.CommandComplete),
            Reply.Execute or Reply.ExecuteOrEmpty or Reply.SimpleStatement or Reply.ExecuteWithRows or Reply.ExecuteUndescribed =>
                "DataRow or CommandComplete",
            Reply.Ready or Reply.ReadyUnlessCopied => nameof(BackendMessageType.ReadyForQuery),
            var reply => reply.ToString(),
        },
    };
}
