using Loxo.Pool;
using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Settings;

/// <summary>What is not built is refused here and not when the keyword is set, so that tools can still edit such strings.</summary>
internal sealed class SettingsResolver(Func<Keyword, string?> given, SettingsEnvironment environment)
{
    public ConnectionSettings Resolve(string connectionString, string connectionStringWithoutPassword)
    {
        foreach (var keyword in Keywords.All)
            EnsureBuilt(keyword);
        var transport = Transport();
        return new()
        {
            Transport = transport,
            Session = Session(transport.Host),
            Pool = Pool(),
            Enlist = Value(Keywords.Enlist),
            ArrayNullability = Value(Keywords.ArrayNullabilityMode),
            PersistSecurityInfo = Value(Keywords.PersistSecurityInfo),
            HasPassword = given(Keywords.Password) is not null,
            ConnectionString = connectionString,
            ConnectionStringWithoutPassword = connectionStringWithoutPassword,
        };
    }

    private TransportSettings Transport()
    {
        var (keepAliveTime, keepAliveInterval) = KeepAlive();
        return new()
        {
            Host = Address(),
            Tls = Tls(),
            TcpKeepAlive = Value(Keywords.TcpKeepAlive) || keepAliveTime is not null,
            TcpKeepAliveTime = keepAliveTime,
            TcpKeepAliveInterval = keepAliveInterval,
            SocketReceiveBufferSize = Value(Keywords.SocketReceiveBufferSize),
            SocketSendBufferSize = Value(Keywords.SocketSendBufferSize),
            ReadBufferSize = Value(Keywords.ReadBufferSize),
            WriteBufferSize = Value(Keywords.WriteBufferSize),
        };
    }

    private HostAddress Address()
    {
        var text = Value(Keywords.Host)
            ?? throw SettingsErrors.Missing(Keywords.Host, "Add Host=... to the connection string or set PGHOST.");
        var entry = HostList.Parse(text).Single(); // lists were refused before
        return new(entry.Host, entry.Port ?? Value(Keywords.Port));
    }

    private TlsSettings Tls()
    {
        var mode = Value(Keywords.SslMode);
        return new()
        {
            Mode = mode,
            Negotiation = Value(Keywords.SslNegotiation),
            RootCertificate = Value(Keywords.RootCertificate) ?? DefaultRootCertificate(mode),
            CheckCertificateRevocation = Value(Keywords.CheckCertificateRevocation),
        };
    }

    // A root certificate only matters where certificates are checked; elsewhere the user's own file must not change anything.
    private string? DefaultRootCertificate(SslMode mode) =>
        mode >= SslMode.VerifyCA && File.Exists(environment.DefaultRootCertificate) ? environment.DefaultRootCertificate : null;

    private (TimeSpan? Time, TimeSpan? Interval) KeepAlive()
    {
        var time = Value(Keywords.TcpKeepAliveTime);
        var interval = Value(Keywords.TcpKeepAliveInterval);
        if (time == 0 && interval > 0)
            throw SettingsErrors.Missing(Keywords.TcpKeepAliveTime, "'TCP Keepalive Interval' is set and has no effect without it.");
        return time == 0 ? (null, null) : (TimeSpan.FromSeconds(time), TimeSpan.FromSeconds(interval == 0 ? time : interval));
    }

    private SessionSettings Session(HostAddress address)
    {
        var user = Value(Keywords.Username) ?? UserName();
        var database = Value(Keywords.Database) ?? user;
        return new()
        {
            User = user,
            Database = database,
            Password = Value(Keywords.Password) ?? PasswordFromFile(address, database, user),
            ApplicationName = Value(Keywords.ApplicationName),
            SearchPath = Value(Keywords.SearchPath),
            Timezone = Value(Keywords.Timezone),
            Options = Value(Keywords.Options),
            ChannelBinding = Value(Keywords.ChannelBinding),
            RequireAuth = RequireAuthList.Parse(Value(Keywords.RequireAuth)),
            OpenTimeout = Seconds(Keywords.Timeout),
            CommandTimeout = Seconds(Keywords.CommandTimeout),
            CancellationTimeout = CancellationTimeout(),
            AutoPrepare = AutoPrepare(),
            Pooler = Value(Keywords.Pooler),
            PlanCacheMode = PlanCacheModeOfServer(),
            Compatibility = Value(Keywords.ServerCompatibilityMode),
            IncludeErrorDetail = Value(Keywords.IncludeErrorDetail),
            IncludeFailedBatchedCommand = Value(Keywords.IncludeFailedBatchedCommand),
        };
    }

    private PoolSettings Pool()
    {
        var (minimum, maximum) = (Value(Keywords.MinPoolSize), Value(Keywords.MaxPoolSize));
        if (minimum > maximum)
            throw SettingsErrors.Contradiction(Keywords.MinPoolSize,
                $"is {minimum}, which is more than the {maximum} of 'Maximum Pool Size'.");
        return new()
        {
            Pooling = Value(Keywords.Pooling),
            Multiplexing = Multiplexing(),
            MinimumSize = minimum,
            MaximumSize = maximum,
            IdleLifetime = TimeSpan.FromSeconds(Value(Keywords.ConnectionIdleLifetime)),
            Lifetime = TimeSpan.FromSeconds(Value(Keywords.ConnectionLifetime)),
            MaintenanceInterval = TimeSpan.FromSeconds(Value(Keywords.ConnectionPruningInterval)),
            Reset = Reset(),
            PingAfter = TimeSpan.FromSeconds(Value(Keywords.ConnectionIdlePingTime)),
        };
    }

    private bool Multiplexing() => Value(Keywords.Multiplexing) && !Value(Keywords.Pooling)
        ? throw SettingsErrors.Contradiction(Keywords.Multiplexing, "is true, but 'Pooling' is false. Leave out one of the two.")
        : Value(Keywords.Multiplexing);

    // Behind a pooler the session is not ours to reset: the next transaction has another.
    private SessionReset Reset()
    {
        var reset = Value(Keywords.SessionReset);
        if (!Value(Keywords.NoResetOnClose))
            return Value(Keywords.Pooler) == Pooler.None ? reset : SessionReset.Never;
        return Find(Keywords.SessionReset).Text is null || reset == SessionReset.Never
            ? SessionReset.Never
            : throw SettingsErrors.Contradiction(Keywords.SessionReset,
                $"is {reset}, but 'No Reset On Close' is true. Leave out one of the two.");
    }

    private AutoPrepareSettings AutoPrepare() =>
        new(Value(Keywords.Pooler) == Pooler.Transaction ? 0 : Value(Keywords.MaxAutoPrepare), Value(Keywords.AutoPrepareMinUsages));

    private string? PlanCacheModeOfServer() => Value(Keywords.PlanCacheMode) switch
    {
        PlanCacheMode.Custom => "force_custom_plan",
        PlanCacheMode.Generic => "force_generic_plan",
        _ => null,
    };

    private string UserName() =>
        environment.UserName.Length > 0
            ? environment.UserName
            : throw SettingsErrors.Missing(Keywords.Username, "Add Username=... to the connection string or set PGUSER.");

    private string? PasswordFromFile(HostAddress address, string database, string user) =>
        (Value(Keywords.Passfile) ?? environment.DefaultPassfile) is { } path
            ? Passfile.FindPassword(path, address, database, user, environment.Warn)
            : null;

    private TimeSpan Seconds(Keyword<int> keyword) =>
        Value(keyword) is var seconds and not 0 ? TimeSpan.FromSeconds(seconds) : Timeout.InfiniteTimeSpan;

    private TimeSpan CancellationTimeout() => Value(Keywords.CancellationTimeout) switch
    {
        0 => Timeout.InfiniteTimeSpan,
        -1 => TimeSpan.Zero,
        var milliseconds => TimeSpan.FromMilliseconds(milliseconds),
    };

    private T Value<T>(Keyword<T> keyword) => keyword.Read(Find(keyword).Text);

    private void EnsureBuilt(Keyword keyword)
    {
        if (Find(keyword) is { Text: { } text } found)
            keyword.EnsureBuilt(text, found.Variable);
    }

    private (string? Text, string? Variable) Find(Keyword keyword)
    {
        if (given(keyword) is { } text)
            return (text, null);
        return keyword.Variable is { } variable && environment.Variable(variable) is { Length: > 0 } value
            ? (keyword.ToText(value, variable), variable)
            : (null, null);
    }
}
