using Loxo.Protocol;
using Loxo.Protocol.Backend;

namespace Loxo.Transport;

/// <summary>Moves a wire to TLS. Its host name goes into the handshake (SNI) and, for VerifyFull, into the check.</summary>
internal static class TlsUpgrade
{
    public static void Run(Wire wire, TlsContext context, TransportSettings settings, Deadline limit)
    {
        var handshake = new Handshake(wire, context, settings, limit);
        if (wire.Pump(handshake, limit) == Progress.NeedMore)
            throw TransportErrors.OpenTimedOut(settings.Host, "negotiating TLS");
        handshake.Check();
    }

    public static async ValueTask RunAsync(
        Wire wire, TlsContext context, TransportSettings settings, Deadline limit, CancellationToken token)
    {
        var handshake = new Handshake(wire, context, settings, limit);
        await wire.PumpAsync(handshake, limit, token).ConfigureAwait(false);
        handshake.Check();
    }

    // Not an exchange of messages, but run by the same two loops: it is done when SslStream says so.
    private sealed class Handshake : MessageExchange
    {
        private readonly TlsContext _context;
        private readonly HostAddress _host;
        private readonly TlsSettings _settings;
        private readonly TlsLayer _layer;
        private readonly CertificateCheck _check;

        public Handshake(Wire wire, TlsContext context, TransportSettings settings, Deadline limit)
            : base(NullUnsolicitedMessages.Instance)
        {
            (_context, _host, _settings) = (context, settings.Host, settings.Tls);
            _layer = new TlsLayer(context.ForHandshake(settings.Host, limit, out _check), settings.Host);
            wire.Upgrade(_layer);
        }

        private bool IsDirect => _settings.Negotiation == SslNegotiation.Direct;

        public override Progress Advance(MessageReader messages) => _layer.Handshake.IsCompleted ? Progress.Done : Progress.NeedMore;

        public override PgException? OnEndOfStream() => _check.Reason is null
            ? TlsErrors.EndedByServer(_host, IsDirect, null)
            : TlsErrors.Failed(_host, _check.Reason, null);

        public void Check()
        {
            // A program that judges certificates wants no connection in clear in the place of one that it has refused.
            if (_check.IsRefusedByProgram)
                _context.RememberEncryption(_host);
            if (!_layer.Handshake.IsCompletedSuccessfully)
                throw Failure(_layer.Handshake.Exception?.InnerException);
            if (IsDirect && !_layer.AgreedOnProtocol)
                throw TlsErrors.NoApplicationProtocol(_host);
            if (_settings.ClientCertificateMode == ClientCertificateMode.Require && !_layer.HasShownCertificate)
                throw TlsErrors.ClientCertificateNotAsked(_host);
        }

        protected override Progress On(BackendMessage message) => throw new InvalidOperationException("A TLS handshake has no messages.");

        private PgException Failure(Exception? cause)
        {
            if (_check.Reason is { } reason)
                return TlsErrors.Failed(_host, reason, cause);
            if (TlsAlert.Find(cause) is { } alert)
                return TlsErrors.FromAlert(_host, alert, _layer.HasCertificate, cause!);
            return cause is EndOfStreamException
                ? TlsErrors.EndedByServer(_host, IsDirect, cause)
                : TlsErrors.Failed(_host, TlsErrors.Reason(cause), cause);
        }
    }
}
