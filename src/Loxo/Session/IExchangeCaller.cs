namespace Loxo.Session;

/// <summary>Waits for a command that others advance, and reads its rows when they have arrived.</summary>
internal interface IExchangeCaller
{
    /// <summary>Tells this call from the others that use the object.</summary>
    long Call { get; }

    /// <summary>The milliseconds that are left of the call's time; <see cref="Timeout.Infinite"/> for no limit.</summary>
    int TimeLeft { get; }

    /// <summary>The command has come to its end. Called under the gate of the wire.</summary>
    void Ended();

    /// <summary>Whether the command has not ended before its group has: if the group fails, it is run again.</summary>
    bool AwaitsGroup { get; }

    /// <summary>The caller has read what it wants: the exchange may run another command.</summary>
    void Release();
}
