namespace Loxo.Settings;

/// <summary>The sources of settings outside the connection string. Injectable, so that tests do not depend on the machine.</summary>
internal sealed record SettingsEnvironment
{
    public required Func<string, string?> Variable { get; init; }

    /// <summary>The password file to read when none is named; null when the user has no home.</summary>
    public required string? DefaultPassfile { get; init; }

    public required string? DefaultRootCertificate { get; init; }

    public required string UserName { get; init; }

    /// <summary>Called with the reason when a source is ignored, such as a password file that others can read.</summary>
    public Action<string> Warn { get; init; } = static _ => { };

    public static SettingsEnvironment OfProcess()
    {
        var files = UserFiles();
        return new()
        {
            Variable = Environment.GetEnvironmentVariable,
            DefaultPassfile = files.Passfile,
            DefaultRootCertificate = files.RootCertificate,
            UserName = Environment.UserName,
        };
    }

    // The manual, 32.16 and 32.19: ~/.pgpass and ~/.postgresql/, on Windows both in %APPDATA%\postgresql\.
    private static (string? Passfile, string? RootCertificate) UserFiles()
    {
        var windows = OperatingSystem.IsWindows();
        var home = Environment.GetFolderPath(windows ? Environment.SpecialFolder.ApplicationData : Environment.SpecialFolder.UserProfile);
        if (home.Length == 0)
            return default;
        return windows
            ? (Path.Combine(home, "postgresql", "pgpass.conf"), Path.Combine(home, "postgresql", "root.crt"))
            : (Path.Combine(home, ".pgpass"), Path.Combine(home, ".postgresql", "root.crt"));
    }
}
