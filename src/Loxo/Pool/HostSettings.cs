namespace Loxo.Pool;

/// <summary>The order in which several hosts that serve alike are tried.</summary>
internal enum HostBalance
{
    /// <summary>As they are listed.</summary>
    None,

    /// <summary>Each open begins with the next one.</summary>
    RoundRobin,

    /// <summary>At random.</summary>
    Random,

    /// <summary>The one whose pool has the fewest connections in use first.</summary>
    LeastOutstanding,
}

/// <summary>How a host is chosen.</summary>
/// <param name="Target">What is asked of a host where a connection does not say.</param>
/// <param name="Balance">The order of hosts that serve alike.</param>
/// <param name="RecheckAfter">How long news of a host is believed; zero: a host is always asked.</param>
internal sealed record HostSettings(TargetSessionAttributes Target, HostBalance Balance, TimeSpan RecheckAfter);
