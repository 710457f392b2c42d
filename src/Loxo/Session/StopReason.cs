namespace Loxo.Session;

/// <summary>Why the running command was asked to stop, so that the server's answer (57014) can be told apart.</summary>
internal enum StopReason
{
    /// <summary>The driver did not ask for it.</summary>
    None,

    /// <summary>The command's time was over.</summary>
    Timeout,

    /// <summary>The user cancelled, by a token or by calling Cancel.</summary>
    Cancel,

    /// <summary>The ambient transaction was rolled back while the command ran.</summary>
    RolledBack,

    /// <summary>The driver runs it elsewhere.</summary>
    Moved,
}
