using Loxo.Commands;

namespace Loxo;

/// <summary>
/// Creates, opens and deletes large objects: values of up to 4 TB that are read and written in parts, at any position. They are opened,
/// read and written in a transaction.
/// </summary>
/// <exception cref="InvalidOperationException">Any member that talks to the server: the connection is not open.</exception>
/// <exception cref="PgException">Any member that talks to the server: it refused, another command runs, or the network failed.</exception>
public class PgLargeObjectManager
{
    /// <summary>A manager of the large objects of a connection's database.</summary>
    /// <param name="connection">Open when the manager is used.</param>
    public PgLargeObjectManager(PgConnection connection)
    {
        ArgumentNullException.ThrowIfNull(connection);
        Functions = new LargeObjectFunctions(connection);
    }

    /// <summary>How many bytes a round trip reads or writes at most. The default is 4 MiB.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is not positive, or more than 512 MiB.</exception>
    public int MaxTransferBlockSize
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegativeOrZero(value);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 512 * 1024 * 1024);
            field = value;
        }
    } = 4 * 1024 * 1024;

    /// <summary>True: every server that Loxo works with has large objects of more than 2 GB.</summary>
    public bool Has64BitSupport => true;

    internal LargeObjectFunctions Functions { get; }

    /// <summary>Creates an empty large object.</summary>
    /// <param name="preferredOid">Its OID; 0 for one that is free.</param>
    /// <returns>The OID.</returns>
    /// <exception cref="PostgresException">There is a large object of that OID.</exception>
    public uint Create(uint preferredOid = 0) => Functions.Call<uint>("lo_create", Arg.Oid(preferredOid));

    /// <inheritdoc cref="Create"/>
    public Task<uint> CreateAsync(uint preferredOid, CancellationToken cancellationToken = default) =>
        Functions.CallAsync<uint>("lo_create", cancellationToken, Arg.Oid(preferredOid));

    /// <summary>Opens a large object for reading, as it is now: later changes are not seen.</summary>
    /// <param name="oid">Its OID.</param>
    /// <exception cref="PostgresException">There is none of that OID.</exception>
    /// <exception cref="InvalidOperationException">No transaction is in progress.</exception>
    public PgLargeObjectStream OpenRead(uint oid) => Opened(Functions.Open(oid, LargeObjectFunctions.Read), canWrite: false);

    /// <inheritdoc cref="OpenRead"/>
    public async Task<PgLargeObjectStream> OpenReadAsync(uint oid, CancellationToken cancellationToken = default) =>
        Opened(await Functions.OpenAsync(oid, LargeObjectFunctions.Read, cancellationToken).ConfigureAwait(false), canWrite: false);

    /// <summary>Opens a large object for reading and writing.</summary>
    /// <inheritdoc cref="OpenRead"/>
    public PgLargeObjectStream OpenReadWrite(uint oid) => Opened(Functions.Open(oid, LargeObjectFunctions.ReadWrite), canWrite: true);

    /// <inheritdoc cref="OpenReadWrite"/>
    public async Task<PgLargeObjectStream> OpenReadWriteAsync(uint oid, CancellationToken cancellationToken = default) =>
        Opened(await Functions.OpenAsync(oid, LargeObjectFunctions.ReadWrite, cancellationToken).ConfigureAwait(false), canWrite: true);

    /// <summary>Deletes a large object.</summary>
    /// <param name="oid">Its OID.</param>
    /// <exception cref="PostgresException">There is none of that OID.</exception>
    public void Unlink(uint oid) => Functions.Call<int>("lo_unlink", Arg.Oid(oid));

    /// <inheritdoc cref="Unlink"/>
    public Task UnlinkAsync(uint oid, CancellationToken cancellationToken = default) =>
        Functions.CallAsync<int>("lo_unlink", cancellationToken, Arg.Oid(oid));

    /// <summary>Makes a large object of a file on the server's machine. The user needs the right to read such files.</summary>
    /// <param name="path">The file, as the server names it.</param>
    /// <param name="oid">The OID of the large object; 0 for one that is free.</param>
    /// <returns>The OID.</returns>
    /// <exception cref="ArgumentNullException">The path is null.</exception>
    public uint ImportRemote(string path, uint oid = 0)
    {
        ArgumentNullException.ThrowIfNull(path);
        return oid == 0
            ? Functions.Call<uint>("lo_import", Arg.Text(path))
            : Functions.Call<uint>("lo_import", Arg.Text(path), Arg.Oid(oid));
    }

    /// <inheritdoc cref="ImportRemote"/>
    public Task<uint> ImportRemoteAsync(string path, uint oid, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(path);
        return oid == 0
            ? Functions.CallAsync<uint>("lo_import", cancellationToken, Arg.Text(path))
            : Functions.CallAsync<uint>("lo_import", cancellationToken, Arg.Text(path), Arg.Oid(oid));
    }

    /// <summary>Writes a large object to a file on the server's machine. The user needs the right to write such files.</summary>
    /// <param name="oid">Its OID.</param>
    /// <param name="path">The file, as the server names it.</param>
    /// <exception cref="ArgumentNullException">The path is null.</exception>
    public void ExportRemote(uint oid, string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        Functions.Call<int>("lo_export", Arg.Oid(oid), Arg.Text(path));
    }

    /// <inheritdoc cref="ExportRemote"/>
    public Task ExportRemoteAsync(uint oid, string path, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(path);
        return Functions.CallAsync<int>("lo_export", cancellationToken, Arg.Oid(oid), Arg.Text(path));
    }

    private PgLargeObjectStream Opened(int descriptor, bool canWrite) => new(this, descriptor, canWrite);
}
