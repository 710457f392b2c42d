namespace Loxo;

/// <summary>Allowances for servers that speak PostgreSQL's protocol without being PostgreSQL.</summary>
public enum ServerCompatibilityMode
{
    /// <summary>The server is PostgreSQL. The default.</summary>
    None,

    /// <summary>The server is Amazon Redshift. As <see cref="None"/>, like in Npgsql.</summary>
    Redshift,

    /// <summary>The server lacks PostgreSQL's catalogues. Connecting reads no catalogue here, so this is satisfied by itself.</summary>
    NoTypeLoading,
}
