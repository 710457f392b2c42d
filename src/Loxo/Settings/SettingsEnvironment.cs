namespace Loxo.Settings;

/// <summary>The sources of settings outside the connection string. Injectable, so that tests do not depend on the machine.</summary>
internal sealed record SettingsEnvironment
{
    public required Func<string, string?> Variable { get; init; }

    /// <summary>The password file to read when none is named; null when the user has no home.</summary>
    public required string? DefaultPassfile { get; init; }

    public required string? DefaultRootCertificate { get; init; }

    /// <summary>The client's certificate, its key and the list of revoked certificates in the user's home; null without one.</summary>
    public string? DefaultClientCertificate { get; init; }

    public string? DefaultClientKey { get; init; }

    public string? DefaultRevocationList { get; init; }

    /// <summary>The file of the user's own services when no other is named; null when the user has no home.</summary>
    public required string? DefaultServiceFile { get; init; }

    /// <summary>The directories with a service file for all users, unless PGSYSCONFDIR names another.</summary>
    public required IReadOnlyList<string> SystemDirectories { get; init; }

    /// <summary>Where a server on this machine may have its Unix socket.</summary>
    public required IReadOnlyList<string> SocketDirectories { get; init; }

    public required string UserName { get; init; }

    /// <summary>Called with the reason when a source is ignored, such as a password file that others can read.</summary>
    public Action<string> Warn { get; init; } = static _ => { };

    public static SettingsEnvironment OfProcess() => new()
    {
        Variable = Environment.GetEnvironmentVariable,
        DefaultPassfile = UserFile(OperatingSystem.IsWindows() ? "pgpass.conf" : ".pgpass"),
        DefaultRootCertificate = CertificateFile("root.crt"),
        DefaultClientCertificate = CertificateFile("postgresql.crt"),
        DefaultClientKey = CertificateFile("postgresql.key"),
        DefaultRevocationList = CertificateFile("root.crl"),
        DefaultServiceFile = UserFile(".pg_service.conf"),
        // The builds of Debian, of Red Hat, and from source.
        SystemDirectories = OperatingSystem.IsWindows()
            ? [] : ["/etc/postgresql-common", "/etc/sysconfig/pgsql", "/usr/local/pgsql/etc"],
        SocketDirectories = OperatingSystem.IsWindows() ? [] : ["/var/run/postgresql", "/tmp"],
        UserName = Environment.UserName,
    };

    private static string? CertificateFile(string name) =>
        UserFile(OperatingSystem.IsWindows() ? name : Path.Combine(".postgresql", name));

    // The manual, 34.16, 34.17 and 34.19: in the home directory, on Windows in %APPDATA%\postgresql\.
    private static string? UserFile(string name)
    {
        var windows = OperatingSystem.IsWindows();
        var home = Environment.GetFolderPath(windows ? Environment.SpecialFolder.ApplicationData : Environment.SpecialFolder.UserProfile);
        return home.Length == 0 ? null : windows ? Path.Combine(home, "postgresql", name) : Path.Combine(home, name);
    }
}
