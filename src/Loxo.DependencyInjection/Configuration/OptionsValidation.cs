using Microsoft.Extensions.Options;

namespace Loxo.Configuration;

/// <summary>Checks a connection of the configuration, keyword by keyword.</summary>
internal sealed class OptionsValidation : IValidateOptions<PgDataSourceOptions>
{
    public ValidateOptionsResult Validate(string? name, PgDataSourceOptions options)
    {
        var failures = new List<string>();
        var connection = ConnectionText.Of(options, failures);
        if (failures.Count == 0 && string.IsNullOrWhiteSpace(options.ConnectionString)
            && connection is { Host: null, Service: null })
        {
            failures.Add($"'{options.ConnectionStringPath}' is missing: set it to a connection string, or '{options.SectionPath}:Host' "
                + "to a host.");
        }
        return failures.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);
    }
}
