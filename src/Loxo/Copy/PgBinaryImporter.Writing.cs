using System.Runtime.ExceptionServices;
using Loxo.Copy;

namespace Loxo;

// The work of the calls, which the guard has let in.
public sealed partial class PgBinaryImporter
{
    // Of a stream at a time.
    private const int PieceSize = 32 * 1024;

    internal void SendRows()
    {
        if (_rows.MustSend)
            _copy.Send();
    }

    internal ValueTask SendRowsAsync(CancellationToken token) => _rows.MustSend ? _copy.SendAsync(token) : default;

    private static async Task ExitAfter(ValueTask writing, CallGuard.Visit call)
    {
        try
        {
            await writing.ConfigureAwait(false);
        }
        finally
        {
            call.Exit();
        }
    }

    private void WriteInside<T>(T value)
    {
        if (LongValue.MayBe(value) && _rows.Long(value!) is { } piecemeal)
            WriteLong(piecemeal);
        else
            _rows.Write(value);
        if (_rows.MustSend)
            _copy.Send();
    }

    private ValueTask WriteInsideAsync<T>(T value, CancellationToken token)
    {
        if (LongValue.MayBe(value) && _rows.Long(value!) is { } piecemeal)
            return WriteLongAsync(piecemeal, token);
        _rows.Write(value);
        return SendRowsAsync(token);
    }

    private void WriteRowInside(object?[] values)
    {
        _rows.CheckCount(values.Length);
        _rows.StartRow();
        try
        {
            foreach (var value in values)
                WriteInside(value);
        }
        catch
        {
            if (!_rows.TryTakeRowBack())
                _copy.AbortInside();
            throw;
        }
    }

    private async ValueTask WriteRowInsideAsync(object?[] values, CancellationToken token)
    {
        _rows.CheckCount(values.Length);
        _rows.StartRow();
        try
        {
            foreach (var value in values)
            {
                token.ThrowIfCancellationRequested();
                await WriteInsideAsync(value, token).ConfigureAwait(false);
            }
        }
        catch
        {
            if (!_rows.TryTakeRowBack())
                await _copy.AbortInsideAsync().ConfigureAwait(false);
            throw;
        }
    }

    private void SetType(PgDbType pgDbType)
    {
        var call = _guard.Enter();
        try
        {
            if (!_rows.IsBetweenRows && _copy.IsOpen)
                _rows.Next.SetType(_copy.Session.Types.Known.BuiltIn.Find(pgDbType));
        }
        finally
        {
            call.Exit();
        }
    }

    private void SetType(string dataTypeName)
    {
        var call = _guard.Enter();
        try
        {
            if (!_rows.IsBetweenRows && _copy.IsOpen && _rows.Next.TypeOid == 0)
                _rows.Next.SetType(_copy.Session.Types.Known.BuiltIn.Find(dataTypeName));
        }
        finally
        {
            call.Exit();
        }
    }

    private void WriteLong(LongValue value)
    {
        using (value)
        {
            Measure(value);
            _rows.BeginLong(value);
            for (long left = value.Length, read = 0; left > 0; left -= read)
            {
                try
                {
                    var room = (int)Math.Min(left, PieceSize);
                    read = value.Read(_rows.Output.GetSpan(room)[..room]);
                }
                catch (Exception e)
                {
                    throw Broken(value, left, e);
                }
                if (read == 0)
                    throw Broken(value, left, null);
                _rows.Output.Advance((int)read);
                if (_rows.MustSend)
                    _copy.Send();
            }
            _rows.EndLong();
        }
    }

    private async ValueTask WriteLongAsync(LongValue value, CancellationToken token)
    {
        using (value)
        {
            await MeasureAsync(value, token).ConfigureAwait(false);
            _rows.BeginLong(value);
            for (long left = value.Length, read = 0; left > 0; left -= read)
            {
                try
                {
                    var room = (int)Math.Min(left, PieceSize);
                    read = await value.ReadAsync(_rows.Output.GetMemory(room)[..room], token).ConfigureAwait(false);
                }
                catch (Exception e)
                {
                    var failure = e is OperationCanceledException && token.IsCancellationRequested ? e : Failed(value, left, e);
                    await _copy.AbortInsideAsync().ConfigureAwait(false);
                    ExceptionDispatchInfo.Throw(failure);
                }
                if (read == 0)
                {
                    var failure = Failed(value, left, null);
                    await _copy.AbortInsideAsync().ConfigureAwait(false);
                    throw failure;
                }
                _rows.Output.Advance((int)read);
                if (_rows.MustSend)
                    await _copy.SendAsync(token).ConfigureAwait(false);
            }
            _rows.EndLong();
        }
        if (_rows.MustSend)
            await _copy.SendAsync(token).ConfigureAwait(false);
    }

    // A stream that fails before anything of its value is written costs the value only.
    private void Measure(LongValue value)
    {
        try
        {
            value.Measure();
        }
        catch (Exception e)
        {
            ExceptionDispatchInfo.Throw(Unmeasured(e));
        }
    }

    private async ValueTask MeasureAsync(LongValue value, CancellationToken token)
    {
        try
        {
            await value.MeasureAsync(token).ConfigureAwait(false);
        }
        catch (Exception e) when (e is not OperationCanceledException || !token.IsCancellationRequested)
        {
            ExceptionDispatchInfo.Throw(Unmeasured(e));
        }
    }

    private Exception Unmeasured(Exception e) =>
        CopyErrors.CannotWrite(_rows.Row, _rows.Column, _rows.Next.Name, e);

    private PgException Broken(LongValue value, long left, Exception? cause)
    {
        var failure = Failed(value, left, cause);
        _copy.AbortInside();
        return failure;
    }

    private PgException Failed(LongValue value, long left, Exception? cause) => CopyErrors.StreamFailed(
        _rows.Row, _rows.Column, _rows.Next.Name, value.Length - left, value.Length, cause);
}
