using System.Globalization;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Loxo.Configuration;

/// <summary>Reads the options of a connection from the configuration, without reflection.</summary>
internal static class OptionsBinding
{
    private static readonly Dictionary<string, (string Expected, Action<PgWarmUpOptions, string> Set)> _warmUp =
        new(StringComparer.OrdinalIgnoreCase)
        {
            [nameof(PgWarmUpOptions.Connections)] = ("a number of connections from 0 up",
                static (options, text) => options.Connections = int.Parse(text, CultureInfo.InvariantCulture)),
            [nameof(PgWarmUpOptions.Timeout)] = ("a time above zero, such as 00:00:30",
                static (options, text) => options.Timeout = Time(text)),
            [nameof(PgWarmUpOptions.Required)] = ("True or False", static (options, text) => options.Required = bool.Parse(text)),
            [nameof(PgWarmUpOptions.DrainTimeout)] = ("a time from zero up, such as 00:00:10",
                static (options, text) => options.DrainTimeout = Time(text)),
        };

    /// <exception cref="OptionsValidationException">A value has the wrong form; the message names its key.</exception>
    public static void Bind(
        PgDataSourceOptions options, IConfiguration configuration, string connectionName, string sectionName, string optionsName)
    {
        var failures = new List<string>();
        var text = configuration.GetSection($"ConnectionStrings:{connectionName}");
        var section = configuration.GetSection(sectionName);
        (options.ConnectionStringPath, options.SectionPath) = (text.Path, section.Path);
        options.ConnectionString = text.Value;
        foreach (var child in section.GetChildren())
        {
            if (child.Key.Equals(nameof(PgDataSourceOptions.WarmUp), StringComparison.OrdinalIgnoreCase))
                options.WarmUp = WarmUp(child, failures);
            else if (child.GetChildren().Any())
                failures.Add($"'{child.Path}' is a section: expected the value of a keyword of the connection string.");
            else
                options.Keywords[child.Key] = child.Value;
        }
        if (failures.Count > 0)
            throw new OptionsValidationException(optionsName, typeof(PgDataSourceOptions), failures);
    }

    private static PgWarmUpOptions? WarmUp(IConfigurationSection section, List<string> failures)
    {
        var isFlag = bool.TryParse(section.Value, out var isOn);
        if (isFlag && !isOn)
            return null;
        var options = new PgWarmUpOptions();
        var values = section.GetChildren().ToList();
        if (!isFlag && (values.Count == 0 || !string.IsNullOrEmpty(section.Value)))
            failures.Add($"'{section.Path}': expected True, False or a section with {string.Join(", ", _warmUp.Keys)}.");
        foreach (var value in values)
            Set(options, value, failures);
        return options;
    }

    private static void Set(PgWarmUpOptions options, IConfigurationSection value, List<string> failures)
    {
        if (!_warmUp.TryGetValue(value.Key, out var option))
        {
            failures.Add($"'{value.Path}' is unknown: expected one of {string.Join(", ", _warmUp.Keys)}.");
            return;
        }
        try
        {
            option.Set(options, value.Value ?? "");
        }
        catch (Exception e) when (e is FormatException or OverflowException or ArgumentOutOfRangeException)
        {
            failures.Add($"'{value.Path}': expected {option.Expected}.");
        }
    }

    // .NET reads "30" as 30 days.
    private static TimeSpan Time(string text) =>
        text.Contains(':', StringComparison.Ordinal) ? TimeSpan.Parse(text, CultureInfo.InvariantCulture) : throw new FormatException();
}
