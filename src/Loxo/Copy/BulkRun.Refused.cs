namespace Loxo.Copy;

/// <content>Rows that the server refuses: a batch is undone, and copied again without them.</content>
internal sealed partial class BulkRun
{
    private const string SetSavepoint = "SAVEPOINT loxo_bulk_copy";
    private const string RollBack = "ROLLBACK TO SAVEPOINT loxo_bulk_copy";
    private const string ReleaseSavepoint = "RELEASE SAVEPOINT loxo_bulk_copy";

    // Null if a row that the server refuses ends the copy.
    private readonly KeptRows? _kept;
    // The row that the source stands at has been written or rejected.
    private bool _isTaken;
    private bool _hasRow;

    private bool CopyBatchWithoutRefused()
    {
        bool more;
        var counts = _result.Counts;
        _commands.Execute(SetSavepoint);
        try
        {
            more = CopyBatch();
        }
        catch (PostgresException e) when (MayReject(e))
        {
            _commands.Execute(RollBack);
            _result.Counts = counts;
            more = _isTaken ? Next() : _hasRow;
            RejectIfNamed(e);
            CopyKept(0, _kept!.Count);
        }
        _commands.Execute(ReleaseSavepoint);
        return more;
    }

    private async Task<bool> CopyBatchWithoutRefusedAsync(CancellationToken token)
    {
        bool more;
        var counts = _result.Counts;
        await _commands.ExecuteAsync(SetSavepoint, token).ConfigureAwait(false);
        try
        {
            more = await CopyBatchAsync(token).ConfigureAwait(false);
        }
        catch (PostgresException e) when (MayReject(e))
        {
            await _commands.ExecuteAsync(RollBack, token).ConfigureAwait(false);
            _result.Counts = counts;
            more = _isTaken ? await NextAsync(token).ConfigureAwait(false) : _hasRow;
            RejectIfNamed(e);
            await CopyKeptAsync(0, _kept!.Count, token).ConfigureAwait(false);
        }
        await _commands.ExecuteAsync(ReleaseSavepoint, token).ConfigureAwait(false);
        return more;
    }

    // Some errors name no row, that of a foreign key for one: then each half of the rows is copied by itself.
    private void CopyKept(int first, int count)
    {
        var counts = _result.Counts;
        _commands.Execute(SetSavepoint);
        while (count > 0)
        {
            try
            {
                Copy(first, count);
                break;
            }
            catch (PostgresException e) when (MayReject(e))
            {
                _commands.Execute(RollBack);
                _result.Counts = counts;
                if (RejectIfNamed(e))
                {
                    count--;
                    continue;
                }
                var rest = _kept!.Count - (first + count / 2);
                CopyKept(first, count / 2);
                CopyKept(_kept.Count - rest, count - count / 2);
                break;
            }
        }
        _commands.Execute(ReleaseSavepoint);
    }

    private async Task CopyKeptAsync(int first, int count, CancellationToken token)
    {
        var counts = _result.Counts;
        await _commands.ExecuteAsync(SetSavepoint, token).ConfigureAwait(false);
        while (count > 0)
        {
            try
            {
                await CopyAsync(first, count, token).ConfigureAwait(false);
                break;
            }
            catch (PostgresException e) when (MayReject(e))
            {
                await _commands.ExecuteAsync(RollBack, token).ConfigureAwait(false);
                _result.Counts = counts;
                if (RejectIfNamed(e))
                {
                    count--;
                    continue;
                }
                var rest = _kept!.Count - (first + count / 2);
                await CopyKeptAsync(first, count / 2, token).ConfigureAwait(false);
                await CopyKeptAsync(_kept.Count - rest, count - count / 2, token).ConfigureAwait(false);
                break;
            }
        }
        await _commands.ExecuteAsync(ReleaseSavepoint, token).ConfigureAwait(false);
    }

    private void Copy(int first, int count)
    {
        _kept!.Copying(first, count);
        if (_plan.Merge is not null)
            _commands.Execute(_plan.Empty!);
        using (var importer = _connection.BeginBinaryImport(_plan.Copy))
        {
            Configure(importer);
            for (var i = 0; i < count; i++)
            {
                importer.Rows.WriteEncoded(_kept.BytesOf(first + i));
                if (importer.Rows.MustSend)
                    Send(importer);
            }
            EndCopy(Complete(importer));
        }
        if (_plan.Merge is { } merge)
            Merge(merge);
    }

    private async Task CopyAsync(int first, int count, CancellationToken token)
    {
        _kept!.Copying(first, count);
        if (_plan.Merge is not null)
            await _commands.ExecuteAsync(_plan.Empty!, token).ConfigureAwait(false);
        var importer = await _connection.BeginBinaryImportAsync(_plan.Copy, token).ConfigureAwait(false);
        await using (importer.ConfigureAwait(false))
        {
            Configure(importer);
            for (var i = 0; i < count; i++)
            {
                importer.Rows.WriteEncoded(_kept.BytesOf(first + i));
                if (importer.Rows.MustSend)
                    await SendAsync(importer, token).ConfigureAwait(false);
            }
            EndCopy(await CompleteAsync(importer, token).ConfigureAwait(false));
        }
        if (_plan.Merge is { } merge)
            await MergeAsync(merge, token).ConfigureAwait(false);
    }

    private void Send(PgBinaryImporter importer)
    {
        try
        {
            importer.SendRows();
        }
        catch (PostgresException e)
        {
            Place(e);
            throw;
        }
    }

    private async ValueTask SendAsync(PgBinaryImporter importer, CancellationToken token)
    {
        try
        {
            await importer.SendRowsAsync(token).ConfigureAwait(false);
        }
        catch (PostgresException e)
        {
            Place(e);
            throw;
        }
    }

    private bool MayReject(PostgresException error) => _kept is not null && _kept.IsRefusal(error)
        && _result.Rejected.Count < _options.MaxRejectedRows && _connection.State == System.Data.ConnectionState.Open;

    private bool RejectIfNamed(PostgresException error)
    {
        if (error.FailedRow is not { } index || !_kept!.TryRemove(index))
            return false;
        _result.Rejected.Add(new PgRejectedRow(index, error));
        _inBatch--;
        _sent--;
        return true;
    }

    // The server counts the rows that it was sent; the caller's rows include those that were rejected.
    private void Place(PostgresException error)
    {
        if (_kept is not null)
            _kept.Refused(error);
        else if (error.FailedRow is { } row)
            error.FailedRow = _result.PlaceOf(row, _batchStart);
    }
}
