using System.Collections;
using System.Collections.ObjectModel;
using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;
using Loxo.Pooling.Data;

namespace Loxo.Pooling;

/// <summary>
/// Reads the results of a <see cref="PooledCommand"/> or <see cref="PooledBatch"/>. It is closed with its connection at the latest, and
/// then throws <see cref="InvalidOperationException"/>, even if the provider reuses its reader.
/// </summary>
public sealed class PooledDataReader : DbDataReader, IDbColumnSchemaGenerator
{
    private const DynamicallyAccessedMemberTypes FieldMembers =
        DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.PublicProperties;

    private readonly PooledConnection _connection;
    private readonly PhysicalConnection _physical;
    private readonly Handle<DbDataReader> _inner;
    private readonly bool _closesConnection;
    private int _recordsAffected = -1;

    internal PooledDataReader(Execution call, DbDataReader inner, CommandBehavior behavior)
    {
        (_connection, _physical, _inner) = (call.Connection, call.Physical, new Handle<DbDataReader>(inner));
        _closesConnection = behavior.HasFlag(CommandBehavior.CloseConnection);
        _physical.Add(_inner);
    }

    /// <summary>The provider's reader, for its own members. Do not close or keep it.</summary>
    /// <exception cref="InvalidOperationException">The reader is closed.</exception>
    public DbDataReader InnerReader => _inner.Target ?? throw new InvalidOperationException("The reader is closed, or its connection was.");

    /// <inheritdoc/>
    public override int Depth => InnerReader.Depth;

    /// <inheritdoc/>
    public override int FieldCount => InnerReader.FieldCount;

    /// <inheritdoc/>
    public override int VisibleFieldCount => InnerReader.VisibleFieldCount;

    /// <inheritdoc/>
    public override bool HasRows => InnerReader.HasRows;

    /// <inheritdoc/>
    public override bool IsClosed => _inner.Target?.IsClosed ?? true;

    /// <summary>How many rows were changed; -1 if unknown, and if the reader was closed by its connection.</summary>
    public override int RecordsAffected => _inner.Target?.RecordsAffected ?? _recordsAffected;

    /// <inheritdoc/>
    public override object this[int ordinal] => InnerReader[ordinal];

    /// <inheritdoc/>
    public override object this[string name] => InnerReader[name];

    /// <inheritdoc/>
    public override bool Read()
    {
        var result = InnerReader.Read();
        GC.KeepAlive(this);
        return result;
    }

    /// <inheritdoc/>
    public override Task<bool> ReadAsync(CancellationToken cancellationToken) => Holding(InnerReader.ReadAsync(cancellationToken));

    /// <inheritdoc/>
    public override bool NextResult()
    {
        var result = InnerReader.NextResult();
        GC.KeepAlive(this);
        return result;
    }

    /// <inheritdoc/>
    public override Task<bool> NextResultAsync(CancellationToken cancellationToken) =>
        Holding(InnerReader.NextResultAsync(cancellationToken));

    /// <inheritdoc/>
    public override void Close()
    {
        if (_inner.Take() is not { } inner)
            return;
        try
        {
            using var call = new Execution(_connection, _physical);
            inner.Close();
            _recordsAffected = inner.RecordsAffected;
            inner.Dispose();
        }
        catch
        {
            // The provider's connection may still have an open reader.
            _physical.Spoil();
            throw;
        }
        finally
        {
            _physical.Remove(_inner);
            if (_closesConnection)
                _connection.Close();
        }
    }

    /// <inheritdoc/>
    public override async Task CloseAsync()
    {
        if (_inner.Take() is not { } inner)
            return;
        try
        {
            using var call = new Execution(_connection, _physical);
            await inner.CloseAsync().ConfigureAwait(false);
            _recordsAffected = inner.RecordsAffected;
            await inner.DisposeAsync().ConfigureAwait(false);
        }
        catch
        {
            // The provider's connection may still have an open reader.
            _physical.Spoil();
            throw;
        }
        finally
        {
            _physical.Remove(_inner);
            if (_closesConnection)
                await _connection.CloseAsync().ConfigureAwait(false);
        }
    }

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        await CloseAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override bool GetBoolean(int ordinal) => InnerReader.GetBoolean(ordinal);

    /// <inheritdoc/>
    public override byte GetByte(int ordinal) => InnerReader.GetByte(ordinal);

    /// <inheritdoc/>
    public override long GetBytes(int ordinal, long dataOffset, byte[]? buffer, int bufferOffset, int length) =>
        InnerReader.GetBytes(ordinal, dataOffset, buffer, bufferOffset, length);

    /// <inheritdoc/>
    public override char GetChar(int ordinal) => InnerReader.GetChar(ordinal);

    /// <inheritdoc/>
    public override long GetChars(int ordinal, long dataOffset, char[]? buffer, int bufferOffset, int length) =>
        InnerReader.GetChars(ordinal, dataOffset, buffer, bufferOffset, length);

    /// <inheritdoc/>
    public override string GetDataTypeName(int ordinal) => InnerReader.GetDataTypeName(ordinal);

    /// <inheritdoc/>
    public override DateTime GetDateTime(int ordinal) => InnerReader.GetDateTime(ordinal);

    /// <inheritdoc/>
    public override decimal GetDecimal(int ordinal) => InnerReader.GetDecimal(ordinal);

    /// <inheritdoc/>
    public override double GetDouble(int ordinal) => InnerReader.GetDouble(ordinal);

    /// <inheritdoc/>
    public override IEnumerator GetEnumerator() => new DbEnumerator(this);

    /// <inheritdoc/>
    [return: DynamicallyAccessedMembers(FieldMembers)]
    public override Type GetFieldType(int ordinal) => InnerReader.GetFieldType(ordinal);

    /// <inheritdoc/>
    public override T GetFieldValue<T>(int ordinal) => InnerReader.GetFieldValue<T>(ordinal);

    /// <inheritdoc/>
    public override Task<T> GetFieldValueAsync<T>(int ordinal, CancellationToken cancellationToken) =>
        Holding(InnerReader.GetFieldValueAsync<T>(ordinal, cancellationToken));

    /// <inheritdoc/>
    public override float GetFloat(int ordinal) => InnerReader.GetFloat(ordinal);

    /// <inheritdoc/>
    public override Guid GetGuid(int ordinal) => InnerReader.GetGuid(ordinal);

    /// <inheritdoc/>
    public override short GetInt16(int ordinal) => InnerReader.GetInt16(ordinal);

    /// <inheritdoc/>
    public override int GetInt32(int ordinal) => InnerReader.GetInt32(ordinal);

    /// <inheritdoc/>
    public override long GetInt64(int ordinal) => InnerReader.GetInt64(ordinal);

    /// <inheritdoc/>
    public override string GetName(int ordinal) => InnerReader.GetName(ordinal);

    /// <inheritdoc/>
    public override int GetOrdinal(string name) => InnerReader.GetOrdinal(name);

    /// <inheritdoc/>
    [return: DynamicallyAccessedMembers(FieldMembers)]
    public override Type GetProviderSpecificFieldType(int ordinal) => InnerReader.GetProviderSpecificFieldType(ordinal);

    /// <inheritdoc/>
    public override object GetProviderSpecificValue(int ordinal) => InnerReader.GetProviderSpecificValue(ordinal);

    /// <inheritdoc/>
    public override int GetProviderSpecificValues(object[] values) => InnerReader.GetProviderSpecificValues(values);

    /// <inheritdoc/>
    public override Stream GetStream(int ordinal) => InnerReader.GetStream(ordinal);

    /// <inheritdoc/>
    public override string GetString(int ordinal) => InnerReader.GetString(ordinal);

    /// <inheritdoc/>
    public override TextReader GetTextReader(int ordinal) => InnerReader.GetTextReader(ordinal);

    /// <inheritdoc/>
    public override object GetValue(int ordinal) => InnerReader.GetValue(ordinal);

    /// <inheritdoc/>
    public override int GetValues(object[] values) => InnerReader.GetValues(values);

    /// <inheritdoc/>
    public override bool IsDBNull(int ordinal) => InnerReader.IsDBNull(ordinal);

    /// <inheritdoc/>
    public override Task<bool> IsDBNullAsync(int ordinal, CancellationToken cancellationToken) =>
        Holding(InnerReader.IsDBNullAsync(ordinal, cancellationToken));

    /// <inheritdoc/>
    public override DataTable? GetSchemaTable() => InnerReader.GetSchemaTable();

    /// <inheritdoc/>
    public override Task<DataTable?> GetSchemaTableAsync(CancellationToken cancellationToken = default) =>
        Holding(InnerReader.GetSchemaTableAsync(cancellationToken));

    /// <summary>The provider's description of the columns.</summary>
    public ReadOnlyCollection<DbColumn> GetColumnSchema() => InnerReader.GetColumnSchema();

    /// <inheritdoc/>
    public override Task<ReadOnlyCollection<DbColumn>> GetColumnSchemaAsync(CancellationToken cancellationToken = default) =>
        Holding(InnerReader.GetColumnSchemaAsync(cancellationToken));

    /// <inheritdoc/>
    protected override DbDataReader GetDbDataReader(int ordinal) => InnerReader.GetData(ordinal);

    // Keeps the wrappers reachable while the provider reads, so that the connection does not look abandoned.
    private Task<T> Holding<T>(Task<T> task)
    {
        return task.IsCompleted ? task : Wait();

        async Task<T> Wait()
        {
            var result = await task.ConfigureAwait(false);
            GC.KeepAlive(this);
            return result;
        }
    }
}
