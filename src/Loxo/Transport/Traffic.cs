namespace Loxo.Transport;

/// <summary>The bytes that a channel has sent and received, those of TLS included.</summary>
internal sealed class Traffic
{
    public long Sent { get; set; }

    public long Received { get; set; }
}
