using Loxo.Pool;
using Loxo.Pool.Hosts;
using Loxo.Session;
using Loxo.Tests.ConnectionStrings;
using Loxo.Transport;

namespace Loxo.Tests.Pool.Hosts;

/// <summary>Groups of hosts that are known by their states alone.</summary>
internal static class GivenHosts
{
    public static HostGroup Group(HostState[] states, TimeProvider time, TimeSpan recheck)
    {
        var settings = Given.Settings("Host=h;SSL Mode=Disable;Pooling=false");
        return new HostGroup([.. states.Select((state, index) => new HostEndpoint(
            new SessionContext(settings.Transport, settings.Session, new RefusingDialer(), time, new DatabaseKnowledge(() => throw new NotSupportedException())) { Host = state },
            pool: null, index))], new HostSettings(TargetSessionAttributes.Any, HostBalance.None, recheck));
    }

    /// <summary>A network without servers.</summary>
    private sealed class RefusingDialer : Dialer
    {
        public override ByteChannel Dial(TransportSettings settings, Deadline deadline) => throw new PgException("refused", PgErrorCode.ConnectionRefused);

        public override ValueTask<ByteChannel> DialAsync(TransportSettings settings, Deadline deadline, CancellationToken token) =>
            throw new PgException("refused", PgErrorCode.ConnectionRefused);

        public override ByteChannel Redial(System.Net.EndPoint remote, TransportSettings settings, Deadline deadline) => Dial(settings, deadline);

        public override ValueTask<ByteChannel> RedialAsync(System.Net.EndPoint remote, TransportSettings settings, Deadline deadline, CancellationToken token) =>
            DialAsync(settings, deadline, token);
    }
}
