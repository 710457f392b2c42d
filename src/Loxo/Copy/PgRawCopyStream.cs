using Loxo.Copy;
using Loxo.Protocol.Frontend;

namespace Loxo;

/// <summary>
/// The data of a COPY as they are. Made by <see cref="PgConnection.BeginRawBinaryCopy"/>, or in text and CSV format the
/// <see cref="PgCopyTextReader.BaseStream"/> of a reader or writer. With COPY ... FROM STDIN it is written to, with COPY ... TO STDOUT it
/// is read from. Until it is disposed, the connection runs no other command.
/// </summary>
/// <remarks>
/// <para>
/// Disposing a stream that was written to makes the rows stay, as a stream tells nothing else of its end, unless
/// <see cref="CompletesOnDispose"/> is off. To be sure that no exception in the middle leaves a part of the data in the table, set that to
/// false and call <see cref="Complete"/>. An error of the server, a cancelled call or a timeout ends the copy, and nothing of it stays.
/// </para>
/// <para>Memory is bounded, however long a row is.</para>
/// </remarks>
/// <exception cref="InvalidOperationException">Any member: another call of the copy is at work. Nothing of this one is done.</exception>
/// <exception cref="NotSupportedException">Any member: the stream of an export cannot be written, that of an import not read.</exception>
public sealed class PgRawCopyStream : Stream
{
    // Written data are sent when so much has come together.
    private const int WorthSending = 48 * 1024;

    private readonly CopyOperation _copy;
    private readonly bool _imports;

    internal PgRawCopyStream(CopyOperation copy)
    {
        _copy = copy;
        _imports = copy.Exchange.IsCopyingIn;
    }

    /// <summary>
    /// Whether disposing the stream completes the import: true, the default. If false, rows stay only after <see cref="Complete"/>.
    /// </summary>
    public bool CompletesOnDispose { get; set; } = true;

    /// <inheritdoc/>
    public override bool CanRead => !_imports;

    /// <inheritdoc/>
    public override bool CanWrite => _imports;

    /// <inheritdoc/>
    public override bool CanSeek => false;

    /// <inheritdoc/>
    public override bool CanTimeout => true;

    /// <summary>Milliseconds that each wait may last; 0 or -1 for no limit. The default is the connection's CommandTimeout.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than -1.</exception>
    public override int ReadTimeout
    {
        get => Math.Max(_copy.Timeout, 0);
        set => _copy.Timeout = CopyTimeout.Milliseconds(TimeSpan.FromMilliseconds(value));
    }

    /// <inheritdoc cref="ReadTimeout"/>
    public override int WriteTimeout
    {
        get => ReadTimeout;
        set => ReadTimeout = value;
    }

    /// <summary>Not supported.</summary>
    public override long Length => throw NotSeekable();

    /// <summary>Not supported.</summary>
    public override long Position
    {
        get => throw NotSeekable();
        set => throw NotSeekable();
    }

    internal bool IsOpen => _copy.IsOpen;

    private MessageWriter Output => _copy.Session.Output;

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        return Read(buffer.AsSpan(offset, count));
    }

    /// <summary>Reads what has arrived, waiting for some if nothing has. 0 is the end of the data.</summary>
    /// <exception cref="PostgresException">The server has ended the export.</exception>
    /// <exception cref="ObjectDisposedException">
    /// The export was disposed or cancelled, an error has ended it, or its connection was closed.
    /// </exception>
    /// <exception cref="NotSupportedException">The statement copies from the client.</exception>
    public override int Read(Span<byte> buffer)
    {
        var call = _copy.Guard.Enter();
        try
        {
            return !CheckReads() || buffer.IsEmpty ? 0
                : TryRead(buffer) is > 0 and var buffered ? buffered
                : _copy.Fill() ? TryRead(buffer)
                : 0;
        }
        finally
        {
            call.Exit();
        }
    }

    /// <inheritdoc/>
    public override int ReadByte()
    {
        Span<byte> one = stackalloc byte[1];
        return Read(one) == 0 ? -1 : one[0];
    }

    /// <inheritdoc/>
    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        return ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();
    }

    /// <inheritdoc cref="Read(Span{byte})"/>
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var call = _copy.Guard.Enter();
        try
        {
            if (!CheckReads() || buffer.IsEmpty)
                return 0;
            if (TryRead(buffer.Span) is > 0 and var buffered)
                return buffered;
            return await _copy.FillAsync(cancellationToken).ConfigureAwait(false) ? TryRead(buffer.Span) : 0;
        }
        finally
        {
            call.Exit();
        }
    }

    /// <inheritdoc/>
    public override void Write(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        Write(buffer.AsSpan(offset, count));
    }

    /// <summary>Takes data to be copied. They are sent when enough has come together.</summary>
    /// <exception cref="PostgresException">The server has refused earlier data: nothing was copied.</exception>
    /// <exception cref="NotSupportedException">The statement copies to the client.</exception>
    public override void Write(ReadOnlySpan<byte> buffer)
    {
        var call = _copy.Guard.Enter();
        try
        {
            CheckWrites();
            while (!buffer.IsEmpty)
            {
                buffer = buffer[Take(buffer)..];
                if (MustSend)
                    _copy.Send();
            }
        }
        finally
        {
            call.Exit();
        }
    }

    /// <inheritdoc/>
    public override void WriteByte(byte value) => Write([value]);

    /// <inheritdoc/>
    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        return WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();
    }

    /// <inheritdoc cref="Write(ReadOnlySpan{byte})"/>
    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var call = _copy.Guard.Enter();
        try
        {
            CheckWrites();
            while (!buffer.IsEmpty)
            {
                buffer = buffer[Take(buffer.Span)..];
                if (MustSend)
                    await _copy.SendAsync(cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            call.Exit();
        }
    }

    /// <summary>Sends what has been written.</summary>
    public override void Flush()
    {
        var call = _copy.Guard.Enter();
        try
        {
            if (_imports && _copy.IsOpen)
                _copy.Send();
        }
        finally
        {
            call.Exit();
        }
    }

    /// <inheritdoc cref="Flush"/>
    public override async Task FlushAsync(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var call = _copy.Guard.Enter();
        try
        {
            if (_imports && _copy.IsOpen)
                await _copy.SendAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            call.Exit();
        }
    }

    /// <summary>Ends an import and waits until the server has stored all rows.</summary>
    /// <returns>The number of rows.</returns>
    /// <exception cref="PostgresException">The server has refused the data: nothing was copied.</exception>
    /// <exception cref="ObjectDisposedException">The copy has ended before.</exception>
    public ulong Complete()
    {
        var call = _copy.Guard.Enter();
        try
        {
            CheckWrites();
            return _copy.Complete();
        }
        finally
        {
            call.Exit();
        }
    }

    /// <inheritdoc cref="Complete"/>
    public async ValueTask<ulong> CompleteAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        var call = _copy.Guard.Enter();
        try
        {
            CheckWrites();
            return await _copy.CompleteAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            call.Exit();
        }
    }

    /// <summary>Ends the copy: nothing of an import stays, and the server is asked to stop an export. The connection can be used.</summary>
    public void Cancel() => _copy.Cancel();

    /// <inheritdoc cref="Cancel"/>
    public Task CancelAsync() => _copy.CancelAsync().AsTask();

    /// <inheritdoc/>
    /// <exception cref="PostgresException">The server refuses the data of an import that <see cref="CompletesOnDispose"/>.</exception>
    public override async ValueTask DisposeAsync()
    {
        if (_imports && _copy.IsOpen && CompletesOnDispose)
            await CompleteAsync(CancellationToken.None).ConfigureAwait(false);
        else
            await _copy.AbortAsync().ConfigureAwait(false);
        GC.SuppressFinalize(this);
    }

    /// <summary>Not supported.</summary>
    public override long Seek(long offset, SeekOrigin origin) => throw NotSeekable();

    /// <summary>Not supported.</summary>
    public override void SetLength(long value) => throw NotSeekable();

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing && _imports && _copy.IsOpen && CompletesOnDispose)
            Complete();
        else if (disposing)
            _copy.Abort();
        base.Dispose(disposing);
    }

    private bool MustSend => Output.PendingLength > WorthSending;

    // As much as may be written before something is sent.
    private int Take(ReadOnlySpan<byte> data)
    {
        var part = data[..Math.Min(data.Length, WorthSending + 1)];
        Output.WriteBytes(part);
        return part.Length;
    }

    private int TryRead(Span<byte> buffer)
    {
        var input = _copy.Session.Wire.Input;
        if (input.RowLeft == 0)
            return 0;
        var arrived = input.OfRow;
        var count = Math.Min(arrived.Length, buffer.Length);
        arrived[..count].CopyTo(buffer);
        input.TakeOfRow(count);
        return count;
    }

    // False behind the last byte.
    private bool CheckReads()
    {
        if (_imports)
            throw CopyErrors.OtherDirection(reads: true);
        return _copy.IsOpen || (_copy.IsComplete ? false : throw CopyErrors.Ended(nameof(PgRawCopyStream)));
    }

    private void CheckWrites()
    {
        if (!_imports)
            throw CopyErrors.OtherDirection(reads: false);
        if (!_copy.IsOpen)
            throw CopyErrors.Ended(nameof(PgRawCopyStream));
    }

    private static NotSupportedException NotSeekable() => new("The data of a COPY can only be read or written from start to end.");
}
