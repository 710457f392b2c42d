namespace Loxo;

/// <summary>Which of several hosts a connection may go to.</summary>
public enum TargetSessionAttributes
{
    /// <summary>Any host that accepts the connection. The default.</summary>
    Any,

    /// <summary>A host whose sessions may write by default.</summary>
    ReadWrite,

    /// <summary>A host whose sessions may only read by default.</summary>
    ReadOnly,

    /// <summary>A host that is not in recovery.</summary>
    Primary,

    /// <summary>A host that is in recovery.</summary>
    Standby,

    /// <summary>A primary if there is one, any host otherwise.</summary>
    PreferPrimary,

    /// <summary>A standby if there is one, any host otherwise.</summary>
    PreferStandby,
}
