using System.Text;
using Loxo.Protocol;
using Loxo.Protocol.Authentication;

namespace Loxo.Session;

/// <summary>User, database, startup parameters and time limits of a session.</summary>
internal sealed record SessionSettings
{
    public required string User { get; init; }

    public required string Database { get; init; }

    /// <summary>From the connection string, the environment or the password file; null when none of them has one.</summary>
    public required string? Password { get; init; }

    /// <summary>The keys of a SCRAM login without a password; null for none.</summary>
    public ScramKeySettings? ScramKeys { get; init; }

    public required string? ApplicationName { get; init; }

    public required string? SearchPath { get; init; }

    public required string? Timezone { get; init; }

    /// <summary>The <c>options</c> startup parameter, such as <c>-c geqo=off</c>.</summary>
    public required string? Options { get; init; }

    /// <summary>The session's <c>DateStyle</c>; null leaves the server's.</summary>
    public required string? DateStyle { get; init; }

    /// <summary>The session's <c>geqo</c>; null leaves the server's.</summary>
    public required string? Geqo { get; init; }

    /// <summary>
    /// The <c>replication</c> startup parameter: <c>true</c> for physical, <c>database</c> for logical; null for neither.
    /// </summary>
    public string? Replication { get; init; }

    public required ChannelBinding ChannelBinding { get; init; }

    /// <summary>The authentication methods that the server may request; any other is refused before a password is sent.</summary>
    public required AuthenticationMethods RequireAuth { get; init; }

    /// <summary>The service part of the server's name in Kerberos.</summary>
    public required string KerberosServiceName { get; init; }

    /// <summary>Whether the server may act with the client's Kerberos ticket.</summary>
    public bool DelegatesCredentials { get; init; }

    /// <summary>Where OAuth tokens come from.</summary>
    public required OAuthSettings OAuth { get; init; }

    /// <summary>The versions of the protocol to speak.</summary>
    public required ProtocolVersions Protocol { get; init; }

    /// <summary>For the whole of opening; <see cref="Timeout.InfiniteTimeSpan"/> means no limit.</summary>
    public required TimeSpan OpenTimeout { get; init; }

    /// <summary>The default for commands; <see cref="Timeout.InfiniteTimeSpan"/> means no limit.</summary>
    public required TimeSpan CommandTimeout { get; init; }

    /// <summary>
    /// How long to wait for the server's answer after a cancel request before the session is closed. The keyword's 0 (wait without limit)
    /// is <see cref="Timeout.InfiniteTimeSpan"/> here, its -1 (do not wait) is <see cref="TimeSpan.Zero"/>.
    /// </summary>
    public required TimeSpan CancellationTimeout { get; init; }

    /// <summary>When statements are prepared without being asked.</summary>
    public required AutoPrepareSettings AutoPrepare { get; init; }

    /// <summary>The pooler between the driver and the server.</summary>
    public required Pooler Pooler { get; init; }

    /// <summary>The server's plan_cache_mode; null leaves it as the server has it.</summary>
    public required string? PlanCacheMode { get; init; }

    /// <summary>The features that the driver does not use with this server.</summary>
    public required ServerCompatibilityMode Compatibility { get; init; }

    public required bool IncludeErrorDetail { get; init; }

    public required bool IncludeFailedBatchedCommand { get; init; }

    /// <summary>How long a session is idle in the hands of a caller before the server is asked for a sign of life; zero: never.</summary>
    public required TimeSpan KeepAlive { get; init; }

    /// <summary>Whether Loxo does as Npgsql where it would do better otherwise.</summary>
    public required bool IsLikeNpgsql { get; init; }

    // A record prints every property by itself; this one holds a password.
    private bool PrintMembers(StringBuilder text)
    {
        text.Append("User = ").Append(User)
            .Append(", Database = ").Append(Database)
            .Append(", Password = ").Append(Password is null ? "none" : "(hidden)")
            .Append(", ApplicationName = ").Append(ApplicationName);
        return true;
    }
}
