using System.Net.Security;
using Loxo.Diagnostics;
using Loxo.Protocol.Authentication;
using Loxo.Transport;

namespace Loxo.Session;

/// <summary>How the sessions of a data source reach one server and log in there, and what is known of the server's database.</summary>
internal sealed record SessionContext(
    TransportSettings Transport, SessionSettings Settings, Dialer Dialer, TimeProvider Time, DatabaseKnowledge Database)
{
    /// <summary>Certificates and the like, loaded once.</summary>
    public TlsContext Tls { get; private init; } = new(Transport.Tls, Time);

    /// <summary>Keys of SCRAM logins, so that the next one derives none.</summary>
    public ScramKeyCache ScramKeys { get; private init; } = new();

    /// <summary>Where passwords come from before the settings are asked; null for the settings alone.</summary>
    public PasswordSource? Passwords { get; set; }

    /// <summary>Where OAuth tokens come from; null if the program supplies none.</summary>
    public OAuthTokens? Tokens { get; set; }

    /// <summary>Changes the options of a GSSAPI login; null for nothing.</summary>
    public Action<NegotiateAuthenticationClientOptions>? NegotiateOptions { get; set; }

    /// <summary>What spans, figures and log messages say of the data source; null if it tells nothing.</summary>
    public TelemetryTarget? Telemetry { get; set; }

    /// <summary>What the program does with each new session, in the form of the wait; null for nothing.</summary>
    public (Action<ServerSession> Blocking, Func<ServerSession, ValueTask> Async)? Initializer { get; set; }

    /// <summary>The role and health of the server; null where there is no choice between servers.</summary>
    public HostState? Host { get; init; }

    /// <summary>What the sessions have done.</summary>
    public SessionTotals Totals { get; private init; } = new();

    /// <summary>
    /// How long the answer to a cancelled command is waited for; <see cref="Timeout.InfiniteTimeSpan"/> for ever,
    /// <see cref="TimeSpan.Zero"/> not at all: the connection is closed instead.
    /// </summary>
    public TimeSpan CancelWait => Settings.CancellationTimeout;
}
