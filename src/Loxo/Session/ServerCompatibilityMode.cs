namespace Loxo;

/// <summary>Allowances for servers that speak PostgreSQL's protocol without being PostgreSQL.</summary>
public enum ServerCompatibilityMode
{
    /// <summary>The server is PostgreSQL. The default.</summary>
    None,

    /// <summary>
    /// The server is Amazon Redshift, or another without savepoints: as <see cref="NoTypeLoading"/>, and queries of the driver within a
    /// transaction are not protected by a savepoint.
    /// </summary>
    Redshift,

    /// <summary>The server lacks PostgreSQL's catalogues: types that are not built in are not looked up, and are read as text.</summary>
    NoTypeLoading,
}
