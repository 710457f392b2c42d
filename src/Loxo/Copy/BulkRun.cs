using System.Diagnostics;
using Loxo.Commands;
using Loxo.Parameters;
using Loxo.Protocol;

namespace Loxo.Copy;

/// <summary>
/// A bulk copy in progress: batches, transactions, rejected rows and progress. The blocking and the asynchronous form differ only in their
/// calls of the connection and the source.
/// </summary>
internal sealed partial class BulkRun
{
    private readonly PgBulkCopy _options;
    private readonly PgConnection _connection;
    private readonly BulkCommands _commands;
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

    private BulkRun(PgBulkCopy options, PgConnection connection, BulkSource source)
    {
        (_options, _connection, _source) = (options, connection, source);
        _commands = new BulkCommands(connection, options.Timeout);
        if (options is { MaxRejectedRows: > 0, BatchSize: > 0 })
            _kept = new KeptRows();
    }

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

    private bool BatchNeedsTransaction => _options.CommitsEachBatch && (_plan.Merge is not null || _kept is not null);

    private PgBulkCopyResult Run()
    {
        _plan = BulkPlan.Make(_options, _source.Names, BulkTarget.Load(_connection, Table));
        var isCallers = CallersTransaction;
        using var whole = !isCallers && NeedsTransaction && !_options.CommitsEachBatch ? _connection.BeginTransaction() : null;
        for (var more = Next(); more;)
        {
            using var ofBatch = !isCallers && BatchNeedsTransaction ? _connection.BeginTransaction() : null;
            BeginBatch();
            if (_plan.Merge is not null)
                _commands.Execute(_hasStaging ? _plan.Empty! : _plan.CreateStaging!);
            more = _kept is null ? CopyBatch() : CopyBatchWithoutRefused();
            EndBatch(ofBatch is not null);
            ofBatch?.Commit();
        }
        if (_hasStaging)
            _commands.Execute(_plan.DropStaging!);
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
                var ofBatch = !isCallers && BatchNeedsTransaction ? _connection.BeginTransaction() : null;
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
                await _commands.ExecuteAsync(_plan.DropStaging!, token).ConfigureAwait(false);
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
            await _commands.ExecuteAsync(_hasStaging ? _plan.Empty! : _plan.CreateStaging!, token).ConfigureAwait(false);
        var more = _kept is null
            ? await CopyBatchAsync(token).ConfigureAwait(false)
            : await CopyBatchWithoutRefusedAsync(token).ConfigureAwait(false);
        EndBatch(ownsTransaction);
        return more;
    }

    // The row that the source stands at is the first. Returns whether there is a row for the next batch.
    private bool CopyBatch()
    {
        bool more;
        using (var importer = _connection.BeginBinaryImport(_plan.Copy))
        {
            Configure(importer);
            more = Fill(importer);
            EndCopy(Complete(importer));
        }
        if (_plan.Merge is { } merge)
            Merge(merge);
        return more;
    }

    private async Task<bool> CopyBatchAsync(CancellationToken token)
    {
        bool more;
        var importer = await _connection.BeginBinaryImportAsync(_plan.Copy, token).ConfigureAwait(false);
        await using (importer.ConfigureAwait(false))
        {
            Configure(importer);
            more = await FillAsync(importer, token).ConfigureAwait(false);
            EndCopy(await CompleteAsync(importer, token).ConfigureAwait(false));
        }
        if (_plan.Merge is { } merge)
            await MergeAsync(merge, token).ConfigureAwait(false);
        return more;
    }

    private string Table => _options.DestinationTableName is { Length: > 0 } table ? table : throw BulkErrors.NoTableName();

    private void BeginBatch()
    {
        if (_isAborted)
            throw BulkErrors.Aborted();
        (_batchStart, _inBatch) = (_index, 0);
        _kept?.Clear();
    }

    private void Configure(PgBinaryImporter importer)
    {
        if (_options.Timeout is { } timeout)
            importer.Timeout = timeout;
    }

    private bool Fill(PgBinaryImporter importer)
    {
        do
        {
            Write(importer);
            if (importer.Rows.MustSend)
                Send(importer);
            if (!Next())
                return false;
        }
        while (!IsBatchFull);
        return true;
    }

    private async ValueTask<bool> FillAsync(PgBinaryImporter importer, CancellationToken token)
    {
        do
        {
            Write(importer);
            if (importer.Rows.MustSend)
                await SendAsync(importer, token).ConfigureAwait(false);
            if (!await NextAsync(token).ConfigureAwait(false))
                return false;
        }
        while (!IsBatchFull);
        return true;
    }

    private bool Next()
    {
        (_isTaken, _hasRow) = (false, _source.Next());
        if (_hasRow)
            _index++;
        return _hasRow;
    }

    private async ValueTask<bool> NextAsync(CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        (_isTaken, _hasRow) = (false, await _source.NextAsync(token).ConfigureAwait(false));
        if (_hasRow)
            _index++;
        return _hasRow;
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
            _isTaken = true;
            return;
        }
        _kept?.Add(_index, writer.LastRow);
        _isTaken = true;
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
            Place(e);
            throw;
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
            Place(e);
            throw;
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
        try
        {
            Merged(_commands.Merge(sql), began);
        }
        catch (PostgresException e)
        {
            Place(e);
            throw;
        }
    }

    private async Task MergeAsync(string sql, CancellationToken token)
    {
        var began = Stopwatch.GetTimestamp();
        try
        {
            Merged(await _commands.MergeAsync(sql, token).ConfigureAwait(false), began);
        }
        catch (PostgresException e)
        {
            Place(e);
            throw;
        }
    }

    private void Merged((long Inserted, long Updated) rows, long began)
    {
        _result.RowsInserted += rows.Inserted;
        _result.RowsUpdated += rows.Updated;
        _result.CompletionDuration += Stopwatch.GetElapsedTime(began);
    }

    private PgBulkCopyResult Result()
    {
        // A row that the server refuses is found when later ones have been read.
        _result.Rejected.Sort(static (one, other) => one.Index.CompareTo(other.Index));
        _result.Duration = Stopwatch.GetElapsedTime(_started);
        return _result;
    }
}
