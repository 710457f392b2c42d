using System.Data.Common;
using Loxo.Protocol;
using Loxo.Session;

namespace Loxo.Reading;

/// <summary>Moves a reader on: to its first result, to the next row, to the next result. One call at a time.</summary>
internal static class ReaderMoves
{
    public static PgDataReader EnterFirst(PgDataReader reader)
    {
        ref var cursor = ref reader.Cursor;
        try
        {
            return EnterFirst(reader, cursor.PumpToResult());
        }
        catch
        {
            reader.ExecutionFailed();
            throw;
        }
        finally
        {
            cursor.EndCall();
        }
    }

    /// <typeparam name="T">The reader's type as the caller names it, so that one task is made and not a second one around it.</typeparam>
    /// <param name="reader">The reader.</param>
    public static async Task<T> EnterFirstAsync<T>(PgDataReader reader)
        where T : DbDataReader
    {
        try
        {
            var progress = await reader.Cursor.PumpAsync(reader.Cursor.Token).ConfigureAwait(false);
            if (reader.Exchange.MustLookUpElsewhere)
                await LookUpAsync(reader, reader.Cursor.Token).ConfigureAwait(false);
            return (T)(DbDataReader)EnterFirst(reader, progress);
        }
        catch
        {
            reader.ExecutionFailed();
            throw;
        }
        finally
        {
            reader.Cursor.EndCall();
        }
    }

    /// <summary>Whether there is a row; null if more has to arrive first: the call is still at work then.</summary>
    public static bool? ReadArrived(PgDataReader reader, CancellationToken token)
    {
        ref var cursor = ref reader.Cursor;
        cursor.BeginCall();
        var ends = true;
        try
        {
            if (!cursor.CanAdvance)
                return cursor.ReadKnown();
            if (cursor.TryTake())
                return true;
            var progress = cursor.AdvanceBuffered();
            ends = progress != Progress.NeedMore;
            return ends ? cursor.ReadAfter(progress, token) : null;
        }
        finally
        {
            if (ends)
                cursor.EndCall();
        }
    }

    /// <summary>Goes on with <see cref="ReadArrived"/>, blocking.</summary>
    public static bool ReadAfterFill(PgDataReader reader)
    {
        ref var cursor = ref reader.Cursor;
        try
        {
            return cursor.ReadAfter(cursor.Pump(), cursor.Token);
        }
        finally
        {
            cursor.EndCall();
        }
    }

    /// <summary>Goes on with <see cref="ReadArrived"/>.</summary>
    public static async Task<bool> ReadAfterFillAsync(PgDataReader reader, CancellationToken token)
    {
        try
        {
            var progress = await reader.Cursor.PumpAsync(token).ConfigureAwait(false);
            return reader.Cursor.ReadAfter(progress, token);
        }
        finally
        {
            reader.Cursor.EndCall();
        }
    }

    /// <summary>Goes to the next result, also where the user wants no more.</summary>
    public static bool EnterNext(PgDataReader reader)
    {
        ref var cursor = ref reader.Cursor;
        cursor.BeginCall();
        try
        {
            return cursor.LeaveResult() && EnterNext(reader, cursor.PumpToResult(), cursor.Token);
        }
        finally
        {
            cursor.EndCall();
        }
    }

    /// <inheritdoc cref="EnterNext(PgDataReader)"/>
    public static Task<bool> EnterNextAsync(PgDataReader reader, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return reader.Cancelled(token);
        try
        {
            return EnterNextArrived(reader, token, out var buffered) is { } isResult
                ? Task.FromResult(isResult)
                : EnterNextAfterFillAsync(reader, buffered, token);
        }
        catch (Exception e)
        {
            return Task.FromException<bool>(e);
        }
    }

    // As ReadArrived.
    private static bool? EnterNextArrived(PgDataReader reader, CancellationToken token, out Progress buffered)
    {
        ref var cursor = ref reader.Cursor;
        buffered = Progress.Done;
        cursor.BeginCall();
        var ends = true;
        try
        {
            if (!cursor.LeaveResult())
                return false;
            buffered = cursor.Advance();
            ends = buffered != Progress.NeedMore && !reader.Exchange.MustLookUpElsewhere;
            return ends ? EnterNext(reader, buffered, token) : null;
        }
        finally
        {
            if (ends)
                cursor.EndCall();
        }
    }

    private static async Task<bool> EnterNextAfterFillAsync(PgDataReader reader, Progress progress, CancellationToken token)
    {
        try
        {
            if (progress == Progress.NeedMore)
                progress = await reader.Cursor.PumpAsync(token).ConfigureAwait(false);
            if (reader.Exchange.MustLookUpElsewhere)
                await LookUpAsync(reader, token).ConfigureAwait(false);
            return EnterNext(reader, progress, token);
        }
        finally
        {
            reader.Cursor.EndCall();
        }
    }

    private static ValueTask LookUpAsync(PgDataReader reader, CancellationToken token) =>
        SpareSession.LookUpAsync(reader.Exchange, reader.Owner.TimeoutMilliseconds, token);

    private static PgDataReader EnterFirst(PgDataReader reader, Progress progress)
    {
        reader.Cursor.EnterFirst(progress);
        FillOutputs(reader);
        return reader;
    }

    private static bool EnterNext(PgDataReader reader, Progress progress, CancellationToken token)
    {
        var isResult = reader.Cursor.Enter(progress, token);
        FillOutputs(reader);
        return isResult;
    }

    // The next Read returns the row that the values come from.
    private static void FillOutputs(PgDataReader reader)
    {
        ref var cursor = ref reader.Cursor;
        if (!reader.Owner.HasOutputs || !cursor.TryPeek())
            return;
        cursor.SetPeeked(false);
        try
        {
            reader.Owner.FillOutputs(reader);
        }
        finally
        {
            cursor.SetPeeked(true);
        }
    }
}
