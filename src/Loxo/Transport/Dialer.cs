using System.Net;

namespace Loxo.Transport;

/// <summary>Opens channels: the seam for a simulated network. The deadline covers name lookup and every address together.</summary>
internal abstract class Dialer
{
    /// <summary>Wraps the dialer of every data source, so that tests see the bytes of all sessions. Null outside of tests.</summary>
    public static Func<Dialer, Dialer>? Wrapper { get; set; }

    public abstract ByteChannel Dial(TransportSettings settings, Deadline deadline);

    /// <summary>Connects.</summary>
    public abstract ValueTask<ByteChannel> DialAsync(TransportSettings settings, Deadline deadline, CancellationToken token);

    public abstract ByteChannel Redial(EndPoint remote, TransportSettings settings, Deadline deadline);

    /// <summary>Connects once more to where a channel led, without a name lookup.</summary>
    public abstract ValueTask<ByteChannel> RedialAsync(
        EndPoint remote, TransportSettings settings, Deadline deadline, CancellationToken token);
}
