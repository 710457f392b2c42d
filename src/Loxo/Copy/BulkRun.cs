using System.Diagnostics;
using Loxo.Commands;
using Loxo.Parameters;
using Loxo.Protocol;

namespace Loxo.Copy;

/// <summary>
/// A bulk copy in progress: batches, transactions, rejected rows and progress. The blocking and the asynchronous form differ only in their
/// calls of the connection and the source.
/// </summary>
internal sealed class BulkRun
{
    private readonly PgBulkCopy _options;
    private readonly PgConnection _connection;
    private readonly BulkSource _source;
    private readonly PgBulkCopyResult _result = new();
    private readonly long _started = Stopwatch.GetTimestamp();
    private BulkPlan _plan = null!;
    private long _index = -1;
    private long _batchStart;
    private long _inBatch;
    private long _sent;
    private bool _hasStaging;
    private bool _isAborted;

    private BulkRun(PgBulkCopy options, PgConnection connection, BulkSource source) =>
        (_options, _connection, _source) = (options, connection, source);

    /// <summary>Copies, blocking.</summary>
    public static PgBulkCopyResult Run(PgBulkCopy options, PgConnection connection, BulkSource source)
    {
        try
        {
            return new BulkRun(options, connection, source).Run();
        }
        finally
        {
            source.End();
        }
    }

    /// <inheritdoc cref="Run(PgBulkCopy, PgConnection, BulkSource)"/>
    public static async Task<PgBulkCopyResult> RunAsync(
        PgBulkCopy options, PgConnection connection, BulkSource source, CancellationToken token)
    {
        try
        {
            return await new BulkRun(options, connection, source).RunAsync(token).ConfigureAwait(false);
        }
        finally
        {
            await source.EndAsync().ConfigureAwait(false);
        }
    }

    private bool IsBatchFull => _options.BatchSize > 0 && _inBatch >= _options.BatchSize;

    private bool CallersTransaction =>
        OwnSession.Of(_connection, PgOwnSessionReason.Copy, _plan.Copy)
            is { PendingBegin: not null } or { TransactionStatus: not TransactionStatus.Idle };

    // A single COPY is atomic by itself.
    private bool NeedsTransaction => _plan.Merge is not null || _options.BatchSize > 0;

    private PgBulkCopyResult Run()
    {
        _plan = BulkPlan.Make(_options, _source.Names, BulkTarget.Load(_connection, Table));
        var isCallers = CallersTransaction;
        using var whole = !isCallers && NeedsTransaction && !_options.CommitsEachBatch ? _connection.BeginTransaction() : null;
        for (var more = Next(); more;)
        {
            using var ofBatch = !isCallers && _options.CommitsEachBatch && _plan.Merge is not null ? _connection.BeginTransaction() : null;
            BeginBatch();
            if (_plan.Merge is not null)
                Execute(_hasStaging ? _plan.Empty! : _plan.CreateStaging!);
            using (var importer = _connection.BeginBinaryImport(_plan.Copy))
            {
                Configure(importer);
                more = Fill(importer);
                EndCopy(Complete(importer));
            }
            if (_plan.Merge is { } merge)
                Merge(merge);
            EndBatch(ofBatch is not null);
            ofBatch?.Commit();
        }
        if (_hasStaging)
            Execute(_plan.DropStaging!);
        whole?.Commit();
        return Result();
    }

    private async Task<PgBulkCopyResult> RunAsync(CancellationToken token)
    {
        _plan = BulkPlan.Make(_options, _source.Names, await BulkTarget.LoadAsync(_connection, Table, token).ConfigureAwait(false));
        await OwnSession.BindAsync(_connection, PgOwnSessionReason.Copy, _plan.Copy, token).ConfigureAwait(false);
        var isCallers = CallersTransaction;
        var whole = !isCallers && NeedsTransaction && !_options.CommitsEachBatch ? _connection.BeginTransaction() : null;
        try
        {
            for (var more = await NextAsync(token).ConfigureAwait(false); more;)
            {
                var ofBatch = !isCallers && _options.CommitsEachBatch && _plan.Merge is not null ? _connection.BeginTransaction() : null;
                try
                {
                    more = await RunBatchAsync(ofBatch is not null, token).ConfigureAwait(false);
                    if (ofBatch is not null)
                        await ofBatch.CommitAsync(token).ConfigureAwait(false);
                }
                finally
                {
                    if (ofBatch is not null)
                        await ofBatch.DisposeAsync().ConfigureAwait(false);
                }
            }
            if (_hasStaging)
                await ExecuteAsync(_plan.DropStaging!, token).ConfigureAwait(false);
            if (whole is not null)
                await whole.CommitAsync(token).ConfigureAwait(false);
        }
        finally
        {
            if (whole is not null)
                await whole.DisposeAsync().ConfigureAwait(false);
        }
        return Result();
    }

    private async Task<bool> RunBatchAsync(bool ownsTransaction, CancellationToken token)
    {
        BeginBatch();
        if (_plan.Merge is not null)
            await ExecuteAsync(_hasStaging ? _plan.Empty! : _plan.CreateStaging!, token).ConfigureAwait(false);
        var importer = await _connection.BeginBinaryImportAsync(_plan.Copy, token).ConfigureAwait(false);
        bool more;
        try
        {
            Configure(importer);
            more = await FillAsync(importer, token).ConfigureAwait(false);
            EndCopy(await CompleteAsync(importer, token).ConfigureAwait(false));
        }
        finally
        {
            await importer.DisposeAsync().ConfigureAwait(false);
        }
        if (_plan.Merge is { } merge)
            await MergeAsync(merge, token).ConfigureAwait(false);
        EndBatch(ownsTransaction);
        return more;
    }

    private string Table => _options.DestinationTableName is { Length: > 0 } table ? table : throw BulkErrors.NoTableName();

    private void BeginBatch()
    {
        if (_isAborted)
            throw BulkErrors.Aborted();
        (_batchStart, _inBatch) = (_index, 0);
    }

    private void Configure(PgBinaryImporter importer)
    {
        if (_options.Timeout is { } timeout)
            importer.Timeout = timeout;
    }

    // The row that the source stands at is the first. Returns whether there is a row for the next batch.
    private bool Fill(PgBinaryImporter importer)
    {
        try
        {
            do
            {
                Write(importer);
                importer.SendRows();
                if (!Next())
                    return false;
            }
            while (!IsBatchFull);
            return true;
        }
        catch (PostgresException e)
        {
            throw Placed(e);
        }
    }

    private async ValueTask<bool> FillAsync(PgBinaryImporter importer, CancellationToken token)
    {
        try
        {
            do
            {
                Write(importer);
                await importer.SendRowsAsync(token).ConfigureAwait(false);
                if (!await NextAsync(token).ConfigureAwait(false))
                    return false;
            }
            while (!IsBatchFull);
            return true;
        }
        catch (PostgresException e)
        {
            throw Placed(e);
        }
    }

    private bool Next()
    {
        if (!_source.Next())
            return false;
        _index++;
        return true;
    }

    private async ValueTask<bool> NextAsync(CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        if (!await _source.NextAsync(token).ConfigureAwait(false))
            return false;
        _index++;
        return true;
    }

    private void Write(PgBinaryImporter importer)
    {
        var writer = importer.Rows;
        writer.SourceRow = (ulong)_index + 1;
        writer.StartRow();
        try
        {
            _source.Write(writer, _plan.Ordinals);
        }
        catch (Exception e) when (ParameterErrors.IsAboutValue(e))
        {
            var rejected = _result.Rejected;
            if (rejected.Count >= _options.MaxRejectedRows || !writer.TryTakeRowBack())
                throw BulkErrors.BadRow(_index, e, rejected.Count);
            rejected.Add(new PgRejectedRow(_index, e));
            return;
        }
        _inBatch++;
        _sent++;
        if (_options.NotifyAfter > 0 && _sent % _options.NotifyAfter == 0 && !_options.Notify(_sent))
            throw BulkErrors.Aborted();
    }

    private ulong Complete(PgBinaryImporter importer)
    {
        var began = Stopwatch.GetTimestamp();
        try
        {
            return importer.Complete();
        }
        catch (PostgresException e)
        {
            throw Placed(e);
        }
        finally
        {
            _result.CompletionDuration += Stopwatch.GetElapsedTime(began);
        }
    }

    private async ValueTask<ulong> CompleteAsync(PgBinaryImporter importer, CancellationToken token)
    {
        var began = Stopwatch.GetTimestamp();
        try
        {
            return await importer.CompleteAsync(token).ConfigureAwait(false);
        }
        catch (PostgresException e)
        {
            throw Placed(e);
        }
        finally
        {
            _result.CompletionDuration += Stopwatch.GetElapsedTime(began);
        }
    }

    private void EndCopy(ulong rows)
    {
        _result.RowsCopied += (long)rows;
        if (_plan.Merge is null)
            _result.RowsInserted += (long)rows;
    }

    private void EndBatch(bool ownsTransaction)
    {
        // With the batch's own transaction its staging table goes, too.
        _hasStaging = _plan.Merge is not null && !ownsTransaction;
        _result.Batches++;
        _isAborted = !_options.Notify(_sent);
    }

    private void Merge(string sql)
    {
        var began = Stopwatch.GetTimestamp();
        using var command = Command(sql);
        using var reader = command.ExecuteReader();
        reader.Read();
        Merged(reader, began);
    }

    private async Task MergeAsync(string sql, CancellationToken token)
    {
        var began = Stopwatch.GetTimestamp();
        using var command = Command(sql);
        var reader = await command.ExecuteReaderAsync(token).ConfigureAwait(false);
        await using (reader.ConfigureAwait(false))
        {
            await reader.ReadAsync(token).ConfigureAwait(false);
            Merged(reader, began);
        }
    }

    private void Merged(PgDataReader reader, long began)
    {
        _result.RowsInserted += reader.GetInt64(0);
        _result.RowsUpdated += reader.GetInt64(1);
        _result.CompletionDuration += Stopwatch.GetElapsedTime(began);
    }

    private void Execute(string sql)
    {
        using var command = Command(sql);
        command.ExecuteNonQuery();
    }

    private async Task ExecuteAsync(string sql, CancellationToken token)
    {
        using var command = Command(sql);
        await command.ExecuteNonQueryAsync(token).ConfigureAwait(false);
    }

    private PgCommand Command(string sql)
    {
        var command = new PgCommand(sql, _connection);
        if (_options.Timeout is { } timeout)
            command.CommandTimeout = timeout <= TimeSpan.Zero ? 0 : (int)Math.Ceiling(timeout.TotalSeconds);
        return command;
    }

    private PgBulkCopyResult Result()
    {
        _result.Duration = Stopwatch.GetElapsedTime(_started);
        return _result;
    }

    // The server counts the rows of a batch that it was sent; the caller's rows include those that were rejected.
    private PostgresException Placed(PostgresException error)
    {
        if (error.FailedRow is not { } row)
            return error;
        var index = _batchStart + row;
        foreach (var rejected in _result.Rejected)
        {
            if (rejected.Index >= _batchStart && rejected.Index <= index)
                index++;
        }
        error.FailedRow = index;
        return error;
    }
}
