using Loxo.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Loxo.Configuration;

/// <summary>Registers a data source whose connection string and options are in the configuration.</summary>
internal sealed class NamedConnection
{
    private readonly IConfiguration _configuration;
    private readonly string _name;
    private readonly string _section;

    public NamedConnection(IConfiguration configuration, string connectionName, string? sectionName)
    {
        ArgumentNullException.ThrowIfNull(configuration);
        ArgumentException.ThrowIfNullOrEmpty(connectionName);
        if (sectionName is not null)
            ArgumentException.ThrowIfNullOrEmpty(sectionName);
        (_configuration, _name, _section) = (configuration, connectionName, sectionName ?? $"Loxo:{connectionName}");
    }

    /// <summary>Registers the data source with its options, and with the services that check and warm it up at the host's start.</summary>
    public IServiceCollection TryAdd<TBuilder>(
        IServiceCollection services, Func<string, TBuilder> create, Action<IServiceProvider, TBuilder>? configure, ServiceSlot slot)
        where TBuilder : PgDataSourceBuilderBase<TBuilder>
    {
        ArgumentNullException.ThrowIfNull(services);
        var options = slot.Key is null ? _name : $"{_name}:{slot.Key}";
        if (services.DataSource(slot.Key) is null)
        {
            services.AddOptions<PgDataSourceOptions>(options)
                .Configure(bound => OptionsBinding.Bind(bound, _configuration, _name, _section, options))
                .ValidateOnStart();
            services.TryAddEnumerable(ServiceDescriptor.Singleton<IValidateOptions<PgDataSourceOptions>, OptionsValidation>());
            services.AddSingleton<IHostedService>(provider => new DataSourceStart(provider, slot.Key));
            PoolWarmUp.Add(services, slot.Key, provider => OptionsOf(provider, options).WarmUp);
        }
        return slot.TryAdd(services, provider => Build(provider, options, create, configure));
    }

    private static PgDataSourceOptions OptionsOf(IServiceProvider provider, string name) =>
        provider.GetRequiredService<IOptionsMonitor<PgDataSourceOptions>>().Get(name);

    private PgDataSource Build<TBuilder>(
        IServiceProvider provider, string optionsName, Func<string, TBuilder> create, Action<IServiceProvider, TBuilder>? configure)
        where TBuilder : PgDataSourceBuilderBase<TBuilder>
    {
        var options = OptionsOf(provider, optionsName);
        var builder = create(ConnectionText.Of(options, []).ConnectionString).UseLoggersOf(provider);
        builder.Name = _name;
        configure?.Invoke(provider, builder);
        try
        {
            return builder.Build();
        }
        catch (Exception e) when (e is ArgumentException or NotSupportedException)
        {
            throw new OptionsValidationException(optionsName, typeof(PgDataSourceOptions),
                [$"'{options.ConnectionStringPath}' with '{options.SectionPath}': {e.Message}"]);
        }
    }
}
