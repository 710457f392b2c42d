using System.Data;
using Loxo.Commands;
using Loxo.Parameters;

namespace Loxo;

/// <summary>
/// Sends commands without waiting for the results of those before them: ten commands cost one round trip instead of ten. Made by
/// <see cref="PgConnection.CreatePipeline"/>; until it is disposed, the connection runs no other command.
/// </summary>
/// <remarks>
/// <para>
/// Adding a command encodes its parameters and waits for nothing. A command whose type has to be looked up first, and all behind it, are
/// sent by the next caller that waits for a result; so is what is added soon after a cancellation. Arrays, lists and the like are copied
/// then; objects of other types are not. The same <see cref="PgCommand"/> may be changed and added again. Each command has a result of
/// its own, which is taken in any order and by any thread or task; a result that is needed later is kept in memory until then. More
/// commands may be added after results have been taken.
/// </para>
/// <para>
/// <see cref="Sync"/> ends a group. Outside a transaction block a group is a transaction of its own (manual, "Pipelining"): its first
/// error undoes the group, and the results of the commands behind it throw a <see cref="PgException"/> with
/// <see cref="PgErrorCode.PipelineAborted"/>. The next group runs, and the connection can be used. <see cref="Dispose"/> ends the last
/// group.
/// </para>
/// </remarks>
/// <exception cref="ObjectDisposedException">Any member that adds or sends: the pipeline is disposed.</exception>
/// <exception cref="PgOperationInProgressException">
/// Any member: a handler of <see cref="PgConnection.Notice"/> or <see cref="PgConnection.Notification"/> calls it.
/// </exception>
public sealed class PgPipeline : IDisposable, IAsyncDisposable
{
    private readonly PgConnection _connection;

    internal PgPipeline(PgConnection connection)
    {
        _connection = connection;
        Queue = new PipelineQueue(connection);
    }

    internal PipelineQueue Queue { get; }

    /// <summary>Adds a command that is run for its effects.</summary>
    /// <param name="command">Its connection does not matter; its <see cref="PgCommand.CommandTimeout"/> limits each wait.</param>
    /// <returns>The rows inserted, updated, deleted, merged, copied or moved; -1 when no statement was of these kinds.</returns>
    /// <exception cref="InvalidOperationException">
    /// Nothing was added: the pipeline is disposed; the command has no text, output parameters or a <see cref="PgCommand.FetchSize"/>; a
    /// parameter has no value; the text mixes <c>$1</c> with <c>@name</c>; or more than 64 MiB have been added that have not been sent,
    /// because no result is taken.
    /// </exception>
    /// <exception cref="InvalidCastException">The .NET type of a parameter's value does not fit. Nothing was added.</exception>
    /// <exception cref="OverflowException">A parameter's value is out of range. Nothing was added.</exception>
    /// <exception cref="ArgumentException">
    /// Some parameters have names and others have none, or a value is of the wrong kind, such as a local <see cref="DateTime"/> for
    /// timestamptz. Nothing was added.
    /// </exception>
    /// <exception cref="PgException">
    /// A parameter cannot be sent (<see cref="PgErrorCode.ParameterInvalid"/>), or the connection is broken. Nothing was added.
    /// </exception>
    public PgPipelineResult<int> AddNonQuery(PgCommand command) => Add(new PipelinedNonQuery(this, command));

    /// <summary>Adds a text without parameters that is run for its effects.</summary>
    /// <inheritdoc cref="AddNonQuery(PgCommand)"/>
    /// <exception cref="ArgumentException">The text is not valid UTF-16.</exception>
    public PgPipelineResult<int> AddNonQuery(string commandText) => AddNonQuery(new PgCommand(commandText, _connection));

    /// <summary>Adds a command of which the first column of the first row is wanted.</summary>
    /// <returns>The value; null when there is no row, <see cref="DBNull.Value"/> for NULL.</returns>
    /// <inheritdoc cref="AddNonQuery(PgCommand)"/>
    public PgPipelineResult<object?> AddScalar(PgCommand command) => Add(new PipelinedScalar(this, command));

    /// <summary>Adds a command of which the first column of the first row is wanted as <typeparamref name="T"/>.</summary>
    /// <typeparam name="T">A type that <see cref="PgDataReader.GetFieldValue{T}"/> reads the column as.</typeparam>
    /// <returns>
    /// The value; the default of <typeparamref name="T"/> when there is no row. NULL is an <see cref="InvalidCastException"/> unless
    /// <typeparamref name="T"/> is nullable.
    /// </returns>
    /// <inheritdoc cref="AddNonQuery(PgCommand)"/>
    public PgPipelineResult<T?> AddScalar<T>(PgCommand command) => Add(new PipelinedScalar<T>(this, command));

    /// <summary>
    /// Adds a command whose rows are read. Rows that arrive before they are read are kept: up to 1 MiB once the reader has been taken,
    /// all of them before that.
    /// </summary>
    /// <param name="command">As for <see cref="AddNonQuery(PgCommand)"/>.</param>
    /// <param name="behavior">
    /// As for <see cref="PgCommand.ExecuteReader(CommandBehavior)"/>, without CloseConnection and SchemaOnly. SequentialAccess reads rows
    /// whole.
    /// </param>
    /// <returns>The reader. Dispose it, or read it to its end, to learn of errors behind its rows.</returns>
    /// <inheritdoc cref="AddNonQuery(PgCommand)"/>
    /// <exception cref="ArgumentException">The behavior has CloseConnection or SchemaOnly, or does not exist.</exception>
    public PgPipelineResult<PgDataReader> AddReader(PgCommand command, CommandBehavior behavior = CommandBehavior.Default)
    {
        DefinedValue.Check(behavior);
        return (behavior & (CommandBehavior.CloseConnection | CommandBehavior.SchemaOnly)) == 0
            ? Add(new PipelinedReader(this, command, behavior))
            : throw new ArgumentException("A pipeline does not support CloseConnection and SchemaOnly.", nameof(behavior));
    }

    /// <summary>
    /// Adds COMMIT, ends the group and sends what has been added, without waiting. A whole transaction takes one round trip:
    /// <see cref="PgConnection.BeginTransaction()"/> sends BEGIN with the first command of the pipeline.
    /// </summary>
    /// <returns>
    /// Throws a <see cref="PgException"/>: <see cref="PgErrorCode.PipelineAborted"/> if a command of the group has failed, so that the
    /// transaction is open and has to be rolled back; <see cref="PgErrorCode.TransactionRolledBack"/> if one of an earlier group had
    /// failed, so that the server has rolled back instead; <see cref="PgErrorCode.CommitOutcomeUnknown"/> if the answer does not come.
    /// </returns>
    public PgPipelineResult AddCommit()
    {
        var commit = Add(new PipelinedCommit(this, new PgCommand("COMMIT", _connection)));
        Sync();
        return commit;
    }

    /// <summary>Ends the group and sends what has been added, without waiting.</summary>
    /// <returns>
    /// The end of the group: its transaction has been committed unless a transaction block is open. Throws the first error of the group.
    /// </returns>
    public PgPipelineResult Sync() => Add(new PipelinedSync(this));

    /// <summary>
    /// Sends what has been added and asks the server for the results so far, without waiting and without ending the group. Taking a result
    /// does the same where it is necessary.
    /// </summary>
    public void Flush() => Queue.Flush();

    /// <summary>
    /// Ends the last group and waits until the server has run everything. When nothing has come for the connection's
    /// <c>Command Timeout</c>, it asks the server to stop. Results that were not taken are skipped, their errors included: take
    /// <see cref="Sync"/> first to learn of these.
    /// </summary>
    public void Dispose()
    {
        if (Queue.TryBeginEnd())
            Queue.End();
    }

    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync() => Queue.TryBeginEnd() ? Queue.EndAsync() : default;

    private T Add<T>(T result)
        where T : PgPipelineResult
    {
        Queue.Add(result);
        return result;
    }
}
