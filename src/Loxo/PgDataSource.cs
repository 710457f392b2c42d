using System.Data.Common;
using Loxo.Session;
using Loxo.Settings;
using Loxo.Sql;
using Loxo.Transport;
using Loxo.Types;

namespace Loxo;

/// <summary>Everything that connections to one database share. Make one and keep it; it is safe for concurrent use.</summary>
public sealed class PgDataSource : DbDataSource
{
    private readonly SessionContext _context;
    private volatile bool _isDisposed;

    internal PgDataSource(ConnectionSettings settings, Dialer? dialer = null, TimeProvider? time = null)
    {
        Settings = settings;
        var clock = time ?? TimeProvider.System;
        _context = new SessionContext(settings.Transport, settings.Session, dialer ?? new SocketDialer(clock), clock, TypeCatalog.BuiltIn);
    }

    /// <summary>As given, without the password unless <c>Persist Security Info=true</c>.</summary>
    public override string ConnectionString => Settings.PersistSecurityInfo ? Settings.ConnectionString : Settings.ConnectionStringWithoutPassword;

    internal ConnectionSettings Settings { get; }

    internal SqlTextCache SqlTexts { get; } = new();

    internal TimeSpan DefaultCommandTimeout => Settings.Session.CommandTimeout;

    /// <summary>A data source.</summary>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI.</param>
    /// <exception cref="ArgumentException">It is malformed.</exception>
    public static PgDataSource Create(string connectionString) => new PgDataSourceBuilder(connectionString).Build();

    /// <summary>A data source.</summary>
    /// <param name="connectionStringBuilder">What the connection string says; later changes have no effect.</param>
    public static PgDataSource Create(PgConnectionStringBuilder connectionStringBuilder)
    {
        ArgumentNullException.ThrowIfNull(connectionStringBuilder);
        return Create(connectionStringBuilder.ConnectionString);
    }

    /// <summary>A connection, not yet open.</summary>
    public new PgConnection CreateConnection() => new(Checked());

    /// <summary>An open connection.</summary>
    public new PgConnection OpenConnection()
    {
        var connection = CreateConnection();
        try
        {
            connection.Open();
            return connection;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    /// <inheritdoc cref="OpenConnection"/>
    public new async ValueTask<PgConnection> OpenConnectionAsync(CancellationToken cancellationToken = default)
    {
        var connection = CreateConnection();
        try
        {
            await connection.OpenAsync(cancellationToken).ConfigureAwait(false);
            return connection;
        }
        catch
        {
            await connection.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>A command that opens a connection each time it runs, and closes it with its reader. It cannot be prepared.</summary>
    /// <param name="commandText">The SQL; null for none yet.</param>
    public new PgCommand CreateCommand(string? commandText = null) => new(commandText, Checked());

    internal ServerSession OpenSession() => SessionOpener.Open(Checked()._context);

    internal ValueTask<ServerSession> OpenSessionAsync(CancellationToken token) => SessionOpener.OpenAsync(Checked()._context, token);

    /// <inheritdoc/>
    protected override DbConnection CreateDbConnection() => CreateConnection();

    /// <inheritdoc/>
    protected override DbConnection OpenDbConnection() => OpenConnection();

    /// <inheritdoc/>
    protected override async ValueTask<DbConnection> OpenDbConnectionAsync(CancellationToken cancellationToken = default) =>
        await OpenConnectionAsync(cancellationToken).ConfigureAwait(false);

    /// <inheritdoc/>
    protected override DbCommand CreateDbCommand(string? commandText = null) => CreateCommand(commandText);

    /// <inheritdoc/>
    protected override void Dispose(bool disposing) => _isDisposed = true;

    /// <inheritdoc/>
    protected override ValueTask DisposeAsyncCore()
    {
        _isDisposed = true;
        return default;
    }

    private PgDataSource Checked()
    {
        ObjectDisposedException.ThrowIf(_isDisposed, this);
        return this;
    }
}
