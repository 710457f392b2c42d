namespace Loxo;

/// <summary>Options of the plugin test_decoding; null leaves the plugin's default.</summary>
public sealed record TestDecodingOptions
{
    /// <summary>The options.</summary>
    /// <param name="includeXids">Whether BEGIN and COMMIT carry transaction ids.</param>
    /// <param name="includeTimestamp">Whether COMMIT carries the moment.</param>
    /// <param name="forceBinary">Whether the plugin says that its output is binary, although it is text.</param>
    /// <param name="skipEmptyXacts">Whether transactions without changes are left out.</param>
    /// <param name="onlyLocal">Whether changes that come from another server are left out.</param>
    /// <param name="includeRewrites">Whether rewrites of tables are shown.</param>
    /// <param name="streamChanges">Whether large transactions are sent before they end.</param>
    public TestDecodingOptions(bool? includeXids = null, bool? includeTimestamp = null, bool? forceBinary = null,
        bool? skipEmptyXacts = null, bool? onlyLocal = null, bool? includeRewrites = null, bool? streamChanges = null)
    {
        IncludeXids = includeXids;
        IncludeTimestamp = includeTimestamp;
        ForceBinary = forceBinary;
        SkipEmptyXacts = skipEmptyXacts;
        OnlyLocal = onlyLocal;
        IncludeRewrites = includeRewrites;
        StreamChanges = streamChanges;
    }

    /// <summary>Whether BEGIN and COMMIT carry transaction ids.</summary>
    public bool? IncludeXids { get; }

    /// <summary>Whether COMMIT carries the moment.</summary>
    public bool? IncludeTimestamp { get; }

    /// <summary>Whether the plugin says that its output is binary, although it is text.</summary>
    public bool? ForceBinary { get; }

    /// <summary>Whether transactions without changes are left out.</summary>
    public bool? SkipEmptyXacts { get; }

    /// <summary>Whether changes that come from another server are left out.</summary>
    public bool? OnlyLocal { get; }

    /// <summary>Whether rewrites of tables are shown.</summary>
    public bool? IncludeRewrites { get; }

    /// <summary>Whether large transactions are sent before they end.</summary>
    public bool? StreamChanges { get; }

    internal IEnumerable<KeyValuePair<string, string?>> Pairs()
    {
        (string Name, bool? Value)[] options =
        [
            ("include-xids", IncludeXids), ("include-timestamp", IncludeTimestamp), ("force-binary", ForceBinary),
            ("skip-empty-xacts", SkipEmptyXacts), ("only-local", OnlyLocal), ("include-rewrites", IncludeRewrites),
            ("stream-changes", StreamChanges),
        ];
        return options.Where(option => option.Value is not null)
            .Select(option => KeyValuePair.Create(option.Name, (string?)(option.Value == true ? "true" : "false")));
    }
}
