namespace Loxo.Embedded;

/// <summary>
/// Turns on TLS. An authority, a server certificate and a client certificate are made for each server, in this process; their files are
/// <see cref="PgEmbeddedServer.AuthorityCertificatePath"/>, <see cref="PgEmbeddedServer.ClientCertificatePath"/> and
/// <see cref="PgEmbeddedServer.ClientKeyPath"/>.
/// </summary>
public sealed class PgEmbeddedTlsOptions
{
    /// <summary>
    /// The host names and addresses that the server certificate is issued for. <c>localhost</c>, <c>127.0.0.1</c> and <c>::1</c> by
    /// default; add names, or clear the list and add others to get a certificate that does not fit.
    /// </summary>
    public IList<string> HostNames { get; init; } = ["localhost", "127.0.0.1", "::1"];

    /// <summary>
    /// The common name of the client certificate, which <c>cert</c> lines of pg_hba.conf compare with the role.
    /// <see langword="null"/>, the default, means <see cref="PgEmbeddedServerOptions.Superuser"/>.
    /// </summary>
    public string? ClientName { get; set; }
}
