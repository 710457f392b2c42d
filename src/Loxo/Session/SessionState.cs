namespace Loxo.Session;

/// <summary>Where a session stands. One word, changed only by <see cref="ServerSession"/>.</summary>
internal enum SessionState
{
    /// <summary>The handshake is running; no command may start.</summary>
    Opening,

    /// <summary>The server sent ReadyForQuery and nothing since; a command may start.</summary>
    Idle,

    /// <summary>A command was begun; its ReadyForQuery has not arrived.</summary>
    Busy,

    /// <summary>Busy, and a cancel request for the command is on its way.</summary>
    Cancelling,

    /// <summary>The command is over, but its cancel request may still arrive: the next command waits for that first.</summary>
    Unsettled,

    /// <summary>An I/O or protocol error occurred, or it was closed; the session can only be disposed.</summary>
    Broken,
}
