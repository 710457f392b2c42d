using System.Text;
using Loxo.Protocol;
using Loxo.Protocol.Authentication;
using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;

namespace Loxo.Session;

/// <summary>
/// Logs in.
/// F: StartupMessage [PasswordMessage | SASLInitialResponse SASLResponse]
/// B: [v] R* S* [K] Z, or E
/// </summary>
internal sealed class Handshake : MessageExchange
{
    // The longest message accepted before authentication; libpq accepts 30,000 bytes (fe-connect.c).
    private const int MaxMessageBeforeLogin = 64 * 1024;

    private readonly ServerSession _session;
    private readonly SessionSettings _settings;
    private readonly string? _password;
    private ScramSha256? _scram;
    private bool _wasAsked;
    private bool _isAuthenticated;

    /// <summary>Writes the StartupMessage.</summary>
    /// <param name="session">Where to log in.</param>
    /// <param name="password">Null for that of the settings.</param>
    public Handshake(ServerSession session, string? password = null)
        : base(session.Owner)
    {
        _session = session;
        _settings = session.Context.Settings;
        _password = password ?? _settings.Password;
        session.Wire.Input.MaxMessage = MaxMessageBeforeLogin;
        session.Output.WriteStartup(StartupParameters());
    }

    /// <summary>Why the server refused, or null.</summary>
    public ServerErrorFields? Error { get; private set; }

    public override PgException? OnEndOfStream() => Error is null ? null : SessionErrors.FromServer(Error, _settings);

    protected override Progress On(BackendMessage message)
    {
        switch (message.Type)
        {
            case BackendMessageType.Authentication:
                OnAuthentication(new ValueReader(message.Body));
                return Progress.NeedMore;
            case BackendMessageType.BackendKeyData:
                _session.SetKey(new BackendKeyData(message.Body));
                return Progress.NeedMore;
            case BackendMessageType.NegotiateProtocolVersion:
                // It knows 3.0 and not some option of ours; we send none, so there is nothing to give up.
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

    private KeyValuePair<string, string>[] StartupParameters()
    {
        var parameters = new List<KeyValuePair<string, string>>
        {
            new("user", _settings.User),
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
                _session.Output.WritePassword(Md5Password.Response(_settings.User, Password(), body.ReadBytes(4)));
                break;
            case 10:
                Require(AuthenticationMethods.ScramSha256, "SCRAM-SHA-256");
                StartScram(body);
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
        if (!_wasAsked && (_settings.RequireAuth & AuthenticationMethods.None) == 0)
            throw HandshakeErrors.MethodNotAllowed("no authentication at all");
        if (_scram is { IsVerified: false })
            throw HandshakeErrors.NotVerified();
        _isAuthenticated = true;
    }

    private void StartScram(ValueReader body)
    {
        var offered = new List<string>();
        while (!body.IsAtEnd && body.ReadCString() is { Length: > 0 } mechanism)
            offered.Add(mechanism);
        var tls = _session.Wire.Tls;
        var endPointHash = tls?.RemoteCertificate is { } certificate ? ChannelBindingHash.ServerEndPoint(certificate) : null;
        var binding = SaslMechanisms.Choose(offered, _settings.ChannelBinding, tls is not null, endPointHash);
        _scram = new ScramSha256(Password(), binding, _session.Context.ScramKeys);
        _session.SaslMechanism = binding.Mechanism;
        _session.Output.WriteSaslInitialResponse(binding.Mechanism, _scram.ClientFirst());
    }

    private ScramSha256 Scram() =>
        _scram ?? throw ProtocolErrors.UnexpectedMessage("a choice of SASL mechanisms", BackendMessageType.Authentication);

    private string Password() =>
        string.IsNullOrEmpty(_password) ? throw HandshakeErrors.NoPassword(_settings.User) : _password;

    private void Require(AuthenticationMethods method, string name)
    {
        if ((_settings.RequireAuth & method) == 0)
            throw HandshakeErrors.MethodNotAllowed(name);
        // Only SCRAM can bind to the channel; a password must not be sent to find that out.
        if (method != AuthenticationMethods.ScramSha256 && _settings.ChannelBinding == ChannelBinding.Require)
            throw HandshakeErrors.NoChannelBinding();
    }
}
