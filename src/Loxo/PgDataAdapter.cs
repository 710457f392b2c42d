using System.ComponentModel;
using System.Data;
using System.Data.Common;

namespace Loxo;

/// <summary>Handles <see cref="PgDataAdapter.RowUpdating"/>.</summary>
public delegate void PgRowUpdatingEventHandler(object sender, PgRowUpdatingEventArgs e);

/// <summary>Handles <see cref="PgDataAdapter.RowUpdated"/>.</summary>
public delegate void PgRowUpdatedEventHandler(object sender, PgRowUpdatedEventArgs e);

/// <summary>Fills a <see cref="DataTable"/> or <see cref="DataSet"/> from a query, and writes its changes back.</summary>
[DesignerCategory("")]
public sealed class PgDataAdapter : DbDataAdapter
{
    private PgBatch? _batch;
    private int _batchSize = 1;

    /// <summary>An adapter without commands.</summary>
    public PgDataAdapter()
    {
    }

    /// <summary>An adapter of a query.</summary>
    /// <param name="selectCommand">The query.</param>
    public PgDataAdapter(PgCommand selectCommand) => SelectCommand = selectCommand;

    /// <summary>An adapter of a query.</summary>
    /// <param name="selectCommandText">The SQL.</param>
    /// <param name="selectConnection">Where it runs; it is opened for each call, and closed again, unless it is open.</param>
    public PgDataAdapter(string selectCommandText, PgConnection selectConnection)
        : this(new PgCommand(selectCommandText, selectConnection))
    {
    }

    /// <summary>An adapter of a query, with a connection of its own.</summary>
    /// <param name="selectCommandText">The SQL.</param>
    /// <param name="selectConnectionString">Where and how to connect.</param>
    /// <exception cref="ArgumentException">The connection string is malformed.</exception>
    public PgDataAdapter(string selectCommandText, string selectConnectionString)
        : this(selectCommandText, new PgConnection(selectConnectionString))
    {
    }

    /// <summary>Raised after each row has been written, or, with <see cref="UpdateBatchSize"/>, each batch of them.</summary>
    public event PgRowUpdatedEventHandler? RowUpdated;

    /// <summary>Raised before each row is written.</summary>
    public event PgRowUpdatingEventHandler? RowUpdating;

    /// <summary>The query that fills.</summary>
    public new PgCommand? SelectCommand
    {
        get => (PgCommand?)base.SelectCommand;
        set => base.SelectCommand = value;
    }

    /// <summary>The command that inserts a new row.</summary>
    public new PgCommand? InsertCommand
    {
        get => (PgCommand?)base.InsertCommand;
        set => base.InsertCommand = value;
    }

    /// <summary>The command that updates a changed row.</summary>
    public new PgCommand? UpdateCommand
    {
        get => (PgCommand?)base.UpdateCommand;
        set => base.UpdateCommand = value;
    }

    /// <summary>The command that deletes a row.</summary>
    public new PgCommand? DeleteCommand
    {
        get => (PgCommand?)base.DeleteCommand;
        set => base.DeleteCommand = value;
    }

    /// <summary>
    /// How many rows are sent at once: 1, the default, sends each by itself; 0 sends all. Outside a transaction a batch is one: if a row
    /// fails, none of its batch is written. Above 1, commands cannot return values to their row (UpdatedRowSource: None).
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    public override int UpdateBatchSize
    {
        get => _batchSize;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            _batchSize = value;
        }
    }

    /// <inheritdoc/>
    protected override RowUpdatedEventArgs CreateRowUpdatedEvent(
        DataRow dataRow, IDbCommand? command, System.Data.StatementType statementType, DataTableMapping tableMapping) =>
        new PgRowUpdatedEventArgs(dataRow, command, statementType, tableMapping);

    /// <inheritdoc/>
    protected override RowUpdatingEventArgs CreateRowUpdatingEvent(
        DataRow dataRow, IDbCommand? command, System.Data.StatementType statementType, DataTableMapping tableMapping) =>
        new PgRowUpdatingEventArgs(dataRow, command, statementType, tableMapping);

    /// <inheritdoc/>
    protected override void OnRowUpdated(RowUpdatedEventArgs value)
    {
        if (value is PgRowUpdatedEventArgs args)
            RowUpdated?.Invoke(this, args);
    }

    /// <inheritdoc/>
    protected override void OnRowUpdating(RowUpdatingEventArgs value)
    {
        if (value is PgRowUpdatingEventArgs args)
            RowUpdating?.Invoke(this, args);
    }

    /// <inheritdoc/>
    protected override void InitializeBatching() => _batch = new PgBatch();

    /// <inheritdoc/>
    protected override int AddToBatch(IDbCommand command)
    {
        var (batch, source) = (_batch!, (PgCommand)command);
        batch.Connection ??= source.Connection;
        batch.Timeout = source.CommandTimeout;
        var copy = new PgBatchCommand(source.CommandText) { CommandType = source.CommandType };
        foreach (var parameter in source.Parameters.ToArray())
            copy.Parameters.Add(parameter.Clone());
        batch.BatchCommands.Add(copy);
        return batch.BatchCommands.Count - 1;
    }

    /// <inheritdoc/>
    protected override int ExecuteBatch() => _batch!.ExecuteNonQuery();

    /// <inheritdoc/>
    protected override void ClearBatch() => _batch!.BatchCommands.Clear();

    /// <inheritdoc/>
    protected override void TerminateBatching()
    {
        _batch?.Dispose();
        _batch = null;
    }

    /// <inheritdoc/>
    protected override IDataParameter GetBatchedParameter(int commandIdentifier, int parameterIndex) =>
        _batch!.BatchCommands[commandIdentifier].Parameters[parameterIndex];

    /// <inheritdoc/>
    protected override bool GetBatchedRecordsAffected(int commandIdentifier, out int recordsAffected, out Exception? error)
    {
        recordsAffected = _batch!.BatchCommands[commandIdentifier].RecordsAffected;
        error = null;
        return true;
    }
}

/// <summary>The row that <see cref="PgDataAdapter"/> is about to write, and the command that will.</summary>
/// <param name="dataRow">The row.</param>
/// <param name="command">The command; a handler may replace it.</param>
/// <param name="statementType">Insert, Update or Delete.</param>
/// <param name="tableMapping">How columns of the table and of the DataTable correspond.</param>
public class PgRowUpdatingEventArgs(
    DataRow dataRow, IDbCommand? command, System.Data.StatementType statementType, DataTableMapping tableMapping)
    : RowUpdatingEventArgs(dataRow, command, statementType, tableMapping);

/// <summary>The row that <see cref="PgDataAdapter"/> has written or failed to write.</summary>
/// <param name="dataRow">The row.</param>
/// <param name="command">The command that ran.</param>
/// <param name="statementType">Insert, Update, Delete, or Batch.</param>
/// <param name="tableMapping">How columns of the table and of the DataTable correspond.</param>
public class PgRowUpdatedEventArgs(
    DataRow dataRow, IDbCommand? command, System.Data.StatementType statementType, DataTableMapping tableMapping)
    : RowUpdatedEventArgs(dataRow, command, statementType, tableMapping);
