using System.Net.Security;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>
/// Encrypts a connection with GSSAPI before the login, which then needs nothing else if pg_hba.conf says gss. The ticket is there before
/// the connection is made, so that nothing is dialed in vain.
/// </summary>
internal sealed class GssEncryption : IDisposable
{
    private readonly GssLogin _login;
    private readonly SessionContext _context;
    private byte[] _token = [];
    private bool _isStarted;

    private GssEncryption(SessionContext context)
    {
        _context = context;
        _login = new GssLogin(GssLogin.Kerberos, context, ProtectionLevel.EncryptAndSign);
    }

    /// <summary>Gets the ticket, blocking.</summary>
    /// <exception cref="PgException">There is none.</exception>
    public static GssEncryption Prepare(SessionContext context, Deadline limit)
    {
        var encryption = new GssEncryption(context);
        encryption._token = encryption._login.Next([]).Get(limit);
        return encryption;
    }

    /// <inheritdoc cref="Prepare"/>
    public static async ValueTask<GssEncryption> PrepareAsync(SessionContext context, Deadline limit, CancellationToken token)
    {
        var encryption = new GssEncryption(context);
        encryption._token = await encryption._login.Next([]).GetAsync(limit, token).ConfigureAwait(false);
        return encryption;
    }

    /// <summary>Asks the server for encryption and upgrades the wire, blocking.</summary>
    /// <returns>False if the server has refused: the connection can be used in clear.</returns>
    public bool Start(Wire wire, Deadline limit)
    {
        var request = new Request(wire.Output, _context.Transport.Host);
        while (true)
        {
            if (wire.Pump(request, limit) == Progress.NeedMore)
                throw SessionErrors.OpenTimedOut(_context.Transport.Host, "negotiating GSSAPI encryption");
            if (!request.IsAccepted)
                return false;
            if (request.Token is { } challenge)
                _token = _login.Next(challenge).Get(limit);
            if (TryEnd(wire))
                return true;
        }
    }

    /// <inheritdoc cref="Start"/>
    public async ValueTask<bool> StartAsync(Wire wire, Deadline limit, CancellationToken token)
    {
        var request = new Request(wire.Output, _context.Transport.Host);
        while (true)
        {
            await wire.PumpAsync(request, limit, token).ConfigureAwait(false);
            if (!request.IsAccepted)
                return false;
            if (request.Token is { } challenge)
                _token = await _login.Next(challenge).GetAsync(limit, token).ConfigureAwait(false);
            if (TryEnd(wire))
                return true;
        }
    }

    /// <summary>Once encryption has started, the wire disposes what belongs to it.</summary>
    public void Dispose()
    {
        if (!_isStarted)
            _login.Dispose();
    }

    private bool TryEnd(Wire wire)
    {
        if (_token.Length > 0)
            wire.Output.WriteGssToken(_token);
        if (!_login.IsComplete)
            return false;
        // The server has nothing to say before the startup message; and what waits to be sent must not be encrypted.
        if (wire.Input.Buffered > 0 || !wire.TrySend())
            throw ProtocolErrors.UnexpectedBytes("GSSENCRequest");
        wire.Upgrade(new GssLayer(_login.Authentication));
        return _isStarted = true;
    }

    /// <summary>
    /// F: GSSENCRequest, then tokens / B: 'G' and tokens, or 'N'. It stops behind the first byte and behind each token.
    /// </summary>
    private sealed class Request : MessageExchange
    {
        // As libpq and the server (PQ_GSS_AUTH_BUFFER_SIZE).
        private const int MostInToken = 64 * 1024;

        private readonly HostAddress _host;

        public Request(MessageWriter output, HostAddress host)
            : base(NullUnsolicitedMessages.Instance)
        {
            _host = host;
            output.WriteGssEncryptionRequest();
        }

        public bool IsAccepted { get; private set; }

        public byte[]? Token { get; private set; }

        // The server gives no reason on the connection.
        public override PgException? OnEndOfStream() => HandshakeErrors.GssEncryptionFailed(_host);

        public override Progress Advance(MessageReader messages)
        {
            if (IsAccepted)
            {
                if (!messages.TryTakeCounted(MostInToken, out var token))
                    return Progress.NeedMore;
                Token = token;
                return Progress.Done;
            }
            if (!messages.TryTakeByte(out var answer))
                return Progress.NeedMore;
            if (messages.Buffered > 0)
                throw ProtocolErrors.UnexpectedBytes("GSSENCRequest");
            IsAccepted = answer switch
            {
                (byte)'G' => true,
                (byte)'N' => false,
                // An error text at this point is not authenticated, so it is not shown (CVE-2024-10977).
                _ => throw ProtocolErrors.UnexpectedMessage("'G' or 'N' in answer to GSSENCRequest", (BackendMessageType)answer),
            };
            return Progress.Done;
        }

        protected override Progress On(BackendMessage message) =>
            throw new InvalidOperationException("The answers to GSSENCRequest are no messages.");
    }
}
