using System.Net.Security;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>Encrypts a connection with GSSAPI before the login, which then needs nothing else if pg_hba.conf says gss.</summary>
internal static class GssEncryption
{
    /// <summary>Asks for encryption and upgrades the wire, blocking.</summary>
    /// <returns>False if the server has refused: the connection can be used in clear.</returns>
    /// <exception cref="PgException">There is no ticket, in which case nothing has been sent, or the handshake has failed.</exception>
    public static bool Start(Wire wire, SessionContext context, Deadline limit)
    {
        var login = new GssLogin(GssLogin.Kerberos, context, ProtectionLevel.EncryptAndSign);
        var isStarted = false;
        try
        {
            var token = login.Next([]).Get(limit);
            var request = new Request(wire.Output);
            while (true)
            {
                if (wire.Pump(request, limit) == Progress.NeedMore)
                    throw SessionErrors.OpenTimedOut(context.Transport.Host, "negotiating GSSAPI encryption");
                if (!request.IsAccepted)
                    return false;
                if (request.Token is { } challenge)
                    token = login.Next(challenge).Get(limit);
                if (request.Answer(token, login))
                    return isStarted = Upgrade(wire, login);
            }
        }
        finally
        {
            if (!isStarted)
                login.Dispose();
        }
    }

    /// <inheritdoc cref="Start"/>
    public static async ValueTask<bool> StartAsync(Wire wire, SessionContext context, Deadline limit, CancellationToken token)
    {
        var login = new GssLogin(GssLogin.Kerberos, context, ProtectionLevel.EncryptAndSign);
        var isStarted = false;
        try
        {
            var answer = await login.Next([]).GetAsync(limit, token).ConfigureAwait(false);
            var request = new Request(wire.Output);
            while (true)
            {
                await wire.PumpAsync(request, limit, token).ConfigureAwait(false);
                if (!request.IsAccepted)
                    return false;
                if (request.Token is { } challenge)
                    answer = await login.Next(challenge).GetAsync(limit, token).ConfigureAwait(false);
                if (request.Answer(answer, login))
                    return isStarted = Upgrade(wire, login);
            }
        }
        finally
        {
            if (!isStarted)
                login.Dispose();
        }
    }

    private static bool Upgrade(Wire wire, GssLogin login)
    {
        // The server has nothing to say before the startup message; and what is written now would be taken for part of it.
        if (wire.Input.Buffered > 0 || !wire.TrySend())
            throw ProtocolErrors.UnexpectedBytes("GSSENCRequest");
        wire.Upgrade(new GssLayer(login.Authentication));
        return true;
    }

    /// <summary>
    /// F: GSSENCRequest, then tokens / B: 'G' and tokens, or 'N'. It stops behind the first byte and behind each token.
    /// </summary>
    private sealed class Request : MessageExchange
    {
        // As libpq and the server (PQ_GSS_AUTH_BUFFER_SIZE).
        private const int MostInToken = 64 * 1024;

        private readonly MessageWriter _output;

        public Request(MessageWriter output)
            : base(NullUnsolicitedMessages.Instance)
        {
            _output = output;
            output.WriteGssEncryptionRequest();
        }

        public bool IsAccepted { get; private set; }

        public byte[]? Token { get; private set; }

        /// <summary>Writes the next token; true if the login is complete.</summary>
        public bool Answer(byte[] token, GssLogin login)
        {
            if (token.Length > 0)
                _output.WriteGssToken(token);
            return login.IsComplete;
        }

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
