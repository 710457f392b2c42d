using Loxo.Protocol;
using Loxo.Session;
using Loxo.Types;

namespace Loxo.Commands;

/// <summary>
/// What a <see cref="PgPipeline"/> has added, in order. Mostly everything is written at once into a <see cref="CommandQueue"/>; if
/// something has to be awaited before a command can be written, such as a lookup of types, it and all behind it are written by the next
/// caller that waits.
/// </summary>
internal sealed partial class PipelineQueue
{
    public const string Disposed = "The pipeline was disposed before this result was taken.";

    // So much output is sent before anybody waits.
    private const int WorthSending = 16 * 1024;
    private const long MostUnsent = 64 * 1024 * 1024;
    private const string TooMuchUnsent =
        "More than 64 MiB of the pipeline have not been sent, because no result is taken. Take results before adding more.";

    private readonly ServerSession _session;
    private readonly Lock _gate = new();
    private readonly Queue<(PgPipelineResult Result, long Size)> _delayed = [];
    private readonly SemaphoreSlim _writesDelayed = new(1);
    private readonly List<PgDataReader> _readers = [];
    // All commands whose span has not ended, and some whose span has.
    private readonly List<PgPipelineResult> _traced = [];
    private int _mostTraced = 64;
    // Null until an earlier cancel request can no longer hit its commands.
    private CommandQueue? _commands;
    private IReadOnlyCollection<TypeName> _unknownTypes = [];
    private SyncExchange? _group;
    private long _added;
    private long _unsent;
    // About so many bytes of memory are in what is delayed.
    private long _kept;
    private long _written;
    private long _requested;
    private bool _hasEnded;
    // Why commands are never sent whose transaction has not failed yet; null for none.
    private Exception? _dropped;

    public PipelineQueue(PgConnection connection)
    {
        Connection = connection;
        _session = OwnSession.Of(connection, PgOwnSessionReason.Pipeline, "a pipeline");
        TimeoutMilliseconds = connection.OwnTimeout;
        if (!_session.ClaimUnsettled(connection))
            Begin();
    }

    public PgConnection Connection { get; }

    public SessionSettings Settings => _session.Context.Settings;

    public SessionContext Context => _session.Context;

    /// <summary>Milliseconds that each wait for the end of a group may last.</summary>
    public int TimeoutMilliseconds { get; }

    public bool HasEnded => Volatile.Read(ref _hasEnded);

    /// <inheritdoc cref="SessionOwner.CheckNotHandling"/>
    public void CheckNotHandling() => _session.Owner.CheckNotHandling();

    /// <summary>Writes the messages, or has them written later. If that fails, nothing was added.</summary>
    public void Add(PgPipelineResult result)
    {
        CheckNotHandling();
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_hasEnded, typeof(PgPipeline));
            // The wire is asked only if much was unsent when the last command was added.
            if (_unsent > MostUnsent && _session.Wire.Unsent > MostUnsent)
                throw new InvalidOperationException(TooMuchUnsent);
            if (!CanWrite || !TryWriteNow(result))
                Delay(result);
            result.Number = ++_added;
            _unsent = _session.Wire.Unsent;
            if (_unsent <= WorthSending)
                return;
        }
        _commands?.Send();
    }

    /// <summary>Asks for the answers so far, and sends.</summary>
    public void Flush()
    {
        CheckNotHandling();
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_hasEnded, typeof(PgPipeline));
            RequestAnswers();
        }
        _commands?.Send();
    }

    /// <summary>Makes sure that the result will arrive. Blocks if something has to be looked up before it is written.</summary>
    public void BeforeWait(PgPipelineResult result)
    {
        CheckRuns();
        if (!result.IsWritten)
            WriteDelayedFor(result);
        BeginWait(result);
    }

    /// <inheritdoc cref="BeforeWait"/>
    public ValueTask BeforeWaitAsync(PgPipelineResult result, CancellationToken token)
    {
        CheckRuns();
        if (!result.IsWritten)
            return BeforeWaitAfterWritingAsync(result, token);
        BeginWait(result);
        return default;
    }

    /// <summary>
    /// The caller of a command wants no more of it. Nothing happens if there is no exchange: the command was not written, or is over.
    /// </summary>
    public void GiveUp(ref CommandExchange? exchange) => _commands?.GiveUp(ref exchange, StopReason.Cancel);

    /// <summary>The caller of a command that is over needs its exchange no more.</summary>
    public void Release(ref CommandExchange? exchange) => _commands!.Release(ref exchange);

    /// <summary>Nobody wants anything of what is due up to the end of a group. Nothing happens if that was never written (null).</summary>
    public void GiveUp(SyncExchange? exchange)
    {
        if (exchange is not null)
            _commands!.GiveUpTo(exchange, StopReason.Cancel);
    }

    /// <summary>A reader has been handed out; it is closed with the pipeline.</summary>
    public void Opened(PgDataReader reader)
    {
        lock (_gate)
        {
            _readers.RemoveAll(static other => other.IsClosed);
            if (!reader.IsClosed)
                _readers.Add(reader);
        }
    }

    /// <summary>Blocks until the exchange is over.</summary>
    public void Await(SyncExchange exchange)
    {
        _commands!.Await(exchange, TimeoutMilliseconds);
        ThrowIfGivenUp(exchange, CancellationToken.None);
    }

    /// <inheritdoc cref="Await"/>
    public async ValueTask AwaitAsync(SyncExchange exchange, CancellationToken token)
    {
        await _commands!.AwaitAsync(exchange, TimeoutMilliseconds, token).ConfigureAwait(false);
        ThrowIfGivenUp(exchange, token);
    }

    /// <summary>Whether the end of a group commits what is in it: not in a transaction of the connection's.</summary>
    public bool IsCommittedBySync => !Connection.HasTransaction && _session.TransactionStatus == TransactionStatus.Idle;

    /// <summary>True for the one caller that ends the pipeline.</summary>
    public bool TryBeginEnd()
    {
        if (HasEnded)
            return false;
        CheckNotHandling();
        lock (_gate)
        {
            if (_hasEnded)
                return false;
            Volatile.Write(ref _hasEnded, true);
            Connection.Extras.Pipeline = null;
            foreach (var reader in _readers)
                reader.TryAbandon(hasSession: false);
            return true;
        }
    }

    /// <summary>Blocks until everything has been answered, and frees the session. A broken connection is no error here.</summary>
    public void End()
    {
        try
        {
            WriteDelayed(TimeoutMilliseconds, result: null);
        }
        catch (Exception e)
        {
            DropDelayed(e);
        }
        try
        {
            _commands?.End(TimeoutMilliseconds);
            if (MustFailLate)
            {
                if (_session.ClaimUnsettled(Connection))
                    _session.Cancellation.Settle();
                BeginAgain(_dropped);
                _commands!.End(TimeoutMilliseconds);
            }
        }
        catch (PgException)
        {
        }
        Ended();
    }

    /// <inheritdoc cref="End"/>
    public async ValueTask EndAsync()
    {
        try
        {
            await WriteDelayedAsync(TimeoutMilliseconds, CancellationToken.None, result: null).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            DropDelayed(e);
        }
        try
        {
            if (_commands is not null)
                await _commands.EndAsync(TimeoutMilliseconds).ConfigureAwait(false);
            if (MustFailLate)
            {
                if (_session.ClaimUnsettled(Connection))
                    await _session.Cancellation.SettleAsync().ConfigureAwait(false);
                BeginAgain(_dropped);
                await _commands!.EndAsync(TimeoutMilliseconds).ConfigureAwait(false);
            }
        }
        catch (PgException)
        {
        }
        Ended();
    }

    private void ThrowIfGivenUp(SyncExchange exchange, CancellationToken token)
    {
        if (exchange.GivenUpFor != StopReason.None)
            throw SessionErrors.GroupGivenUp(exchange.GivenUpFor, token, WasAsked);
    }

    // Whether the server was asked to stop.
    private bool WasAsked => _session.State is SessionState.Cancelling or SessionState.Unsettled;

    private void Ended()
    {
        foreach (var result in _traced)
            result.EndTrace();
        Connection.CommandEnded();
    }

    // After a cancel request, commands wait until it can no longer hit them; in front of a pooler, until the group before them is answered.
    private bool CanWrite =>
        _delayed.Count == 0 && _commands is not null && _session.State != SessionState.Cancelling && !GroupIsDue;

    private bool GroupIsDue => _group is { IsOver: false } && _session.IsPooledElsewhere;

    private void Begin() => _commands = new CommandQueue(_session, keepsOrder: true) { KeepsUnread = true };

    // False, too, if another thread has cancelled what runs meanwhile.
    private bool TryWriteNow(PgPipelineResult result)
    {
        try
        {
            return TryWrite(result);
        }
        catch (Exception) when (_session.State == SessionState.Cancelling)
        {
            return false;
        }
    }

    private bool TryWrite(PgPipelineResult result)
    {
        if (!result.TryWrite(_commands!))
        {
            _unknownTypes = _commands!.UnknownTypes;
            return false;
        }
        result.IsWritten = true;
        _written++;
        if (result.IsTraced)
            AddTraced(result);
        if (result is PipelinedSync sync)
            (_requested, _group) = (_written, sync.Exchange);
        return true;
    }

    private void AddTraced(PgPipelineResult result)
    {
        if (_traced.Count == _mostTraced)
        {
            _traced.RemoveAll(static other => !other.IsTraced);
            _mostTraced = Math.Max(_mostTraced, 2 * _traced.Count);
        }
        _traced.Add(result);
    }

    private void BeginWait(PgPipelineResult result)
    {
        CheckRuns();
        if (result.Number <= Volatile.Read(ref _requested))
            return;
        lock (_gate)
        {
            CheckRuns();
            if (result.Number > _requested)
                RequestAnswers();
        }
    }

    // From there on the session may be another connection's.
    private void CheckRuns()
    {
        if (HasEnded)
            throw new InvalidOperationException(Disposed);
    }

    private void RequestAnswers()
    {
        if (_commands is null || _requested == _written)
            return;
        _commands.RequestAnswers();
        _requested = _written;
    }

    private async ValueTask BeforeWaitAfterWritingAsync(PgPipelineResult result, CancellationToken token)
    {
        await WriteDelayedForAsync(result, token).ConfigureAwait(false);
        BeginWait(result);
    }
}
