using Loxo.Pool;
using Loxo.Protocol;
using Loxo.Protocol.Authentication;
using Loxo.Session;
using Loxo.Transport;

namespace Loxo.Settings;

/// <summary>What is not supported is refused here and not when the keyword is set, so that tools can still edit such strings.</summary>
internal sealed class SettingsResolver(Func<Keyword, string?> given, SettingsEnvironment environment)
{
    private Dictionary<Keyword, (string Text, string Source)> _ofService = [];

    public ConnectionSettings Resolve(string connectionString, string connectionStringWithoutPassword)
    {
        if (Value(Keywords.Service) is { } service)
            _ofService = ServiceFile.Read(service, ServiceFiles());
        EnsureBuilt();
        var pool = Pool();
        var choice = new HostSettings(Value(Keywords.TargetSessionAttributes) ?? TargetSessionAttributes.Any,
            Value(Keywords.LoadBalanceHosts), TimeSpan.FromSeconds(Value(Keywords.HostRecheckSeconds)));
        var hosts = Addresses().ConvertAll(address => new ConnectionSettings
        {
            Transport = Transport(address),
            Session = Session(address),
            Pool = pool,
            Choice = choice,
            Enlist = Value(Keywords.Enlist),
            ArrayNullability = Value(Keywords.ArrayNullabilityMode),
            PersistSecurityInfo = Value(Keywords.PersistSecurityInfo),
            LogsParameters = Value(Keywords.LogParameters),
            HasPassword = given(Keywords.Password) is not null,
            ConnectionString = connectionString,
            ConnectionStringWithoutPassword = connectionStringWithoutPassword,
        });
        return hosts[0] with { Hosts = hosts };
    }

    private TransportSettings Transport(HostAddress address) => new()
    {
        Host = address,
        ShufflesAddresses = Value(Keywords.LoadBalanceHosts) == HostBalance.Random,
        Tls = new TlsResolver(keyword => Find(keyword).Text, environment).Resolve(),
        GssEncryption = Value(Keywords.GssEncryptionMode),
        ServerUser = Value(LibpqParameters.RequirePeer),
        TcpKeepAlive = KeepAlive(),
        TcpUserTimeout = Value(Keywords.TcpUserTimeout),
        SocketReceiveBufferSize = Value(Keywords.SocketReceiveBufferSize),
        SocketSendBufferSize = Value(Keywords.SocketSendBufferSize),
        ReadBufferSize = Value(Keywords.ReadBufferSize),
        WriteBufferSize = Value(Keywords.WriteBufferSize),
        ReceiveSpin = Value(Keywords.ReceiveSpin),
        Reactor = Value(Keywords.AsyncEngine) == AsyncEngine.Reactor
            ? new(Value(Keywords.ReactorLoops), Value(Keywords.ReactorContinuations))
            : null,
        IsEngineGiven = Value(Keywords.AsyncEngine) != AsyncEngine.Auto,
    };

    private List<HostAddress> Addresses()
    {
        var addresses = Value(Keywords.HostAddress)?.Split(',', StringSplitOptions.TrimEntries) ?? [];
        if (Value(Keywords.Host) is not { } text)
        {
            var portOfEach = Ports(Math.Max(addresses.Length, 1));
            return addresses.Length > 0
                ? [.. addresses.Select((address, i) => new HostAddress(address, portOfEach[i]))]
                : [new(SocketDirectory(portOfEach[0]), portOfEach[0])];
        }
        var entries = HostList.Parse(text);
        if (addresses.Length > 0 && addresses.Length != entries.Count)
            throw SettingsErrors.Contradiction(Keywords.HostAddress, string.Create(CultureInfo.InvariantCulture,
                $"has {addresses.Length} addresses for the {entries.Count} hosts of 'Host'. Give one for each, in the same order."));
        var ports = Ports(entries.Count);
        return [.. entries.Select((entry, i) =>
            new HostAddress(entry.Host, entry.Port ?? ports[i], addresses.Length > 0 ? addresses[i] : null))];
    }

    private int[] Ports(int hosts)
    {
        var ports = Value(Keywords.Port);
        if (ports.Length == hosts)
            return ports;
        if (ports is [var port])
            return [.. Enumerable.Repeat(port, hosts)];
        var many = hosts == 1 ? "1 host" : string.Create(CultureInfo.InvariantCulture, $"{hosts} hosts");
        throw SettingsErrors.Contradiction(Keywords.Port, string.Create(CultureInfo.InvariantCulture,
            $"has {ports.Length} ports for {many}. Give one for all, or one for each, in the same order."));
    }

    // As libpq, which looks in the directory that it was built with.
    private string SocketDirectory(int port)
    {
        var name = string.Create(CultureInfo.InvariantCulture, $".s.PGSQL.{port}");
        return environment.SocketDirectories.FirstOrDefault(directory => File.Exists(Path.Combine(directory, name)))
            ?? throw SettingsErrors.NoHost(port, environment.SocketDirectories);
    }

    // What sets a detail of the probes switches them on, unless they are switched off.
    private TcpKeepAlive? KeepAlive()
    {
        var time = Value(Keywords.TcpKeepAliveTime);
        var interval = Value(Keywords.TcpKeepAliveInterval);
        var count = Value(Keywords.TcpKeepAliveCount);
        var hasDetails = time > 0 || interval > 0 || count > 0;
        return Value(Keywords.TcpKeepAlive) || (hasDetails && Find(Keywords.TcpKeepAlive).Text is null)
            ? new(time, interval == 0 ? time : interval, count)
            : null;
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
            ScramKeys = ScramKeys(),
            ApplicationName = Value(Keywords.ApplicationName) ?? Value(Keywords.FallbackApplicationName),
            SearchPath = Value(Keywords.SearchPath),
            Timezone = Value(Keywords.Timezone),
            Options = Value(Keywords.Options),
            DateStyle = Value(LibpqParameters.DateStyle),
            Geqo = Value(LibpqParameters.Geqo),
            ChannelBinding = Value(Keywords.ChannelBinding),
            RequireAuth = RequireAuthList.Parse(Value(Keywords.RequireAuth)),
            KerberosServiceName = Value(Keywords.KerberosServiceName)!,
            DelegatesCredentials = Value(LibpqParameters.GssDelegation),
            OAuth = new(Value(LibpqParameters.OAuthIssuer), Value(LibpqParameters.OAuthClientId),
                Value(LibpqParameters.OAuthClientSecret), Value(LibpqParameters.OAuthScope)),
            Protocol = Protocol(),
            OpenTimeout = Seconds(Keywords.Timeout),
            CommandTimeout = Seconds(Keywords.CommandTimeout),
            CancellationTimeout = CancellationTimeout(),
            AutoPrepare = AutoPrepare(),
            Pooler = Value(Keywords.Pooler),
            PlanCacheMode = PlanCacheModeOfServer(),
            Compatibility = Value(Keywords.ServerCompatibilityMode),
            IncludeErrorDetail = Value(Keywords.IncludeErrorDetail),
            IncludeFailedBatchedCommand = Value(Keywords.IncludeFailedBatchedCommand),
            IsLikeNpgsql = Value(Keywords.Compatibility) == CompatibilityMode.Npgsql,
            KeepAlive = TimeSpan.FromSeconds(Value(Keywords.KeepAlive)),
        };
    }

    // As libpq: 3.2 only where it is asked for, since older poolers close the connection instead of negotiating.
    private ProtocolVersions Protocol()
    {
        var (oldest, newest) = (Value(LibpqParameters.MinProtocolVersion), Value(LibpqParameters.MaxProtocolVersion));
        return oldest > newest && Find(LibpqParameters.MaxProtocolVersion).Text is not null
            ? throw SettingsErrors.Contradiction(LibpqParameters.MinProtocolVersion, "is later than 'max_protocol_version'.")
            : new(oldest, Math.Max(oldest, newest));
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

    private ScramKeySettings? ScramKeys() => (Value(LibpqParameters.ScramClientKey), Value(LibpqParameters.ScramServerKey)) switch
    {
        ({ } client, { } server) => new(client, server),
        (null, null) => null,
        (null, _) => throw SettingsErrors.Contradiction(LibpqParameters.ScramServerKey, "needs 'scram_client_key' beside it."),
        _ => throw SettingsErrors.Contradiction(LibpqParameters.ScramClientKey, "needs 'scram_server_key' beside it."),
    };

    private TimeSpan Seconds(Keyword<int> keyword) =>
        Value(keyword) is var seconds and not 0 ? TimeSpan.FromSeconds(seconds) : Timeout.InfiniteTimeSpan;

    private TimeSpan CancellationTimeout() => Value(Keywords.CancellationTimeout) switch
    {
        0 => Timeout.InfiniteTimeSpan,
        -1 => TimeSpan.Zero,
        var milliseconds => TimeSpan.FromMilliseconds(milliseconds),
    };

    private T Value<T>(Keyword<T> keyword) => keyword.Read(Find(keyword).Text);

    private List<string> ServiceFiles()
    {
        var files = new List<string>();
        if ((Value(Keywords.ServiceFile) ?? environment.DefaultServiceFile) is { } own)
            files.Add(own);
        var directories = environment.Variable("PGSYSCONFDIR") is { Length: > 0 } directory ? [directory] : environment.SystemDirectories;
        files.AddRange(directories.Select(static directory => Path.Combine(directory, "pg_service.conf")));
        return files;
    }

    private void EnsureBuilt()
    {
        var refusals = Keywords.All
            .Select(keyword => Find(keyword) is { Text: { } text, Source: var source } ? keyword.Refusal(text, source) : null)
            .OfType<string>()
            .ToList();
        if (refusals.Count > 0)
            throw SettingsErrors.NotSupported(refusals);
    }

    private (string? Text, string? Source) Find(Keyword keyword)
    {
        if (given(keyword) is { } text)
            return (text, null);
        if (_ofService.TryGetValue(keyword, out var ofService))
            return ofService;
        if (keyword.Variable is not { } variable || environment.Variable(variable) is not { Length: > 0 } value)
            return (null, null);
        var source = $"the environment variable {variable}";
        return (keyword.ToText(value, source), source);
    }
}
