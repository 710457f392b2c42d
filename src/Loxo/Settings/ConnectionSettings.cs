using Loxo.Pool;
using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Settings;

internal sealed record ConnectionSettings
{
    public required TransportSettings Transport { get; init; }

    public required SessionSettings Session { get; init; }

    public required PoolSettings Pool { get; init; }

    /// <summary>How one of <see cref="Hosts"/> is chosen.</summary>
    public required HostSettings Choice { get; init; }

    /// <summary>The settings for each host; the others here are those of the first.</summary>
    public IReadOnlyList<ConnectionSettings> Hosts { get; init; } = [];

    /// <summary>Whether there is anything to choose, or to check: several hosts, or one that may not serve.</summary>
    public bool HasChoice => Hosts.Count > 1 || Choice.Target != TargetSessionAttributes.Any;

    /// <summary>Whether a connection that is opened within an ambient transaction joins it.</summary>
    public required bool Enlist { get; init; }

    public required ArrayNullabilityMode ArrayNullability { get; init; }

    /// <summary>Whether an opened connection may still show its password.</summary>
    public required bool PersistSecurityInfo { get; init; }

    /// <summary>Whether the values of parameters are logged.</summary>
    public bool LogsParameters { get; init; }

    /// <summary>Whether the connection string itself has a password.</summary>
    public bool HasPassword { get; init; }

    /// <summary>As it was given, password included.</summary>
    public required string ConnectionString { get; init; }

    /// <summary>Fit to be shown and logged: without the keywords that hold secrets.</summary>
    public required string ConnectionStringWithoutPassword { get; init; }

    // A record prints every property by itself; this one holds a password.
    private bool PrintMembers(StringBuilder text)
    {
        text.Append("Host = ").Append(Transport.Host).Append(", ConnectionString = ").Append(ConnectionStringWithoutPassword);
        return true;
    }
}
