using System.Data;

namespace Loxo.IntegrationTests.Tls;

/// <summary>A test on the server with changing certificates. Each begins with the good certificate, and has a folder for its files.</summary>
public abstract class TlsTest(WaitMode mode)
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("loxo-tls-");

    private bool _hasOther;

    private protected WaitMode Mode { get; } = mode;

    private protected static CertificateServer Server => CertificateServer.Shared;

    private protected static TestAuthority Authority => CertificateServer.Authority;

    [TearDown]
    public void ShowTheGoodCertificate()
    {
        Server.Switch(true);
        if (_hasOther)
            Server.Use(CertificateServer.Good, Authority);
        _hasOther = false;
    }

    [OneTimeTearDown]
    public void RemoveFolder() => _folder.Delete(recursive: true);

    private protected void Show(System.Security.Cryptography.X509Certificates.X509Certificate2 certificate, TestAuthority? authority = null)
    {
        _hasOther = true;
        Server.Use(certificate, authority);
    }

    /// <summary>Writes a file that its owner alone may read.</summary>
    private protected string Write(string text) => Write(System.Text.Encoding.UTF8.GetBytes(text));

    private protected string Write(byte[] bytes, UnixFileMode access = UnixFileMode.UserRead | UnixFileMode.UserWrite)
    {
        var path = Path.Combine(_folder.FullName, Guid.NewGuid().ToString("N"));
        File.WriteAllBytes(path, bytes);
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(path, access);
        return path;
    }

    /// <summary>A folder of the test's own.</summary>
    private protected string Folder() => _folder.CreateSubdirectory(Guid.NewGuid().ToString("N")).FullName;

    private protected static PgDataSourceBuilder Builder(string settings) => new($"{Server.Settings};Pooling=false;{settings}");

    /// <summary>Opens a connection and closes it: whether it was encrypted, by the server's word.</summary>
    private protected Task<bool> Encrypts(string settings) => Encrypts(Builder(settings));

    private protected async Task<bool> Encrypts(PgDataSourceBuilder builder)
    {
        await using var source = builder.Build();
        return await Encrypts(source);
    }

    private protected async Task<bool> Encrypts(PgDataSource source)
    {
        await using var connection = source.CreateConnection();
        await Mode.Open(connection);
        await using var command = new PgCommand("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", connection);
        var encrypted = (bool)(await Mode.ExecuteScalar(command))!;
        Assert.That(connection.IsSslEncrypted, Is.EqualTo(encrypted));
        return encrypted;
    }

    private protected Task<PgException> Refused(string settings) => Refused(Builder(settings));

    private protected async Task<PgException> Refused(PgDataSourceBuilder builder)
    {
        await using var source = builder.Build();
        return await Refused(source);
    }

    private protected Task<PgException> Refused(PgDataSource source) => Refused<PgException>(source);

    private protected async Task<T> Refused<T>(PgDataSource source)
        where T : Exception
    {
        await using var connection = source.CreateConnection();
        try
        {
            await Mode.Open(connection);
        }
        catch (T error)
        {
            Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
            return error;
        }
        throw new AssertionException("The connection should have been refused.");
    }
}
