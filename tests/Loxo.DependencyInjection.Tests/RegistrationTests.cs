using System.Data.Common;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Loxo.DependencyInjectionTests;

/// <summary>What the container gives for each registration, on a server.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class RegistrationTests(WaitMode mode)
{
    private static readonly string _text = TestServer.Default.ConnectionString;
    private static readonly Type[] _types = [typeof(PgDataSource), typeof(DbDataSource), typeof(PgConnection), typeof(DbConnection)];

    private static IEnumerable<Func<IServiceCollection, IServiceCollection>> All =>
    [
        services => services.AddPgDataSource(_text),
        services => services.AddPgDataSource(_text, builder => builder.Name = "changed"),
        services => services.AddPgDataSource(_text, (_, builder) => builder.Name = "changed"),
        services => services.AddPgSlimDataSource(_text),
        services => services.AddPgSlimDataSource(_text, builder => builder.Name = "changed"),
        services => services.AddPgSlimDataSource(_text, (_, builder) => builder.Name = "changed"),
        services => services.AddMultiHostPgDataSource(_text),
        services => services.AddMultiHostPgDataSource(_text, builder => builder.Name = "changed"),
        services => services.AddMultiHostPgDataSource(_text, (_, builder) => builder.Name = "changed"),
        services => services.AddMultiHostPgSlimDataSource(_text),
        services => services.AddMultiHostPgSlimDataSource(_text, builder => builder.Name = "changed"),
        services => services.AddMultiHostPgSlimDataSource(_text, (_, builder) => builder.Name = "changed"),
    ];

    // A singleton cannot have a scoped data source.
    private static IEnumerable<object?[]> Lifetimes =>
        from connections in Enum.GetValues<ServiceLifetime>()
        from sources in Enum.GetValues<ServiceLifetime>()
        where connections != ServiceLifetime.Singleton || sources != ServiceLifetime.Scoped
        from key in new[] { null, "key" }
        select new object?[] { connections, sources, key };

    [TestCaseSource(nameof(All))]
    public async Task Each_service_reaches_the_server(Func<IServiceCollection, IServiceCollection> add)
    {
        var services = new ServiceCollection();
        Assert.That(add(services), Is.SameAs(services));
        await using var provider = services.BuildServiceProvider(validateScopes: true);

        Assert.That(provider.GetRequiredService<DbDataSource>(), Is.SameAs(provider.GetRequiredService<PgDataSource>()));
        foreach (var connection in new[] { provider.GetRequiredService<PgConnection>(), provider.GetRequiredService<DbConnection>() })
        {
            Assert.That(connection.State, Is.EqualTo(System.Data.ConnectionState.Closed));
            Assert.That(await Answer(connection), Is.EqualTo(1));
        }
        await using var command = provider.GetRequiredService<PgDataSource>().CreateCommand("SELECT 2");
        Assert.That(await mode.ExecuteScalar(command), Is.EqualTo(2));
    }

    [TestCase(false), TestCase(true)]
    public async Task The_action_changes_the_builder(bool slim)
    {
        var services = new ServiceCollection().AddSingleton(new Version(1, 2));
        if (slim)
            services.AddPgSlimDataSource(_text, (provider, builder) => builder.Name = $"pool {provider.GetRequiredService<Version>()}");
        else
            services.AddPgDataSource(_text, (provider, builder) => builder.Name = $"pool {provider.GetRequiredService<Version>()}");
        await using var provider = services.BuildServiceProvider();

        Assert.That(provider.GetRequiredService<PgDataSource>().GetPoolStatistics()!.Name, Is.EqualTo("pool 1.2"));
    }

    [TestCaseSource(nameof(Lifetimes))]
    public async Task Lifetimes_are_those_asked_for(ServiceLifetime connections, ServiceLifetime sources, string? key)
    {
        await using var provider = new ServiceCollection().AddPgDataSource(_text, connections, sources, key).BuildServiceProvider();
        await using var first = provider.CreateAsyncScope();
        await using var second = provider.CreateAsyncScope();

        AssertLifetime<PgDataSource>(sources);
        AssertLifetime<PgConnection>(connections);
        AssertLifetime<DbDataSource>(sources);
        AssertLifetime<DbConnection>(connections);
        Assert.That(await Answer(Get<DbConnection>(first)), Is.EqualTo(1));

        T Get<T>(AsyncServiceScope scope)
            where T : notnull =>
            key is null ? scope.ServiceProvider.GetRequiredService<T>() : scope.ServiceProvider.GetRequiredKeyedService<T>(key);

        void AssertLifetime<T>(ServiceLifetime lifetime)
            where T : class
        {
            Assert.That(ReferenceEquals(Get<T>(first), Get<T>(first)), Is.EqualTo(lifetime != ServiceLifetime.Transient), typeof(T).Name);
            Assert.That(ReferenceEquals(Get<T>(first), Get<T>(second)), Is.EqualTo(lifetime == ServiceLifetime.Singleton), typeof(T).Name);
        }
    }

    [Test]
    public async Task Keys_keep_data_sources_apart()
    {
        await using var provider = new ServiceCollection()
            .AddPgDataSource(_text + ";Application Name=plain")
            .AddPgDataSource(_text + ";Application Name=first", serviceKey: "first")
            .AddPgSlimDataSource(_text + ";Application Name=second", serviceKey: 2)
            .BuildServiceProvider();

        Assert.That(await Name(provider.GetRequiredService<PgConnection>()), Is.EqualTo("plain"));
        Assert.That(await Name(provider.GetRequiredKeyedService<PgConnection>("first")), Is.EqualTo("first"));
        Assert.That(await Name(provider.GetRequiredKeyedService<DbConnection>(2)), Is.EqualTo("second"));
        Assert.That(provider.GetKeyedService<PgDataSource>("third"), Is.Null);

        async Task<object?> Name(DbConnection connection)
        {
            await mode.Open(connection);
            await using var command = connection.CreateCommand();
            command.CommandText = "SHOW application_name";
            return await mode.ExecuteScalar(command);
        }
    }

    [TestCase(null), TestCase("key")]
    public async Task A_registration_that_is_there_stays(string? key)
    {
        await using var source = PgDataSource.Create(_text);
        await using var connection = new PgConnection(_text);
        IServiceCollection services = new ServiceCollection();
        services.Add(new ServiceDescriptor(typeof(PgDataSource), key, source));
        services.Add(new ServiceDescriptor(typeof(DbConnection), key, connection));
        services.AddPgDataSource("Host=nowhere.invalid", serviceKey: key).AddPgDataSource("Host=elsewhere.invalid", serviceKey: key);
        await using var provider = services.BuildServiceProvider();

        Assert.That(services, Has.Count.EqualTo(4));
        Assert.That(Get(typeof(PgDataSource)), Is.SameAs(source));
        Assert.That(Get(typeof(DbDataSource)), Is.SameAs(source));
        Assert.That(Get(typeof(DbConnection)), Is.SameAs(connection));
        Assert.That(await Answer((DbConnection)Get(typeof(PgConnection))), Is.EqualTo(1));

        object Get(Type type) => key is null ? provider.GetRequiredService(type) : provider.GetRequiredKeyedService(type, key);
    }

    [TestCase(null), TestCase("key")]
    public async Task The_container_disposes_what_it_has_made(string? key)
    {
        var provider = new ServiceCollection().AddPgDataSource(_text, serviceKey: key).BuildServiceProvider();
        var resolved = _types.ToDictionary(type => type, type =>
            key is null ? provider.GetRequiredService(type) : provider.GetRequiredKeyedService(type, key));
        var connection = (PgConnection)resolved[typeof(PgConnection)];
        Assert.That(await Answer(connection), Is.EqualTo(1));
        await mode.Dispose(provider);

        Assert.That(connection.State, Is.EqualTo(System.Data.ConnectionState.Closed));
        var source = (PgDataSource)resolved[typeof(DbDataSource)];
        Assert.That(() => source.CreateConnection(), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(source.GetPoolStatistics()!.Total, Is.Zero);
    }

    [TestCase(false), TestCase(true)]
    public async Task The_data_source_logs_to_the_container(bool slim)
    {
        using var log = new RecordedLog();
        var services = new ServiceCollection().AddSingleton<ILoggerFactory>(log);
        await using var provider = (slim ? services.AddPgSlimDataSource(_text) : services.AddPgDataSource(_text)).BuildServiceProvider();
        Assert.That(await Answer(provider.GetRequiredService<PgConnection>()), Is.EqualTo(1));

        Assert.That(
            () => log.Messages.Select(message => (message.Category, message.EventId)), Has.Member(("Loxo.Pool", 2000)).After(60).Seconds.PollEvery(10).MilliSeconds);
    }

    [Test]
    public async Task The_action_may_choose_other_loggers()
    {
        using var log = new RecordedLog();
        using var other = new RecordedLog();
        await using var provider = new ServiceCollection().AddSingleton<ILoggerFactory>(log)
            .AddPgDataSource(_text, builder => builder.UseLoggerFactory(other)).BuildServiceProvider();
        Assert.That(await Answer(provider.GetRequiredService<PgConnection>()), Is.EqualTo(1));

        Assert.That(log.Messages, Is.Empty);
        Assert.That(other.Messages, Is.Not.Empty);
    }

    [Test]
    public void Null_is_refused_at_once()
    {
        var services = new ServiceCollection();
        Assert.That(() => ((IServiceCollection)null!).AddPgDataSource(""), NullOf("serviceCollection"));
        Assert.That(() => services.AddPgDataSource((string)null!), NullOf("connectionString"));
        Assert.That(() => services.AddPgDataSource(null!, _ => { }), NullOf("connectionString"));
        Assert.That(() => services.AddPgDataSource("", (Action<PgDataSourceBuilder>)null!), NullOf("dataSourceBuilderAction"));
        Assert.That(() => services.AddPgDataSource("", (Action<IServiceProvider, PgDataSourceBuilder>)null!), NullOf("dataSourceBuilderAction"));
        Assert.That(() => services.AddPgSlimDataSource((string)null!), NullOf("connectionString"));
        Assert.That(() => services.AddPgSlimDataSource("", (Action<PgSlimDataSourceBuilder>)null!), NullOf("dataSourceBuilderAction"));
        Assert.That(() => services.AddPgSlimDataSource("", (Action<IServiceProvider, PgSlimDataSourceBuilder>)null!),
            NullOf("dataSourceBuilderAction"));
        Assert.That(services, Is.Empty);

        static NUnit.Framework.Constraints.IResolveConstraint NullOf(string parameter) =>
            Throws.ArgumentNullException.With.Property("ParamName").EqualTo(parameter);
    }

    [TestCase("Hots=h", "Hots", "Host"), TestCase("Host=h;Maximum Pool Size=many", "Maximum Pool Size", "number")]
    public void An_error_in_the_string_is_thrown_when_the_data_source_is_made(string text, string keyword, string more)
    {
        using var provider = new ServiceCollection().AddPgDataSource(text).BuildServiceProvider();

        foreach (var type in _types)
        {
            Assert.That(() => provider.GetRequiredService(type),
                Throws.ArgumentException.With.Message.Contains(keyword).And.Message.Contains(more), type.Name);
        }
    }

    [Test]
    public async Task An_empty_string_leaves_everything_to_the_action()
    {
        await using var provider = new ServiceCollection()
            .AddPgDataSource("", builder => builder.ConnectionStringBuilder.ConnectionString = _text).BuildServiceProvider();

        Assert.That(await Answer(provider.GetRequiredService<PgConnection>()), Is.EqualTo(1));
    }

    private async Task<object?> Answer(DbConnection connection)
    {
        await mode.Open(connection);
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT 1";
        return await mode.ExecuteScalar(command);
    }
}
