using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>
/// A command from its first message to its last: it looks up what has to be known before the statements can be written, sends them,
/// converts results that cannot be read as they came, and sends the statements again where <see cref="RetryPolicy"/> allows it. Each of
/// these steps is a flight of its own; <see cref="Transport.Wire"/> has one of them at a time in its queue. A
/// <see cref="CommandQueue"/> has several commands on their way at once.
/// F: [a <see cref="TypeLookup"/> | a <see cref="ColumnLookup"/>], then a <see cref="QueryExchange"/>, then [a
/// <see cref="ResultConversion"/>]
/// </summary>
internal sealed partial class CommandExchange : Exchange
{
    // Null as soon as the statements cannot be written again: a session must not keep a connection alive that its user has forgotten.
    private IStatementSource? _source;
    private ResultMode _mode;
    private Step _step;
    private ColumnLookup? _columns;
    private TypeLookup? _types;
    private ResultConversion? _conversion;
    private long _writtenFrom;
    private bool _hasRetried;
    // The result at which the exchange stopped last.
    private StatementRun? _delivered;

    public CommandExchange(ServerSession session)
    {
        Session = session;
        Query = new QueryExchange(session);
        Rows = new Rows(this);
    }

    private enum Step : byte
    {
        /// <summary>The statements themselves.</summary>
        Query,

        /// <summary>The types of parameters, by name.</summary>
        LookUpParameters,

        /// <summary>The columns of the statement.</summary>
        LookUpColumns,

        /// <summary>The types of these columns, by OID.</summary>
        LookUpColumnTypes,

        /// <summary>The types of the columns of statements that have been prepared, by OID.</summary>
        LookUpPreparedTypes,

        /// <summary>A result that cannot be read as it came.</summary>
        Convert,

        /// <summary>The command is over although its statements were not sent.</summary>
        Ended,
    }

    /// <summary>Where the command runs.</summary>
    public ServerSession Session { get; }

    /// <summary>The statements and what came of them.</summary>
    public QueryExchange Query { get; }

    /// <summary>The rows of the result that is being read.</summary>
    public Rows Rows { get; set; }

    /// <summary>The error of ours that kept the statements from being sent; null when there was none.</summary>
    public Exception? Failure { get; private set; }

    /// <summary>The result that is being read.</summary>
    public StatementRun? Result => _collected is null ? Query.Result : _collected.Result;

    /// <summary>The command was stopped before its statements were sent: during a lookup, or while a stream was read.</summary>
    public bool StoppedBeforeSent { get; private set; }

    /// <summary>Whether the statements are described, not executed.</summary>
    public bool DescribesOnly => (_mode & ResultMode.Describe) != 0;

    /// <summary>
    /// Whether the current result has types that are unknown because the flight is too large to be kept during a lookup: another session
    /// can look them up.
    /// </summary>
    public bool MustLookUpElsewhere => Result is { MustLookUpElsewhere: true };

    /// <summary>
    /// Writes the first flight; the session has been claimed. If writing fails, nothing is sent and the session is free again.
    /// </summary>
    public void Start(IStatementSource source, ResultMode mode)
    {
        Reset(source, mode);
        try
        {
            Write();
        }
        catch
        {
            _source = null;
            Session.End();
            throw;
        }
    }

    private void Reset(IStatementSource source, ResultMode mode)
    {
        (_source, _mode) = (source, mode);
        _hasRetried = StoppedBeforeSent = false;
        _conversion = null;
        Failure = null;
    }

    /// <summary>
    /// Another session has looked the types up, or has failed to: values of types that are still unknown are errors when they are read.
    /// </summary>
    public void OnLookedUpElsewhere()
    {
        lock (Session.Wire.Gate)
            Result!.LookedUpElsewhere(Session);
    }

    public override Progress Advance(MessageReader messages)
    {
        var progress = AdvanceStep(messages);
        return _collected is null ? progress : Collect(progress, messages);
    }

    private Progress AdvanceStep(MessageReader messages) => _step switch
    {
        Step.Query when Rows.IsWaiting => Rows.Part.TryAdvance() ? Progress.Row : Progress.NeedMore,
        Step.Query => AdvanceQuery(messages),
        Step.Convert => AdvanceConversion(messages),
        Step.Ended => Progress.Done,
        _ => AdvanceLookup(messages),
    };

    public override PgException? OnEndOfStream() => _step switch
    {
        Step.LookUpColumns => _columns!.OnEndOfStream(),
        Step.LookUpParameters or Step.LookUpColumnTypes or Step.LookUpPreparedTypes => _types!.OnEndOfStream(),
        Step.Convert => _conversion!.OnEndOfStream(),
        _ => Query.OnEndOfStream(),
    };

    public override void OnMeasured(Exception? error)
    {
        if (error is null && Session.StopReason == StopReason.None)
        {
            EndWriting();
            return;
        }
        // A value that cannot be read costs the command, not the session: nothing of the flight has been sent.
        TakeBack();
        Failure = error;
        StoppedBeforeSent = error is null;
        End();
    }

    // Writes the statements, or the lookup that has to come first.
    private bool Write()
    {
        if (_endsGroup)
            EndGroupOfOthers();
        _writtenFrom = Session.Output.Position;
        try
        {
            _step = Step.Query;
            _delivered = null;
            Query.Start();
            Query.SkipResults = (_mode & ResultMode.Skip) != 0;
            Query.RowsInPieces = (_mode & ResultMode.RowsInPieces) != 0;
            Query.LooksUpColumns = CanLookUpFirst;
            // Where callers share a group, the others' statements would run in the same context.
            Query.TraceContext = _queue is null ? Trace?.Context : null;
            _source!.Write(this);
            if (_queue is not null && Session.Output.Sources.Length > 0)
                throw SessionErrors.StreamInQueue();
            if (Query.ColumnsToLookUp is null && Session.Types.NamesToLookUp.Count == 0)
            {
                // Otherwise Wire measures the streams first.
                if (Session.Output.Unmeasured is null)
                    EndWriting();
            }
            else
            {
                TakeBack(keepsNamesToLookUp: true);
                if (!CanLookUpFirst)
                    return false;
                WriteLookup();
            }
        }
        catch
        {
            TakeBack();
            throw;
        }
        Session.Wire.Enqueue(this, _writtenFrom);
        return true;
    }

    private void EndWriting()
    {
        Query.Written(_endsGroup);
        Session.Types.CommandWritten();
    }

    private void WriteLookup()
    {
        if (Query.ColumnsToLookUp is { } statement)
        {
            _columns = new ColumnLookup(Session, statement.Sql, statement.Types);
            _step = Step.LookUpColumns;
            return;
        }
        _types = new TypeLookup(Session, Session.TransactionStatus, [], Session.Types.NamesToLookUp);
        Session.Types.LookUpStarted();
        _step = Step.LookUpParameters;
    }

    private void TakeBack(bool keepsNamesToLookUp = false)
    {
        Session.Output.TakeBack(_writtenFrom);
        Query.TakenBack();
        if (!keepsNamesToLookUp)
            Session.Types.CommandWritten();
    }

    // A value that cannot be written now costs the command, not the session.
    private Progress WriteAgain()
    {
        try
        {
            Write();
            return Progress.FlightEnd;
        }
        catch (Exception e)
        {
            Failure = e;
            return End();
        }
    }

    private Progress End()
    {
        _step = Step.Ended;
        ForgetSource();
        (_columns, _types) = (null, null);
        return Progress.Done;
    }

    private Progress AdvanceLookup(MessageReader messages)
    {
        Exchange lookup = _step == Step.LookUpColumns ? _columns! : _types!;
        var progress = lookup.Advance(messages);
        if (progress == Progress.FlightEnd)
            Session.Wire.Enqueue(this);
        return progress == Progress.Done ? EndLookup() : progress;
    }

    // A stop that was requested during the lookup ends the command before its statements are sent.
    private Progress EndLookup()
    {
        if (_step == Step.LookUpPreparedTypes)
            return EndPreparation();
        if (Session.StopReason != StopReason.None)
        {
            Session.Types.CommandWritten();
            StoppedBeforeSent = true;
            return End();
        }
        if (_step == Step.LookUpParameters)
            return WriteAgain();
        if (_step == Step.LookUpColumns && _columns!.Shape is { HasUnknownTypes: true } shape && Session.Types.HasCatalogue)
            return LookUpTypes([.. shape.UnknownTypes], Step.LookUpColumnTypes);
        _columns!.RememberFormats();
        _source!.ColumnsAreKnown(true);
        // A transaction that failed with the lookup cannot run the statement.
        if (_columns.Error is not { } refused || Session.TransactionStatus != TransactionStatus.Failed)
            return WriteAgain();
        Session.Types.CommandWritten();
        Query.Refuse(refused);
        return End();
    }

    private Progress LookUpTypes(HashSet<uint> types, Step step)
    {
        EndGroupOfOthers();
        _types = new TypeLookup(Session, Session.TransactionStatus, types, []);
        _step = step;
        Session.Wire.Enqueue(this);
        return Progress.FlightEnd;
    }

    // Without the lookup, columns of unknown types would be requested as text from now on.
    private HashSet<uint> UnknownPreparedTypes()
    {
        var types = new HashSet<uint>();
        foreach (var run in Query.Runs)
            types.UnionWith(run.Statement?.Shape?.UnknownTypes ?? []);
        return types;
    }

    private Progress EndPreparation()
    {
        Session.Types.CommandWritten();
        foreach (var run in Query.Runs)
        {
            if (run.Statement is { Shape: { } shape } statement)
                statement.Describe(shape.With(Session.Types.Known).InPreferredFormats(), Session.Types.Stamp);
        }
        return End();
    }

    private Progress AdvanceQuery(MessageReader messages)
    {
        var progress = Query.Advance(messages);
        switch (progress)
        {
            case Progress.Row or Progress.ResultEnd when !ReferenceEquals(_delivered, Query.Result):
                if (!MustConvert(progress))
                    return Deliver(progress);
                _conversion = new ResultConversion(Query, progress, () => MayWriteAgain);
                _step = Step.Convert;
                return AdvanceConversion(messages);
            case Progress.Done when Query.Error is not null && _delivered is null && MayWriteAgain
                && RetryPolicy.CanRetry(Query, _source, _hasRetried):
                return Retry();
            case Progress.Done when _mode == ResultMode.Prepare && Query.Error is null && Session.Types.HasCatalogue && MayWriteAgain:
                return UnknownPreparedTypes() is { Count: > 0 } types ? LookUpTypes(types, Step.LookUpPreparedTypes) : End();
            case Progress.Done:
                return End();
            default:
                return progress;
        }
    }

    private Progress Deliver(Progress progress)
    {
        _delivered = Query.Result;
        ForgetSource();
        return progress;
    }

    private Progress Retry()
    {
        Session.Counters.Failed--;
        _hasRetried |= StatementErrors.IsMendable(Query.Error!);
        try
        {
            foreach (var stream in Query.Sources)
                stream.Rewind();
        }
        catch (Exception e)
        {
            Failure = e;
            return End();
        }
        // The transaction began with the flight that failed, so nothing of it is lost.
        if (Session.TransactionStatus == TransactionStatus.Failed)
        {
            Session.Deferred.Write("ROLLBACK");
            Session.TransactionStatus = TransactionStatus.Idle;
            Session.PendingBegin = Query.Begun;
        }
        return WriteAgain();
    }

    private bool MustConvert(Progress progress)
    {
        var shape = Query.Result!.Shape!;
        return progress == Progress.Row
            ? shape.NeedsConversion && (shape.HasUnreadable || Session.Types.HasCatalogue)
            : shape.HasUnknownTypes && Session.Types.HasCatalogue;
    }

    // A value that could not be converted is an error when it is read. A requested stop is an error now, and so is a column without binary
    // output: no row has been delivered, so the command can be retried in text format. The rest of the flight is buffered in these cases.
    private Progress AdvanceConversion(MessageReader messages)
    {
        // What it writes has a Sync of its own.
        if (MayWriteAgain)
            EndGroupOfOthers();
        var progress = _conversion!.Advance(messages);
        if (progress == Progress.FlightEnd)
            Session.Wire.Enqueue(this);
        if (progress != Progress.Done)
            return progress;
        _step = Step.Query;
        // It holds all messages of the flight.
        (var conversion, _conversion) = (_conversion, null);
        Query.Result!.MustLookUpElsewhere = conversion.MustLookUpElsewhere;
        if (conversion.Error is { } error && Session.StopReason != StopReason.None)
            Query.Interrupt(error);
        else if (conversion.MustRunAgain)
            Query.SkipResults = true;
        else
            return Deliver(conversion.StoppedAt);
        return AdvanceQuery(messages);
    }
}
