using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Transport;

/// <summary>Moves a wire to TLS. Its host name goes into the handshake (SNI) and, for VerifyFull, into the check.</summary>
internal static class TlsUpgrade
{
    public static void Run(Wire wire, TlsContext context, TransportSettings settings, Deadline limit)
    {
        var handshake = Begin(wire, context, settings);
        if (wire.Pump(handshake, limit) == Progress.NeedMore)
            throw TransportErrors.OpenTimedOut(settings.Host, "negotiating TLS");
        handshake.ThrowIfFailed();
    }

    public static async ValueTask RunAsync(
        Wire wire, TlsContext context, TransportSettings settings, Deadline limit, CancellationToken token)
    {
        var handshake = Begin(wire, context, settings);
        await wire.PumpAsync(handshake, limit, token).ConfigureAwait(false);
        handshake.ThrowIfFailed();
    }

    private static Handshake Begin(Wire wire, TlsContext context, TransportSettings settings)
    {
        var check = new TlsContext.CertificateCheck();
        var layer = new TlsLayer(context.ForHandshake(settings.Host, check));
        wire.Upgrade(layer);
        return new Handshake(layer, check, settings.Host);
    }

    // Not an exchange of messages, but run by the same two loops: it is done when SslStream says so.
    private sealed class Handshake(TlsLayer layer, TlsContext.CertificateCheck check, HostAddress host)
        : MessageExchange(NullUnsolicitedMessages.Instance)
    {
        public override Progress Advance(MessageReader messages) => layer.Handshake.IsCompleted ? Progress.Done : Progress.NeedMore;

        public override PgException? OnEndOfStream() =>
            TransportErrors.TlsFailed(host, check.Reason ?? "the server closed the connection in the middle of the handshake.", null);

        public void ThrowIfFailed()
        {
            if (layer.Handshake.IsCompletedSuccessfully)
                return;
            var cause = layer.Handshake.Exception?.InnerException;
            throw TransportErrors.TlsFailed(host, check.Reason ?? cause?.Message ?? "the handshake failed.", cause);
        }

        protected override Progress On(BackendMessage message) => throw new InvalidOperationException("A TLS handshake has no messages.");
    }
}
