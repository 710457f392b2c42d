using Loxo.Embedded;

namespace Loxo.IntegrationTests.Server;

/// <summary>One of the servers of <see cref="TestServer"/>, as tests see it: nobody stops or reconfigures it.</summary>
public sealed class SharedServer(PgEmbeddedServer server)
{
    // A test that is slow on a slow machine must not fail by a default of the driver's. A test of a time limit sets its own, which wins when it
    // comes later in the string.
    private const string Patience = ";Timeout=120;Command Timeout=300;Cancellation Timeout=30000";

    /// <summary>As a superuser, with time limits that only a hang should meet.</summary>
    public string ConnectionString { get; } = server.ConnectionString + Patience;

    /// <inheritdoc cref="PgEmbeddedServer.Host"/>
    public string Host => server.Host;

    /// <inheritdoc cref="PgEmbeddedServer.Port"/>
    public int Port => server.Port;

    /// <inheritdoc cref="PgEmbeddedServer.BinaryDirectory"/>
    public string BinaryDirectory => server.BinaryDirectory;

    /// <inheritdoc cref="PgEmbeddedServer.SocketDirectory"/>
    public string SocketDirectory => server.SocketDirectory;

    /// <inheritdoc cref="PgEmbeddedServer.AuthorityCertificatePath"/>
    public string? AuthorityCertificatePath => server.AuthorityCertificatePath;

    /// <inheritdoc cref="PgEmbeddedServer.ClientCertificatePath"/>
    public string? ClientCertificatePath => server.ClientCertificatePath;

    /// <inheritdoc cref="PgEmbeddedServer.ClientKeyPath"/>
    public string? ClientKeyPath => server.ClientKeyPath;
}
