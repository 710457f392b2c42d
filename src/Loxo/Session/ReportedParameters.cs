namespace Loxo.Session;

/// <summary>The settings of a session that the server reports whenever they change (GUC_REPORT, guc.h).</summary>
internal sealed class ReportedParameters
{
    // The setting came with 8.1 and was off by default before 9.1 (release notes).
    private static readonly Version _firstConforming = new(9, 1);

    private readonly Dictionary<string, string> _values = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>All of them by name, in any case.</summary>
    public IReadOnlyDictionary<string, string> Values => _values;

    /// <summary>
    /// Whether '\' is an ordinary character in string literals. A server that does not report it is as old as its version says.
    /// </summary>
    public bool StandardConformingStrings { get; private set; } = true;

    /// <summary>A value has changed since the session was handed out.</summary>
    public bool HaveChanged { get; set; }

    /// <summary>The server has reported a value.</summary>
    public void Set(string name, string value)
    {
        _values[name] = value;
        if (name == "standard_conforming_strings")
            StandardConformingStrings = value != "off";
        else if (name == "server_version" && !_values.ContainsKey("standard_conforming_strings"))
            StandardConformingStrings = ServerVersions.Parse(value) is var version && (version.Major == 0 || version >= _firstConforming);
    }
}
