using Loxo.Embedded.Binaries;
using Loxo.Embedded.Configuration;
using Loxo.Embedded.Processes;
using Loxo.Embedded.Storage;

namespace Loxo.Embedded;

/// <summary>The way from options to a running server, step by step.</summary>
internal sealed class ServerLauncher(PgEmbeddedServerOptions options)
{
    private const int PortAttempts = 10;

    public PgEmbeddedServer Launch(CancellationToken token)
    {
        OptionsValidation.Check(options);
        var user = ServerUser.Find();
        var cache = CacheDirectory.Prepare(options, user);
        cache.Sweep();
        var binaries = new BinaryLocator(options, cache).Locate(token);

        var workspace = cache.RentForServer();
        try
        {
            return Launch(cache, binaries, workspace, token);
        }
        catch (Exception error)
        {
            workspace.Dispose();
            if (error is IOException or UnauthorizedAccessException)
                throw new PgEmbeddedServerException($"The data directory in '{workspace.Directory}' could not be prepared: {error.Message}",
                    error);
            throw;
        }
    }

    private PgEmbeddedServer Launch(CacheDirectory cache, PgBinaries binaries, Workspace workspace, CancellationToken token)
    {
        var user = cache.User;
        user?.Own(workspace.Directory);
        new DataTemplate(cache, binaries, options).CopyTo(workspace, token);
        var certificates = options.Tls is null ? null : ServerCertificates.Write(Path.Combine(workspace.Directory, "tls"), options, user);
        ServerFiles.WriteHba(workspace.DataDirectory, options);
        ServerFiles.AppendSettings(workspace.DataDirectory,
            [.. certificates?.Settings ?? [], .. ServerFiles.SettingsFor(options, workspace.Directory)]);

        var postmaster = new Postmaster(binaries, workspace, user, options.StartTimeout);
        var port = StartOnFreePort(postmaster, workspace, token);
        options.Log?.Invoke($"PostgreSQL {binaries.Version} listens on port {port}");
        return new PgEmbeddedServer(new ServerParts(options, binaries, workspace, postmaster, certificates), port);
    }

    // Between our look at a port and the server's bind, somebody else may take it.
    private int StartOnFreePort(Postmaster postmaster, Workspace workspace, CancellationToken token)
    {
        for (var attempt = 0; attempt < PortAttempts; attempt++)
        {
            var port = options.Port == 0 ? PortChooser.Choose() : options.Port;
            ServerFiles.AppendSettings(workspace.DataDirectory, [new("port", $"{port}")]);
            if (postmaster.TryStart(token))
                return port;
            if (options.Port != 0)
                throw new PgEmbeddedServerException(
                    $"PgEmbeddedServerOptions.Port {port} is in use by another program. Name a free one, or 0 for any.");
        }
        throw new PgEmbeddedServerException($"{PortAttempts} ports that were free a moment before were taken when the server wanted to "
            + "listen on them. Name one with PgEmbeddedServerOptions.Port.");
    }
}

/// <summary>What a running server consists of.</summary>
internal sealed record ServerParts(
    PgEmbeddedServerOptions Options, PgBinaries Binaries, Workspace Workspace, Postmaster Postmaster, ServerCertificates? Certificates);
