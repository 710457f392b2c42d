using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>
/// The connection that has a session, from its hand-over until it is taken back. It receives the server's asynchronous
/// messages: notices, notifications and parameter changes.
/// </summary>
internal sealed class SessionOwner(ServerSession session, StateWord state, Wire wire) : IUnsolicitedMessages
{
    // Weak, so that a connection that was forgotten while open can be collected, and its session be recovered.
    private readonly WeakReference<ISessionListener?> _listener = new(null);
    private bool _isHandedOver;
    private bool _hasFormerMessages;
    // The thread that runs a handler of the connection; 0 for none.
    private int _handling;

    /// <summary>Whether a connection has the session.</summary>
    public bool IsHandedOver => Volatile.Read(ref _isHandedOver);

    /// <summary>
    /// Whether its connection was garbage-collected without having been closed, with or without an open reader. Never true while a command
    /// is awaited: the caller may hold nothing but the task.
    /// </summary>
    public bool IsForgotten => IsHandedOver
        && state.State is not SessionState.Opening
        && !wire.IsInUse
        && !_listener.TryGetTarget(out _);

    /// <summary>
    /// Whether its connection still has it although it broke. Such a connection says that it is closed, so a program may never close it.
    /// </summary>
    public bool IsKeptInVain => IsHandedOver && state.State == SessionState.Broken && !wire.IsInUse;

    // What comes in front of the answer to the reset is for a connection that had the session before.
    private ISessionListener? Listener => !_hasFormerMessages && _listener.TryGetTarget(out var listener) ? listener : null;

    /// <summary>
    /// Throws if the calling thread runs a handler of the connection: the caller of that is in the middle of a message, and would have to
    /// go on for anything else to arrive.
    /// </summary>
    /// <exception cref="PgOperationInProgressException">It does.</exception>
    public void CheckNotHandling()
    {
        if (Volatile.Read(ref _handling) == Environment.CurrentManagedThreadId)
            throw new PgOperationInProgressException(commandInProgress: null);
    }

    /// <summary>Whether the session belongs to this connection; to the pool, for null.</summary>
    public bool Is(ISessionListener? listener)
    {
        _listener.TryGetTarget(out var target);
        return ReferenceEquals(target, listener);
    }

    /// <summary>Hands the session to a connection, which receives the server's asynchronous messages from now on.</summary>
    /// <param name="listener">The connection.</param>
    /// <param name="goesOn">Whether the session has not been reset since it was handed over before.</param>
    public void HandOver(ISessionListener listener, bool goesOn = false)
    {
        _listener.SetTarget(listener);
        if (!goesOn)
            session.Effects.HandOver();
        session.Parameters.HaveChanged &= goesOn;
        // Who goes on with the session gets as little of them as the one before.
        if (!goesOn)
            _hasFormerMessages = session.Deferred.IsDue;
        Volatile.Write(ref _isHandedOver, true);
    }

    /// <summary>
    /// Takes the session back from its connection. False if a command runs, even one that another thread has just begun: then the session
    /// cannot be reused.
    /// </summary>
    /// <remarks>
    /// The owner goes before the command's number changes, and a claim looks at the owner between reading that number and changing it. A
    /// thread that still uses the closed connection either was first, and is seen here, or fails.
    /// </remarks>
    public bool TakeBack()
    {
        Volatile.Write(ref _isHandedOver, false);
        _listener.SetTarget(null);
        return state.TrySkip();
    }

    /// <summary>Everything has arrived that the server sent before the reset.</summary>
    public void DeferredEnded() => _hasFormerMessages = false;

    void IUnsolicitedMessages.Notice(ServerErrorFields notice)
    {
        if (Listener is { } listener)
            Tell(listener, static (listener, notice) => listener.Notice(notice), notice);
    }

    void IUnsolicitedMessages.Notification(NotificationResponse notification)
    {
        if (Listener is { } listener)
        {
            Tell(listener, static (listener, e) => listener.Notification(e),
                new PgNotificationEventArgs(notification.ProcessId, notification.Channel, notification.Payload));
        }
    }

    private void Tell<T>(ISessionListener listener, Action<ISessionListener, T> tell, T message)
    {
        Volatile.Write(ref _handling, Environment.CurrentManagedThreadId);
        try
        {
            tell(listener, message);
        }
        finally
        {
            Volatile.Write(ref _handling, 0);
        }
    }

    void IUnsolicitedMessages.ParameterStatus(ParameterStatus parameter)
    {
        session.Parameters.Set(parameter.Name, parameter.Value);
        // Not while logging in, and not what a reset sets back.
        if (state.State is SessionState.Opening or SessionState.Idle || session.Deferred.IsDue)
            return;
        // The driver itself sets it in front of each traced command.
        if (parameter.Name == TraceStatement.Setting && session.Context.Telemetry is { PropagatesContext: true })
            return;
        session.Parameters.HaveChanged = true;
        session.Context.Host?.Reported(parameter.Name);
        session.Effects.Add(SessionChanges.State | SessionChanges.Names | SessionChanges.Types, PgResetReason.SettingChanged);
    }
}
