using System.Text.Json;
using Loxo.Commands;
using Loxo.Session;
using Loxo.Settings;
using Loxo.Sql;
using Loxo.Transactions;
using Loxo.Types;
using Microsoft.Extensions.Logging;

namespace Loxo;

/// <summary>Makes a <see cref="PgDataSource"/>. The order of calls does not matter.</summary>
/// <typeparam name="TBuilder">The derived class, which the methods return.</typeparam>
public abstract partial class PgDataSourceBuilderBase<TBuilder> : IPgTypeMapper
    where TBuilder : PgDataSourceBuilderBase<TBuilder>
{
    private readonly PgTypeMapper _mapper = new();
    private ILoggerFactory? _loggerFactory;
    private Func<TimeProvider, string, PasswordSource>? _passwords;
    private bool _arePasswordsPeriodic;
    private PhysicalConnectionInitializer? _initializer;
    private PgLaneOptions? _lanes;
    private TelemetryOptions _telemetry = new();

    private protected PgDataSourceBuilderBase(string? connectionString) =>
        ConnectionStringBuilder = new PgConnectionStringBuilder(connectionString);

    /// <summary>A name for the pool, in logs and statistics; null, the default, for database and host.</summary>
    public string? Name { get; set; }

    /// <summary>The connection string, keyword by keyword.</summary>
    public PgConnectionStringBuilder ConnectionStringBuilder { get; }

    /// <summary>The connection string.</summary>
    public string ConnectionString => ConnectionStringBuilder.ConnectionString;

    /// <summary>Where the data source logs what happens to its pool and connections.</summary>
    /// <param name="loggerFactory">Null for nowhere, the default.</param>
    public TBuilder UseLoggerFactory(ILoggerFactory? loggerFactory)
    {
        _loggerFactory = loggerFactory;
        return Self;
    }

    /// <summary>
    /// Whether log messages of commands show the values of parameters, which may be secret; by default they do not.
    /// </summary>
    /// <param name="parameterLoggingEnabled">Whether they do.</param>
    public TBuilder EnableParameterLogging(bool parameterLoggingEnabled = true)
    {
        _telemetry = _telemetry with { ShowsParameters = parameterLoggingEnabled };
        return Self;
    }

    /// <summary>Logs commands that take longer than others as warnings: see docs/telemetry.md.</summary>
    /// <param name="threshold">
    /// How long a command may take, up to the end of its results; <see cref="Timeout.InfiniteTimeSpan"/>, the default, for any time.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The time is negative and not infinite.</exception>
    public TBuilder UseSlowCommandThreshold(TimeSpan threshold)
    {
        if (threshold != Timeout.InfiniteTimeSpan)
            ArgumentOutOfRangeException.ThrowIfLessThan(threshold, TimeSpan.Zero);
        _telemetry = _telemetry with { SlowAfter = threshold };
        return Self;
    }

    /// <summary>
    /// Counts the executions of each statement, its time, rows and errors, for <see cref="PgDataSource.GetStatementStatistics"/> and the
    /// dashboard: see docs/dashboard.md. By default nothing is counted.
    /// </summary>
    /// <param name="capacity">The most statements that are told apart; each takes about 2 KB, and 10 KB if its text is long.</param>
    /// <exception cref="ArgumentOutOfRangeException">The number is less than 1 or more than 100,000.</exception>
    public TBuilder UseStatementStatistics(int capacity = 500)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(capacity, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(capacity, 100_000);
        _telemetry = _telemetry with { StatementCapacity = capacity };
        return Self;
    }

    /// <summary>
    /// Finds connections that are not closed: one that has been open for longer is logged once as a warning (event 2009), with its last
    /// statement and the stack of the call that opened it. Stacks are also shown when the pool is exhausted, when a connection is recovered
    /// that was never closed, and by <see cref="PgDataSource.GetPoolSnapshot"/>.
    /// </summary>
    /// <param name="threshold">How long a connection may be open; zero, the default, for any time.</param>
    /// <param name="stackSampling">
    /// The fraction of the openings whose stack is kept, between 0 and 1. A stack costs some 10 microseconds and several kilobytes.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The time is negative, or longer than 24 days, or the fraction is not between 0 and 1.
    /// </exception>
    public TBuilder UseLeakThreshold(TimeSpan threshold, double stackSampling = 1)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(threshold, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(threshold, TimeSpan.FromDays(24));
        if (stackSampling is not (>= 0 and <= 1))
            throw new ArgumentOutOfRangeException(nameof(stackSampling), stackSampling, "The fraction is between 0 and 1.");
        _telemetry = _telemetry with
        {
            Leaks = _telemetry.Leaks with { Threshold = threshold, StackSampling = threshold > TimeSpan.Zero ? stackSampling : 0 },
        };
        return Self;
    }

    /// <summary>Says what the spans of the data source are like.</summary>
    /// <param name="configureAction">Called at once.</param>
    public TBuilder ConfigureTracing(Action<PgTracingOptionsBuilder> configureAction)
    {
        ArgumentNullException.ThrowIfNull(configureAction);
        var builder = new PgTracingOptionsBuilder(_telemetry.Tracing);
        configureAction(builder);
        _telemetry = _telemetry with { Tracing = builder.Options };
        return Self;
    }

    /// <summary>
    /// Lets the commands of all connections share a few sessions, as <c>Multiplexing=true</c> does: see docs/multiplexing.md.
    /// </summary>
    /// <param name="configure">Changes the options; null for the defaults.</param>
    public TBuilder UseLanes(Action<PgLaneOptions>? configure = null)
    {
        ConnectionStringBuilder.Multiplexing = true;
        _lanes ??= new PgLaneOptions();
        configure?.Invoke(_lanes);
        return Self;
    }

    /// <summary>
    /// Makes the data source; for several hosts, or with 'Target Session Attributes', it is a <see cref="PgMultiHostDataSource"/>. The
    /// builder can be changed and used again.
    /// </summary>
    /// <exception cref="NotSupportedException">The connection string asks for something that is not supported.</exception>
    /// <exception cref="ArgumentException">
    /// The host is missing, or a callback is to check certificates that the settings let the driver check.
    /// </exception>
    /// <exception cref="InvalidOperationException">
    /// <see cref="PgLaneOptions.GroupChanges"/> is set without <see cref="PgLaneOptions.GroupQueries"/>.
    /// </exception>
    public PgDataSource Build() =>
        Settings() is { HasChoice: false } settings ? MakeSource(settings, ConnectionString, Name, null) : BuildMultiHost();

    /// <summary>Makes a data source that chooses between hosts, or checks one. The builder can be changed and used again.</summary>
    /// <inheritdoc cref="Build"/>
    public PgMultiHostDataSource BuildMultiHost()
    {
        var settings = Settings();
        var shared = new Shared(new SqlTextCache(), new EnlistedSessions());
        return PgMultiHostDataSource.Make(settings, host =>
            MakeSource(host, TextFor(host, settings), Name is null ? null : $"{Name} on {host.Transport.Host}", shared));
    }

    /// <summary>
    /// Asks functions for the password at each login, blocking or asynchronous as the connection is opened. If the server refuses the
    /// password (28P01), they are asked again, and another password is tried once.
    /// </summary>
    /// <param name="passwordProvider">Asked by <see cref="PgConnection.Open"/>, with a copy of the connection string.</param>
    /// <param name="passwordProviderAsync">Asked by <see cref="PgConnection.OpenAsync"/>.</param>
    /// <exception cref="ArgumentException">One of them is null and the other is not. Both null: passwords come from the string.</exception>
    /// <exception cref="NotSupportedException">There is a periodic provider.</exception>
    public TBuilder UsePasswordProvider(
        Func<PgConnectionStringBuilder, string>? passwordProvider,
        Func<PgConnectionStringBuilder, CancellationToken, ValueTask<string>>? passwordProviderAsync)
    {
        if (passwordProvider is null != passwordProviderAsync is null)
            throw new ArgumentException("Give both a blocking and an asynchronous password provider, or none.");
        CheckOnePasswordProvider(_arePasswordsPeriodic);
        _arePasswordsPeriodic = false;
        _passwords = passwordProvider is null ? null : (_, text) =>
            new PasswordProvider(() => passwordProvider(new(text)), token => passwordProviderAsync!(new(text), token));
        return Self;
    }

    /// <summary>
    /// Asks a function for the password when the data source is built and again and again from then on; logins use the last answer. It
    /// suits tokens that expire. If the server refuses the password (28P01), the function is asked at once, and another password is tried
    /// once.
    /// </summary>
    /// <param name="passwordProvider">Asked on a thread of the pool, with a copy of the connection string; null for none.</param>
    /// <param name="successRefreshInterval">The time from an answer to the next question.</param>
    /// <param name="failureRefreshInterval">The time from a failure to the next question.</param>
    /// <exception cref="ArgumentException">An interval is negative.</exception>
    /// <exception cref="NotSupportedException">There is another provider.</exception>
    public TBuilder UsePeriodicPasswordProvider(
        Func<PgConnectionStringBuilder, CancellationToken, ValueTask<string>>? passwordProvider,
        TimeSpan successRefreshInterval,
        TimeSpan failureRefreshInterval)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(successRefreshInterval, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan(failureRefreshInterval, TimeSpan.Zero);
        CheckOnePasswordProvider(_passwords is not null && !_arePasswordsPeriodic);
        _arePasswordsPeriodic = passwordProvider is not null;
        _passwords = passwordProvider is null ? null : (time, text) =>
            new PeriodicPassword(token => passwordProvider(new(text), token), successRefreshInterval, failureRefreshInterval, time);
        return Self;
    }

    /// <summary>
    /// Runs code on each new physical connection before anybody uses it, blocking or asynchronous as the connection is opened. What it
    /// sets with SET lasts until the connection is reset, as with everything that a user of a pooled connection sets.
    /// </summary>
    /// <param name="connectionInitializer">Run by <see cref="PgConnection.Open"/>.</param>
    /// <param name="connectionInitializerAsync">Run by <see cref="PgConnection.OpenAsync"/>.</param>
    /// <exception cref="ArgumentException">One of them is null and the other is not. Both null: nothing is run.</exception>
    public TBuilder UsePhysicalConnectionInitializer(
        Action<PgConnection>? connectionInitializer, Func<PgConnection, Task>? connectionInitializerAsync)
    {
        if (connectionInitializer is null != connectionInitializerAsync is null)
            throw new ArgumentException("Give both a blocking and an asynchronous initializer, or none.");
        _initializer = connectionInitializer is null ? null : new(connectionInitializer, connectionInitializerAsync!);
        return Self;
    }

    /// <summary>Decides whether and how types are looked up; see <see cref="PgTypeLoadingOptionsBuilder"/>.</summary>
    /// <param name="configureAction">Called at once.</param>
    public TBuilder ConfigureTypeLoading(Action<PgTypeLoadingOptionsBuilder> configureAction)
    {
        ArgumentNullException.ThrowIfNull(configureAction);
        configureAction(new PgTypeLoadingOptionsBuilder(ConnectionStringBuilder));
        return Self;
    }

    private TBuilder Self => (TBuilder)this;

    private ConnectionSettings Settings()
    {
        var settings = WithTls(ConnectionStringBuilder.ToSettings());
        return _passwords is null || !(settings.HasPassword || ConnectionStringBuilder.Passfile is not null)
            ? settings
            : throw new NotSupportedException("There is a password provider, and a password or password file in the connection string: "
                + "leave one of them out.");
    }

    private PgDataSource MakeSource(ConnectionSettings settings, string text, string? name, Shared? shared)
    {
        var passwords = _passwords;
        return new PgDataSource(settings, _loggerFactory, types: Types(settings), lanes: shared is null ? _lanes?.Copy() : null, name: name,
            passwords: passwords is null ? null : time => passwords(time, text), initializer: _initializer, telemetry: _telemetry,
            login: new(_tokens, _negotiateOptions),
            host: shared is null ? null : new HostState(settings.Transport.Host, TimeProvider.System))
        {
            SqlTexts = shared?.Texts ?? new SqlTextCache(),
            Enlisted = shared?.Enlisted ?? new EnlistedSessions(),
        };
    }

    // A password may be for one host alone.
    private string TextFor(ConnectionSettings settings, ConnectionSettings all) => all.Hosts.Count == 1 ? ConnectionString
        : new PgConnectionStringBuilder(ConnectionString)
        {
            Host = settings.Transport.Host.Host,
            Port = settings.Transport.Host.Port,
            HostAddress = settings.Transport.Host.Address,
        }.ConnectionString;

    private static void CheckOnePasswordProvider(bool hasOther)
    {
        if (hasOther)
            throw new NotSupportedException("There is a password provider of the other kind already; a data source has one.");
    }

    /// <summary>
    /// Makes the names of PostgreSQL types, labels and fields from those of .NET where no <see cref="PgNameAttribute"/> says otherwise; by
    /// default <see cref="PgSnakeCaseNameTranslator"/>.
    /// </summary>
    public IPgNameTranslator DefaultNameTranslator { get => _mapper.DefaultNameTranslator; set => _mapper.DefaultNameTranslator = value; }

    /// <summary>
    /// What is done with a DateTime or DateTimeOffset that does not fit its type; <see cref="TimestampPolicy.Strict"/> by default, or
    /// <see cref="TimestampPolicy.Legacy"/> if the switch <c>Loxo.EnableLegacyTimestampBehavior</c> of <see cref="AppContext"/> is on.
    /// </summary>
    public TimestampPolicy TimestampPolicy { get; set; } = LocalTime.DefaultPolicy;

    /// <summary>What is done with a <c>numeric</c> that does not fit into decimal; <see cref="NumericPolicy.Throw"/> by default.</summary>
    public NumericPolicy NumericPolicy { get; set; }

    /// <inheritdoc cref="IPgTypeMapper.MapEnum{TEnum}"/>
    public TBuilder MapEnum<TEnum>(string? pgName = null, IPgNameTranslator? nameTranslator = null)
        where TEnum : struct, Enum => Do(_mapper.MapEnum<TEnum>(pgName, nameTranslator));

    /// <inheritdoc cref="IPgTypeMapper.MapEnum(Type, string, IPgNameTranslator)"/>
    [RequiresDynamicCode("Use MapEnum<TEnum>() where code cannot be made at run time.")]
    public TBuilder MapEnum(Type clrType, string? pgName = null, IPgNameTranslator? nameTranslator = null) =>
        Do(_mapper.MapEnum(clrType, pgName, nameTranslator));

    /// <inheritdoc/>
    public bool UnmapEnum<TEnum>(string? pgName = null, IPgNameTranslator? nameTranslator = null)
        where TEnum : struct, Enum => _mapper.UnmapEnum<TEnum>(pgName, nameTranslator);

    /// <inheritdoc/>
    public bool UnmapEnum(Type clrType, string? pgName = null, IPgNameTranslator? nameTranslator = null) =>
        _mapper.UnmapEnum(clrType, pgName, nameTranslator);

    /// <inheritdoc cref="IPgTypeMapper.MapComposite{T}"/>
    public TBuilder MapComposite<[DynamicallyAccessedMembers(CompositeMembers.Needed)] T>(
        string? pgName = null, IPgNameTranslator? nameTranslator = null) =>
        Do(_mapper.MapComposite<T>(pgName, nameTranslator));

    /// <inheritdoc cref="IPgTypeMapper.MapComposite(Type, string, IPgNameTranslator)"/>
    [RequiresDynamicCode("Use MapComposite<T>() where code cannot be made at run time.")]
    public TBuilder MapComposite(
        [DynamicallyAccessedMembers(CompositeMembers.Needed)] Type clrType,
        string? pgName = null,
        IPgNameTranslator? nameTranslator = null) =>
        Do(_mapper.MapComposite(clrType, pgName, nameTranslator));

    /// <inheritdoc/>
    public bool UnmapComposite<T>(string? pgName = null, IPgNameTranslator? nameTranslator = null) =>
        _mapper.UnmapComposite<T>(pgName, nameTranslator);

    /// <inheritdoc/>
    public bool UnmapComposite(Type clrType, string? pgName = null, IPgNameTranslator? nameTranslator = null) =>
        _mapper.UnmapComposite(clrType, pgName, nameTranslator);

    /// <inheritdoc cref="IPgTypeMapper.AddCodec"/>
    public TBuilder AddCodec(string typeName, params Codec[] codecs) => Do(_mapper.AddCodec(typeName, codecs));

    /// <inheritdoc cref="IPgTypeMapper.ConfigureJsonOptions"/>
    public TBuilder ConfigureJsonOptions(JsonSerializerOptions options) => Do(_mapper.ConfigureJsonOptions(options));

    /// <inheritdoc cref="IPgTypeMapper.EnableDynamicJson"/>
    public TBuilder EnableDynamicJson(Type[]? jsonbClrTypes = null, Type[]? jsonClrTypes = null) =>
        Do(_mapper.EnableDynamicJson(jsonbClrTypes, jsonClrTypes));

    /// <inheritdoc cref="IPgTypeMapper.EnableRecordsAsTuples"/>
    public TBuilder EnableRecordsAsTuples() => Self;

    /// <inheritdoc cref="IPgTypeMapper.EnableUnmappedTypes"/>
    public TBuilder EnableUnmappedTypes() => Self;

    void IPgTypeMapper.Reset() => _mapper.Reset();

    IPgTypeMapper IPgTypeMapper.MapEnum<TEnum>(string? pgName, IPgNameTranslator? nameTranslator) => MapEnum<TEnum>(pgName, nameTranslator);

    [RequiresDynamicCode("Use MapEnum<TEnum>() where code cannot be made at run time.")]
    IPgTypeMapper IPgTypeMapper.MapEnum(Type clrType, string? pgName, IPgNameTranslator? nameTranslator) =>
        MapEnum(clrType, pgName, nameTranslator);

    IPgTypeMapper IPgTypeMapper.MapComposite<[DynamicallyAccessedMembers(CompositeMembers.Needed)] T>(
        string? pgName, IPgNameTranslator? nameTranslator) =>
        MapComposite<T>(pgName, nameTranslator);

    [RequiresDynamicCode("Use MapComposite<T>() where code cannot be made at run time.")]
    IPgTypeMapper IPgTypeMapper.MapComposite(
        [DynamicallyAccessedMembers(CompositeMembers.Needed)] Type clrType, string? pgName, IPgNameTranslator? nameTranslator) =>
        MapComposite(clrType, pgName, nameTranslator);

    IPgTypeMapper IPgTypeMapper.AddCodec(string typeName, params Codec[] codecs) => AddCodec(typeName, codecs);

    IPgTypeMapper IPgTypeMapper.ConfigureJsonOptions(JsonSerializerOptions options) => ConfigureJsonOptions(options);

    IPgTypeMapper IPgTypeMapper.EnableDynamicJson(Type[]? jsonbClrTypes, Type[]? jsonClrTypes) =>
        EnableDynamicJson(jsonbClrTypes, jsonClrTypes);

    IPgTypeMapper IPgTypeMapper.EnableRecordsAsTuples() => this;

    IPgTypeMapper IPgTypeMapper.EnableUnmappedTypes() => this;

    /// <summary>What the data sources of several hosts have in common.</summary>
    private sealed record Shared(SqlTextCache Texts, EnlistedSessions Enlisted);

    private TBuilder Do(IPgTypeMapper said)
    {
        System.Diagnostics.Debug.Assert(ReferenceEquals(said, _mapper), "the mapper returns itself");
        return Self;
    }

    // What is said to the builder later has no effect on data sources that it has made; what is said for all data sources has.
    private Func<DatabaseTypes> Types(ConnectionSettings connection)
    {
        var own = _mapper.Mappings();
        var settings = new TypeSettings
        {
            Timestamps = TimestampPolicy,
            Numerics = NumericPolicy,
            ArrayNullability = connection.ArrayNullability,
            IsLikeNpgsql = connection.Session.IsLikeNpgsql,
            Json = _mapper.Json,
        };
        return () => DatabaseTypes.Make(
            settings with { Json = settings.Json ?? PgTypeMapper.Global.Json }, own.Over(PgTypeMapper.Global.Mappings()));
    }
}
