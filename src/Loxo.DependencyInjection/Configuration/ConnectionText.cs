namespace Loxo.Configuration;

/// <summary>The connection string of options, with their keywords.</summary>
internal static class ConnectionText
{
    /// <param name="options">The connection string and the keywords.</param>
    /// <param name="failures">Gets a sentence for each error, which names the key in the configuration and shows no secret.</param>
    public static PgConnectionStringBuilder Of(PgDataSourceOptions options, ICollection<string> failures)
    {
        var builder = new PgConnectionStringBuilder();
        Try(() => builder.ConnectionString = options.ConnectionString, options.ConnectionStringPath, failures);
        var own = new PgConnectionStringBuilder();
        foreach (var (keyword, value) in options.Keywords)
        {
            Try(() =>
            {
                if (own.ShouldSerialize(keyword))
                    throw new ArgumentException("The section has this keyword in another spelling, too: remove one of them.");
                own[keyword] = value;
                builder[keyword] = value;
            }, $"{options.SectionPath}:{keyword}", failures);
        }
        return builder;
    }

    private static void Try(Action set, string path, ICollection<string> failures)
    {
        try
        {
            set();
        }
        catch (ArgumentException e)
        {
            failures.Add($"'{path}': {e.Message}");
        }
    }
}
