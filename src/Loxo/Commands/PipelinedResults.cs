using System.Collections;
using System.Data;
using System.Runtime.ExceptionServices;
using Loxo.Protocol;
using Loxo.Session;

namespace Loxo.Commands;

/// <summary>
/// A command of a pipeline. What its caller may change after adding it, such as text and parameters, is not looked at again.
/// </summary>
internal abstract class PipelinedCommand<T> : PgPipelineResult<T>, IExecutable
{
    private readonly ResultMode _mode;
    private PgCommand _command;
    private StatementPlan[] _plans = [];
    private CommandOutcomes _outcomes;
    private CommandExchange? _exchange;
    private Execution _execution;

    protected PipelinedCommand(PgPipeline pipeline, PgCommand command, ResultMode mode)
        : base(pipeline)
    {
        ArgumentNullException.ThrowIfNull(command);
        _mode = mode;
        _command = command;
        TimeoutMilliseconds = command.TimeoutOn(pipeline.Queue.Connection);
        if (((IExecutable)command).HasOutputs)
            throw new InvalidOperationException("A pipeline fills no output parameters: read the row of the command's result instead.");
        if (command.FetchSize > 0)
            throw new InvalidOperationException("The rows of a command in a pipeline come all at once: set its FetchSize to 0, or run it "
                + "outside the pipeline.");
    }

    public PgConnection? Connection
    {
        get => Pipeline.Queue.Connection;
        set => throw new NotSupportedException();
    }

    public PgDataSource? DataSource => null;

    public int FetchSize => 0;

    public bool HasOutputs => false;

    public ref Execution Execution => ref _execution;

    int IExecutable.TimeoutMilliseconds => TimeoutMilliseconds;

    internal override int TimeoutMilliseconds { get; }

    protected CommandExchange Exchange => _exchange!;

    private protected override void GiveUp()
    {
        if (!Pipeline.Queue.TryDrop(this))
            Pipeline.Queue.GiveUp(ref _exchange);
    }

    public void CheckDisposed() => ((IExecutable)_command).CheckDisposed();

    public ReadOnlySpan<StatementPlan> Plan(ServerSession session) => _plans;

    public bool PreparesAt(int statement) => _command.AutoPrepare;

    public bool HasBarrierAt(int statement) => false;

    public void FillOutputs(PgDataReader reader) => throw new NotSupportedException();

    public void Write(CommandExchange exchange) => throw new NotSupportedException();

    public PgParameterCollection ParametersAt(int statement) => throw new NotSupportedException();

    public void Hold(int statement, CachedStatement? prepared) => throw new NotSupportedException();

    public IReadOnlyList<PgBatchCommand> Results(QueryExchange? running)
    {
        if (running is not null)
            _outcomes.Take(_plans.Length, running);
        return _outcomes.Of(_plans);
    }

    public Exception? Ended(QueryExchange query, Exception? error)
    {
        _outcomes.Take(_plans.Length, query);
        if (error is null)
            StatementPlan.RememberColumns(_plans, query);
        return error;
    }

    internal override bool TryWrite(CommandQueue queue)
    {
        var former = _command.Connection;
        _command.Connection = Connection;
        try
        {
            _exchange = queue.TryAdd(_command, _mode, endsGroup: false);
            if (_exchange is null)
                return false;
            _exchange.Trace = CommandTracing.Begin(_command, _exchange, _exchange.Session);
            _plans = _command.PlanAsWritten;
        }
        finally
        {
            _command.Connection = former;
        }
        _command = null!;
        return true;
    }

    internal override long KeepValues()
    {
        _command = _command.Clone();
        foreach (PgParameter parameter in _command.Parameters)
            parameter.KeepValue();
        return SizeOf(_command);
    }

    // The command and its parameters are objects of a few hundred bytes each.
    private static long SizeOf(PgCommand command)
    {
        var size = 1024 + (2L * command.CommandText.Length);
        foreach (PgParameter parameter in command.Parameters)
        {
            size += 256 + parameter.Value switch
            {
                string text => 2L * text.Length,
                byte[] bytes => bytes.Length,
                ReadOnlyMemory<byte> bytes => bytes.Length,
                ICollection items => 16L * items.Count,
                _ => 0,
            };
        }
        return size;
    }

    internal override bool IsTraced => _exchange is { Trace: not null };

    internal override void EndTrace()
    {
        if (_exchange is not { Trace: { } trace } exchange)
            return;
        var error = !exchange.IsOver && exchange.Session.BreakCause is { } cause
            ? SessionErrors.LostInQueue(cause, exchange.MayHaveRun ?? true)
            : CommandRunner.ErrorOf(this, exchange, CancellationToken.None, isTaken: false);
        CommandTracing.End(trace, exchange.Query, error);
        exchange.Trace = null;
    }

    // A command that was given up, or lost, comes to no other end.
    internal override void Fail(Exception error)
    {
        _exchange?.Trace?.End(error);
        base.Fail(error);
    }

    /// <summary>The result has been taken: nobody needs the exchange.</summary>
    protected void Release() => Pipeline.Queue.Release(ref _exchange);

    /// <summary>Ends the command and throws its error, if it has one.</summary>
    protected void End(CancellationToken token)
    {
        if (CommandRunner.End(this, Exchange, token) is { } error)
            ExceptionDispatchInfo.Throw(error);
    }
}

/// <summary>A command of a pipeline that is run for its effects.</summary>
internal class PipelinedNonQuery(PgPipeline pipeline, PgCommand command) : PipelinedCommand<int>(pipeline, command, ResultMode.Skip)
{
    private protected override void Receive()
    {
        Exchange.Pump(TimeoutMilliseconds);
        Take(CancellationToken.None);
        Release();
    }

    private protected override async ValueTask ReceiveAsync(CancellationToken token)
    {
        await Exchange.PumpAsync(TimeoutMilliseconds, token).ConfigureAwait(false);
        Take(token);
        Release();
    }

    protected virtual void Take(CancellationToken token)
    {
        var affected = Exchange.Query.RecordsAffected();
        End(token);
        Value = checked((int)affected);
    }
}

/// <summary>COMMIT in a pipeline.</summary>
internal sealed class PipelinedCommit(PgPipeline pipeline, PgCommand command) : PipelinedNonQuery(pipeline, command)
{
    // As after PgTransaction.Commit, an error of the server in place of the answer says that it has not committed.
    private protected override Exception? Explain(Exception error) =>
        error.InnerException is not PostgresException && Exchange is { MayHaveRun: true } or { GivenUpFor: not StopReason.None }
            ? TransactionText.OutcomeUnknown(error)
            : null;

    protected override void Take(CancellationToken token)
    {
        base.Take(token);
        if (Exchange.Query.Runs[0].HasRolledBack)
            throw TransactionText.NotCommitted();
    }
}

/// <summary>A command of a pipeline whose rows are read.</summary>
internal sealed class PipelinedReader(PgPipeline pipeline, PgCommand command, CommandBehavior behavior)
    : PipelinedCommand<PgDataReader>(pipeline, command, ResultMode.Collect)
{
    private protected override void Receive() => Pipeline.Queue.Opened(Value = Start(CancellationToken.None).EnterFirst());

    private protected override async ValueTask ReceiveAsync(CancellationToken token) =>
        Pipeline.Queue.Opened(Value = await Start(token).EnterFirstAsync<PgDataReader>().ConfigureAwait(false));

    private PgDataReader Start(CancellationToken token)
    {
        Exchange.BeginReading();
        return new PgDataReader().Start(Exchange, this, behavior, token);
    }
}

/// <summary>A command of a pipeline of which one value is read.</summary>
internal abstract class PipelinedValue<T>(PgPipeline pipeline, PgCommand command)
    : PipelinedCommand<T>(pipeline, command, ResultMode.Collect | ResultMode.FirstRow)
{
    private protected override void Receive()
    {
        using var reader = Start(CancellationToken.None).EnterFirst();
        if (reader.Read() && reader.FieldCount > 0)
            Value = Read(reader);
        if (WholeRunner.MustEnd(this, reader))
            reader.NextResult();
    }

    private protected override async ValueTask ReceiveAsync(CancellationToken token)
    {
        var reader = await Start(token).EnterFirstAsync<PgDataReader>().ConfigureAwait(false);
        await using (reader.ConfigureAwait(false))
        {
            if (await reader.ReadAsync(token).ConfigureAwait(false) && reader.FieldCount > 0)
                Value = Read(reader);
            if (WholeRunner.MustEnd(this, reader))
                await reader.NextResultAsync(reader.TokenOf(token)).ConfigureAwait(false);
        }
    }

    protected abstract T Read(PgDataReader reader);

    private PgDataReader Start(CancellationToken token) => new PgDataReader().Start(Exchange, this, CommandBehavior.SingleRow, token);
}

/// <summary>The first value as an object.</summary>
internal sealed class PipelinedScalar(PgPipeline pipeline, PgCommand command) : PipelinedValue<object?>(pipeline, command)
{
    protected override object? Read(PgDataReader reader) => reader.GetValue(0);
}

/// <summary>The first value as the caller's type.</summary>
internal sealed class PipelinedScalar<T>(PgPipeline pipeline, PgCommand command) : PipelinedValue<T?>(pipeline, command)
{
    protected override T? Read(PgDataReader reader) => reader.GetFieldValue<T?>(0);
}

/// <summary>The end of a group of commands.</summary>
internal sealed class PipelinedSync(PgPipeline pipeline) : PgPipelineResult(pipeline)
{
    private SyncExchange? _exchange;

    /// <summary>Null before it is written.</summary>
    public SyncExchange? Exchange => _exchange;

    private protected override void GiveUp()
    {
        if (!Pipeline.Queue.TryDrop(this))
            Pipeline.Queue.GiveUp(_exchange);
    }

    internal override bool TryWrite(CommandQueue queue)
    {
        _exchange = queue.AddSync();
        queue.Send();
        return true;
    }

    // In a transaction of the caller's it commits nothing.
    private protected override Exception? Explain(Exception error) =>
        error is PgException and not PostgresException && _exchange is { MayHaveRun: true } && Pipeline.Queue.IsCommittedBySync
            ? TransactionText.OutcomeUnknown(error, "Sync")
            : null;

    private protected override void Receive()
    {
        Pipeline.Queue.Await(_exchange!);
        Take();
    }

    private protected override async ValueTask ReceiveAsync(CancellationToken token)
    {
        await Pipeline.Queue.AwaitAsync(_exchange!, token).ConfigureAwait(false);
        Take();
    }

    private void Take()
    {
        var failed = _exchange!.Failed as CommandExchange;
        if (failed?.Failure is not null)
            throw SessionErrors.Skipped(failed, Pipeline.Queue.Settings);
        if ((_exchange.Error ?? failed?.Query.Error) is { } error)
            throw SessionErrors.FromServer(error, Pipeline.Queue.Context);
        if (_exchange.WasCancelled)
            throw SessionErrors.CommitCancelled();
    }
}
