using System.Net.Security;
using Loxo.Protocol;
using Loxo.Protocol.Authentication;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;

namespace Loxo.Session;

/// <summary>
/// Logs in.
/// F: StartupMessage [PasswordMessage | SASLInitialResponse SASLResponse | GSSResponse*]
/// B: [v] R* S* [K] Z, or E
/// Where it needs something that only a call that waits can supply, it stops with a <see cref="Request"/>.
/// </summary>
internal sealed class Handshake : MessageExchange
{
    // The longest message accepted before authentication; libpq accepts 30,000 bytes (fe-connect.c).
    private const int MaxMessageBeforeLogin = 64 * 1024;

    private readonly ServerSession _session;
    private readonly SessionSettings _settings;
    private readonly string _user;
    private readonly string? _password;
    private readonly RefusedToken? _formerToken;
    private ScramSha256? _scram;
    private GssLogin? _gss;
    private OAuthTokens.TokenRequest? _token;
    private bool _wasAsked;
    private bool _isAuthenticated;

    /// <summary>Writes the StartupMessage.</summary>
    /// <param name="session">Where to log in.</param>
    /// <param name="credential">Null for user and password of the settings.</param>
    /// <param name="formerToken">The token of a login before that the server has refused; null for none.</param>
    public Handshake(ServerSession session, PgCredential? credential = null, RefusedToken? formerToken = null)
        : base(session.Owner)
    {
        _session = session;
        _settings = session.Context.Settings;
        _user = credential?.Username ?? _settings.User;
        _password = credential?.Secret ?? _settings.Password;
        _formerToken = formerToken;
        session.Wire.Input.MaxMessage = MaxMessageBeforeLogin;
        session.Output.WriteStartup(_settings.Protocol.Newest, StartupParameters());
    }

    /// <summary>What the login needs; null when it is over. <see cref="Supply"/> goes on.</summary>
    public CredentialRequest? Request { get; private set; }

    /// <summary>The token that the server has refused; null for none.</summary>
    public RefusedToken? RefusedToken { get; private set; }

    /// <summary>Why the server refused, or null.</summary>
    public ServerErrorFields? Error { get; private set; }

    public override PgException? OnEndOfStream() => Error is null ? null : SessionErrors.FromServer(Error, _settings);

    public override Progress Advance(MessageReader messages)
    {
        // Where a message has the first byte of its length, which is 0 before the login.
        if (messages.Unread is [not 0, >= (byte)' ', ..] text)
            throw HandshakeErrors.NotPostgres(text);
        return base.Advance(messages);
    }

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.Authentication:
                OnAuthentication(new ValueReader(message.Body));
                return Request is null ? Progress.NeedMore : Progress.Done;
            case BackendMessageType.BackendKeyData:
                _session.SetKey(new BackendKeyData(message.Body));
                return Progress.NeedMore;
            case BackendMessageType.NegotiateProtocolVersion:
                _settings.Protocol.Negotiated(new NegotiateProtocolVersion(message.Body));
                return Progress.NeedMore;
            case BackendMessageType.ErrorResponse:
                // The server closes after it; nothing else is due.
                Error = new ErrorOrNotice(message.Body).ToFields();
                return Progress.Done;
            // Without AuthenticationOk nothing of 'Require Auth' and of the server's own proof has been checked.
            case BackendMessageType.ReadyForQuery when _isAuthenticated:
                _session.TransactionStatus = new ReadyForQuery(message.Body).Status;
                return Progress.Done;
            default:
                throw ProtocolErrors.UnexpectedMessage("an answer to the login", message.Type);
        }
    }

    /// <summary>Sends what was asked for by <see cref="Request"/>.</summary>
    public void Supply(byte[] answer)
    {
        Request = null;
        if (_token is not null)
            _session.Output.WriteSaslInitialResponse(OAuthBearer.Mechanism, answer);
        else if (answer.Length > 0)
            _session.Output.WriteSaslResponse(answer);
    }

    private KeyValuePair<string, string>[] StartupParameters()
    {
        var parameters = new List<KeyValuePair<string, string>>
        {
            new("user", _user),
            new("database", _settings.Database),
            new("client_encoding", "UTF8"),
        };
        Add("replication", _settings.Replication);
        Add("application_name", _settings.ApplicationName);
        Add("search_path", _settings.SearchPath);
        Add("TimeZone", _settings.Timezone);
        Add("DateStyle", _settings.DateStyle);
        Add("geqo", _settings.Geqo);
        Add("plan_cache_mode", _settings.PlanCacheMode);
        Add("options", _settings.Options);
        return [.. parameters];

        void Add(string name, string? value)
        {
            if (!string.IsNullOrEmpty(value))
                parameters.Add(new(name, value));
        }
    }

    private void OnAuthentication(ValueReader body)
    {
        switch (body.ReadInt32())
        {
            case 0:
                OnAuthenticated();
                break;
            case 3:
                Require(AuthenticationMethods.Password, "a password in clear text");
                _session.Output.WritePassword(Password());
                break;
            case 5:
                Require(AuthenticationMethods.MD5, "an MD5 password");
                _session.Output.WritePassword(Md5Password.Response(_user, Password(), body.ReadBytes(4)));
                break;
            case 7:
                Require(AuthenticationMethods.Gss, "GSSAPI");
                StartGss(GssLogin.Kerberos);
                break;
            case 8 when _gss is not null:
                Request = _gss.Next(body.Rest.ToArray());
                break;
            case 9:
                Require(AuthenticationMethods.Sspi, "SSPI");
                StartGss(GssLogin.Negotiate);
                break;
            case 10:
                StartSasl(body);
                break;
            case 11 when _token is not null:
                RefusedToken = new(_token.Token, OAuthBearer.ParseRefusal(body.Rest));
                _session.Output.WriteSaslResponse(OAuthBearer.Acknowledgement);
                break;
            case 11:
                _session.Output.WriteSaslResponse(Scram().ClientFinal(body.Rest));
                break;
            case 12:
                Scram().VerifyServerFinal(body.Rest);
                break;
            case var method:
                throw HandshakeErrors.MethodNotSupported(method);
        }
        _wasAsked = true;
    }

    private void OnAuthenticated()
    {
        if (_settings.ChannelBinding == ChannelBinding.Require && _scram is null)
            throw HandshakeErrors.NoChannelBinding();
        // A connection that GSSAPI encrypts has logged in by that.
        var unasked = _session.Wire.Gss is null ? AuthenticationMethods.None : AuthenticationMethods.Gss;
        if (!_wasAsked && (_settings.RequireAuth & unasked) == 0)
            throw HandshakeErrors.MethodNotAllowed("no authentication at all");
        if (_scram is { IsVerified: false } || _gss is { IsComplete: false })
            throw HandshakeErrors.NotVerified();
        _gss?.Dispose();
        _isAuthenticated = true;
    }

    private void StartGss(string package)
    {
        _gss = new GssLogin(package, _session.Context, ProtectionLevel.None);
        Request = _gss.Next([]);
    }

    private void StartSasl(ValueReader body)
    {
        var offered = new List<string>();
        while (!body.IsAtEnd && body.ReadCString() is { Length: > 0 } mechanism)
            offered.Add(mechanism);
        if (offered.Contains(OAuthBearer.Mechanism) && (_session.Context.Tokens is not null || offered.Count == 1))
            StartOAuth();
        else
            StartScram(offered);
    }

    private void StartOAuth()
    {
        Require(AuthenticationMethods.OAuth, "an OAuth token");
        var tokens = _session.Context.Tokens ?? throw HandshakeErrors.NoTokenProvider();
        // Whoever gets the token can log in with it: only a server that has proved its name does.
        var transport = _session.Context.Transport;
        if (!transport.Host.IsUnixSocket && (_session.Wire.Tls is null || transport.Tls.Mode < SslMode.VerifyCA))
            throw HandshakeErrors.TokenNeedsTls(transport.Tls.Mode);
        Request = _token = tokens.Request(_session.Context, _formerToken);
    }

    private void StartScram(List<string> offered)
    {
        Require(AuthenticationMethods.ScramSha256, "SCRAM-SHA-256");
        var tls = _session.Wire.Tls;
        var endPointHash = tls?.RemoteCertificate is { } certificate ? ChannelBindingHash.ServerEndPoint(certificate) : null;
        var binding = SaslMechanisms.Choose(offered, _settings.ChannelBinding, tls is not null, endPointHash);
        var keys = _settings.ScramKeys;
        _scram = new ScramSha256(keys is null ? Password() : "", binding, _session.Context.ScramKeys)
        {
            Keys = keys is null ? null : ScramKeys.Parse(keys),
        };
        _session.SaslMechanism = binding.Mechanism;
        _session.Output.WriteSaslInitialResponse(binding.Mechanism, _scram.ClientFirst());
    }

    private ScramSha256 Scram() =>
        _scram ?? throw ProtocolErrors.UnexpectedMessage("a choice of SASL mechanisms", BackendMessageType.Authentication);

    private string Password() =>
        string.IsNullOrEmpty(_password) ? throw HandshakeErrors.NoPassword(_user) : _password;

    private void Require(AuthenticationMethods method, string name)
    {
        if ((_settings.RequireAuth & method) == 0)
            throw HandshakeErrors.MethodNotAllowed(name);
        // Only SCRAM can bind to the channel; a password must not be sent to find that out.
        if (method != AuthenticationMethods.ScramSha256 && _settings.ChannelBinding == ChannelBinding.Require)
            throw HandshakeErrors.NoChannelBinding();
    }
}
