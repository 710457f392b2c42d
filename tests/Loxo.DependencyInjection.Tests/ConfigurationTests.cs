using System.Data.Common;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Loxo.DependencyInjectionTests;

/// <summary>Connections by their name in the configuration.</summary>
public class ConfigurationTests
{
    private const string Secret = "top-secret";

    private static IEnumerable<object[]> Errors =>
    [
        Error("'ConnectionStrings:catalog' is missing", "'Loxo:catalog:Host'"),
        Error("'ConnectionStrings:catalog' is missing", ("ConnectionStrings:catalog", "  ")),
        Error("'ConnectionStrings:catalog' is missing", ("ConnectionStrings:catalogue", "Host=h")),
        Error("'ConnectionStrings:catalog' is missing", ("Loxo:catalog:Maximum Pool Size", "5")),
        Error("'ConnectionStrings:catalog': ", "'Hots'", "Did you mean 'Host'?", ("ConnectionStrings:catalog", $"Hots=h;Password={Secret}")),
        Error("'ConnectionStrings:catalog': ", "'Password'", ("ConnectionStrings:catalog", $"Host=h;Password=a;{Secret}")),
        Error("'ConnectionStrings:catalog': ", "port", ("ConnectionStrings:catalog", $"postgres://me:{Secret}@h:port/d")),
        Error("'Loxo:catalog:Maximum Pol Size': ", "Did you mean 'Maximum Pool Size'?", Good, ("Loxo:catalog:Maximum Pol Size", "5")),
        Error("'Loxo:catalog:MaximumPoolSize': ", "'many'", Good, ("Loxo:catalog:MaximumPoolSize", "many")),
        Error("'Loxo:catalog:Password': ", "NUL", Good, ("Loxo:catalog:Password", $"{Secret}\0")),
        Error("'Loxo:catalog:Timeout' is a section", Good, ("Loxo:catalog:Timeout:Open", "5")),
        Error("another spelling", Good, ("Loxo:catalog:MaximumPoolSize", "5"), ("Loxo:catalog:Maximum Pool Size", "6")),
        Error("'ConnectionStrings:catalog' with 'Loxo:catalog': ", "Minimum Pool Size",
            Good, ("Loxo:catalog:MaximumPoolSize", "5"), ("Loxo:catalog:MinimumPoolSize", "6")),
        Error("'Loxo:catalog:WarmUp:Conections' is unknown", "Connections", Good, ("Loxo:catalog:WarmUp:Conections", "5")),
        Error("'Loxo:catalog:WarmUp:Connections': expected a number", Good, ("Loxo:catalog:WarmUp:Connections", "-1")),
        Error("'Loxo:catalog:WarmUp:Connections': expected a number", Good, ("Loxo:catalog:WarmUp:Connections", "99999999999")),
        Error("'Loxo:catalog:WarmUp:Timeout': expected a time", Good, ("Loxo:catalog:WarmUp:Timeout", "30")),
        Error("'Loxo:catalog:WarmUp:Timeout': expected a time", Good, ("Loxo:catalog:WarmUp:Timeout", "00:00:00")),
        Error("'Loxo:catalog:WarmUp:DrainTimeout': expected a time", Good, ("Loxo:catalog:WarmUp:DrainTimeout", "-00:00:05")),
        Error("'Loxo:catalog:WarmUp:Required': expected True", Good, ("Loxo:catalog:WarmUp:Required", "perhaps")),
        Error("'Loxo:catalog:WarmUp': expected True", Good, ("Loxo:catalog:WarmUp", "perhaps")),
        Error("'Loxo:catalog:WarmUp': expected True", Good, ("Loxo:catalog:WarmUp", (string?)null)),
    ];

    private static (string, string?) Good => ("ConnectionStrings:catalog", $"Host=h;Password={Secret}");

    [TestCaseSource(nameof(Errors))]
    public async Task An_error_ends_the_start_and_names_its_key(string[] said, (string Key, string? Value)[] settings)
    {
        var builder = Builder(settings);
        builder.AddPgDataSource("catalog");
        using var host = builder.Build();

        var error = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync());
        foreach (var part in said)
            Assert.That(error!.Message, Does.Contain(part));
        Assert.That(error!.ToString(), Does.Not.Contain(Secret));
        Assert.That(() => host.Services.GetRequiredService<PgConnection>(), Throws.TypeOf<OptionsValidationException>());
    }

    [Test]
    public async Task All_errors_of_a_connection_are_named_at_once()
    {
        var builder = Builder(("ConnectionStrings:catalog", "Hots=h"), ("Loxo:catalog:Maximum Pol Size", "5"));
        builder.AddPgDataSource("catalog");
        using var host = builder.Build();

        var error = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync());
        Assert.That(error!.Failures, Has.Exactly(2).Items);
        Assert.That(error.OptionsName, Is.EqualTo("catalog"));
    }

    [Test]
    public async Task A_builder_that_contradicts_itself_ends_the_start()
    {
        var builder = Builder(Good);
        builder.AddPgDataSource("catalog", source => source.UsePasswordProvider(_ => "", (_, _) => new("")));
        using var host = builder.Build();

        var error = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync());
        Assert.That(error!.Message, Does.Contain("'ConnectionStrings:catalog'").And.Contain("password provider"));
        Assert.That(error.ToString(), Does.Not.Contain(Secret));
    }

    [Test]
    public async Task String_and_section_are_put_together()
    {
        var builder = Builder(
            ("ConnectionStrings:catalog", "Host=h;Timeout=7;Maximum Pool Size=3;Application Name=gone"),
            ("Loxo:catalog:maximumpoolsize", "20"), ("Loxo:catalog:Max Auto Prepare", "5"), ("Loxo:catalog:Application Name", ""));
        Assert.That(builder.AddPgDataSource("catalog"), Is.SameAs(builder));
        using var host = builder.Build();
        await host.StartAsync();
        var source = host.Services.GetRequiredService<PgDataSource>();
        await host.StopAsync();

        var text = new PgConnectionStringBuilder(source.ConnectionString);
        Assert.That((text.Host, text.Timeout, text.MaxPoolSize, text.MaxAutoPrepare), Is.EqualTo(("h", 7, 20, 5)));
        Assert.That(text.ShouldSerialize("Application Name"), Is.False);
        Assert.That(source.GetPoolStatistics()!.Name, Is.EqualTo("catalog"));
        Assert.That(source.GetPoolStatistics()!.MaximumSize, Is.EqualTo(20));
    }

    [Test]
    public void A_section_alone_may_have_the_connection()
    {
        using var provider = new ServiceCollection()
            .AddPgSlimDataSource(Configuration(("Databases:Main:Host", "h"), ("Databases:Main:Port", "99")), "catalog", sectionName: "Databases:Main")
            .BuildServiceProvider();

        Assert.That(provider.GetRequiredService<PgConnection>().DataSource, Is.EqualTo("tcp://h:99"));
    }

    [Test]
    public void An_error_in_a_section_of_ones_own_names_that()
    {
        using var provider = new ServiceCollection()
            .AddPgDataSource(Configuration(("App:ConnectionStrings:catalog", "Host=h"), ("App:Databases:Main:Prot", "99")).GetSection("App"),
                "catalog", sectionName: "Databases:Main")
            .BuildServiceProvider();

        Assert.That(() => provider.GetRequiredService<PgDataSource>(),
            Throws.TypeOf<OptionsValidationException>().With.Message.StartsWith("'App:Databases:Main:Prot': "));
    }

    [Test]
    public void The_configuration_is_read_when_the_data_source_is_made()
    {
        var builder = Builder();
        builder.AddPgDataSource("catalog");
        builder.Configuration["ConnectionStrings:catalog"] = "Host=later";
        using var host = builder.Build();

        Assert.That(host.Services.GetRequiredService<PgConnection>().Host, Is.EqualTo("later"));
    }

    [Test]
    public void The_program_changes_the_options()
    {
        var builder = Builder(("ConnectionStrings:catalog", "Host=h"));
        builder.AddPgDataSource("catalog").Services
            .Configure<PgDataSourceOptions>("catalog", options => options.Keywords["Port"] = "99")
            .PostConfigure<PgDataSourceOptions>("catalog", options => options.ConnectionString += "2");
        using var host = builder.Build();

        Assert.That(host.Services.GetRequiredService<PgConnection>().DataSource, Is.EqualTo("tcp://h2:99"));
    }

    [Test]
    public async Task Names_and_keys_keep_connections_apart()
    {
        var builder = Builder(("ConnectionStrings:catalog", "Host=a"), ("ConnectionStrings:orders", "Host=b"),
            ("Loxo:orders:Port", "2"), ("Reports:Port", "3"), ("Loxo:catalog:WarmUp", "false"));
        builder.AddPgDataSource("catalog");
        builder.AddPgDataSource("orders", (_, source) => source.Name = "own", serviceKey: "orders");
        builder.AddPgSlimDataSource("orders", serviceKey: "reports", sectionName: "Reports");
        builder.AddPgSlimDataSource("orders", (_, source) => source.ConnectionStringBuilder.Port = 4, serviceKey: 4);
        builder.Services.Configure<PgDataSourceOptions>("orders:reports", options => options.Keywords["Application Name"] = "reports");
        using var host = builder.Build();
        await host.StartAsync();

        Assert.That(host.Services.GetRequiredService<DbConnection>().DataSource, Is.EqualTo("tcp://a:5432"));
        Assert.That(host.Services.GetRequiredKeyedService<DbConnection>("orders").DataSource, Is.EqualTo("tcp://b:2"));
        Assert.That(host.Services.GetRequiredKeyedService<PgDataSource>("orders").GetPoolStatistics()!.Name, Is.EqualTo("own"));
        Assert.That(host.Services.GetRequiredKeyedService<DbConnection>("reports").DataSource, Is.EqualTo("tcp://b:3"));
        Assert.That(host.Services.GetRequiredKeyedService<DbDataSource>("reports").ConnectionString, Does.Contain("reports"));
        Assert.That(host.Services.GetRequiredKeyedService<DbConnection>(4).DataSource, Is.EqualTo("tcp://b:4"));
        await host.StopAsync();
    }

    [TestCase(null), TestCase("key")]
    public async Task A_data_source_that_is_there_stays_and_nothing_is_checked(string? key)
    {
        await using var source = PgDataSource.Create("Host=own");
        var builder = Builder();
        builder.Services.Add(new ServiceDescriptor(typeof(PgDataSource), key, source));
        builder.AddPgDataSource("catalog", serviceKey: key);
        using var host = builder.Build();
        await host.StartAsync();

        Assert.That(key is null ? host.Services.GetRequiredService<PgConnection>().Host
            : host.Services.GetRequiredKeyedService<PgConnection>(key).Host, Is.EqualTo("own"));
        await host.StopAsync();
    }

    [Test]
    public async Task A_name_registered_twice_counts_once([Values] ServiceLifetime lifetime)
    {
        var builder = Builder(("ConnectionStrings:catalog", "Host=h"));
        builder.AddPgDataSource("catalog", dataSourceLifetime: lifetime);
        var count = builder.Services.Count;
        builder.AddPgDataSource("catalog", dataSourceLifetime: lifetime);
        using var host = builder.Build();
        await host.StartAsync();
        await host.StopAsync();

        Assert.That(builder.Services, Has.Count.EqualTo(count));
    }

    [Test]
    public void Bad_arguments_are_refused_at_once()
    {
        var (builder, services, configuration) = (Builder(), new ServiceCollection(), Configuration());
        Assert.That(() => ((IHostApplicationBuilder)null!).AddPgDataSource("catalog"), Throws.ArgumentNullException);
        Assert.That(() => ((IHostApplicationBuilder)null!).AddPgSlimDataSource("catalog", (_, _) => { }), Throws.ArgumentNullException);
        Assert.That(() => builder.AddPgDataSource(null!), Throws.ArgumentNullException);
        Assert.That(() => builder.AddPgDataSource(""), Throws.ArgumentException);
        Assert.That(() => builder.AddPgDataSource("catalog", sectionName: ""), Throws.ArgumentException);
        Assert.That(() => builder.AddPgDataSource("catalog", (Action<IServiceProvider, PgDataSourceBuilder>)null!), Throws.ArgumentNullException);
        Assert.That(() => services.AddPgDataSource(null!, "catalog"), Throws.ArgumentNullException);
        Assert.That(() => services.AddPgDataSource(configuration, null!), Throws.ArgumentNullException);
        Assert.That(() => services.AddPgSlimDataSource(configuration, ""), Throws.ArgumentException);
        Assert.That(() => ((IServiceCollection)null!).AddPgDataSource(configuration, "catalog"), Throws.ArgumentNullException);
        Assert.That(services, Is.Empty);
    }

    private static object[] Error(params object[] parts) =>
        [parts.OfType<string>().ToArray(), parts.OfType<(string, string?)>().ToArray()];

    private static HostApplicationBuilder Builder(params (string Key, string? Value)[] settings)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Configuration.AddInMemoryCollection(settings.Select(one => KeyValuePair.Create(one.Key, one.Value)));
        return builder;
    }

    private static IConfigurationRoot Configuration(params (string Key, string? Value)[] settings) =>
        new ConfigurationBuilder().AddInMemoryCollection(settings.Select(one => KeyValuePair.Create(one.Key, one.Value))).Build();
}
