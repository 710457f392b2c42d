using Loxo.Commands;
using Loxo.Session;

namespace Loxo;

/// <summary>
/// An open large object. It lives as long as the transaction in which it was opened. Each call takes a round trip or several, but not to
/// get <see cref="Position"/>. Nothing is buffered, so <see cref="Flush"/> has nothing to do.
/// </summary>
/// <exception cref="ObjectDisposedException">Any member: the stream is closed.</exception>
/// <exception cref="InvalidOperationException">
/// Any member: the server has closed the large object, because its transaction has ended.
/// </exception>
/// <exception cref="NotSupportedException">Any member that writes: the large object was opened for reading.</exception>
/// <exception cref="ArgumentOutOfRangeException">Any member that takes a position or length: it is negative.</exception>
/// <exception cref="PgException">
/// Any member that talks to the server: it refused, as it does positions beyond 4 TB; another command runs; or the network failed.
/// </exception>
public sealed class PgLargeObjectStream : Stream
{
    private readonly PgLargeObjectManager _manager;
    private readonly int _descriptor;
    private readonly bool _canWrite;
    private readonly OpenLargeObjects? _ofTransaction;
    private long _position;
    private bool _isClosed;

    internal PgLargeObjectStream(PgLargeObjectManager manager, int descriptor, bool canWrite)
    {
        (_manager, _descriptor, _canWrite) = (manager, descriptor, canWrite);
        _ofTransaction = Functions.Opened(descriptor, this);
    }

    /// <inheritdoc cref="PgLargeObjectManager.Has64BitSupport"/>
    public bool Has64BitSupport => true;

    /// <summary>Whether it was not closed, and its transaction has not ended.</summary>
    public override bool CanRead => !_isClosed && IsOfTransaction;

    /// <summary>Whether it was opened for writing and not closed, and its transaction has not ended.</summary>
    public override bool CanWrite => _canWrite && CanRead;

    /// <inheritdoc cref="CanRead"/>
    public override bool CanSeek => CanRead;

    /// <summary>False: the time limit is that of the connection's commands.</summary>
    public override bool CanTimeout => false;

    /// <summary>The position in bytes. To set it takes a round trip.</summary>
    public override long Position
    {
        get => Open()._position;
        set => Seek(value, SeekOrigin.Begin);
    }

    /// <summary>The length in bytes. It takes a few round trips.</summary>
    public override long Length
    {
        get
        {
            var length = SeekTo(0, SeekOrigin.End);
            SeekTo(Open()._position, SeekOrigin.Begin);
            return length;
        }
    }

    private LargeObjectFunctions Functions => _manager.Functions;

    // Whether the descriptor has not come to mean another large object, or none.
    private bool IsOfTransaction =>
        _ofTransaction?.Has(_descriptor, this) == true && ReferenceEquals(_ofTransaction, Functions.OfTransaction);

    private bool MustClose => !_isClosed && IsOfTransaction && Functions.MustClose;

    /// <summary>The length in bytes. It takes a few round trips.</summary>
    public async Task<long> GetLengthAsync(CancellationToken cancellationToken = default)
    {
        var length = await SeekToAsync(0, SeekOrigin.End, cancellationToken).ConfigureAwait(false);
        await SeekToAsync(_position, SeekOrigin.Begin, cancellationToken).ConfigureAwait(false);
        return length;
    }

    /// <summary>Reads <paramref name="count"/> bytes; fewer only at the end.</summary>
    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        return Read(buffer.AsSpan(offset, count));
    }

    /// <summary>Fills the buffer; fewer bytes come only at the end.</summary>
    /// <inheritdoc/>
    public override int Read(Span<byte> buffer)
    {
        var read = 0;
        while (read < buffer.Length)
        {
            var block = buffer[read..Math.Min(buffer.Length, read + _manager.MaxTransferBlockSize)];
            var count = Open().Functions.ReadInto(_descriptor, block);
            read += count;
            _position += count;
            if (count < block.Length)
                break;
        }
        return read;
    }

    /// <inheritdoc cref="Read(byte[], int, int)"/>
    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        return ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();
    }

    /// <inheritdoc cref="Read(Span{byte})"/>
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        var read = 0;
        while (read < buffer.Length)
        {
            var block = buffer[read..Math.Min(buffer.Length, read + _manager.MaxTransferBlockSize)];
            var count = await Open().Functions.ReadIntoAsync(_descriptor, block, cancellationToken).ConfigureAwait(false);
            read += count;
            _position += count;
            if (count < block.Length)
                break;
        }
        return read;
    }

    /// <inheritdoc/>
    public override void Write(byte[] buffer, int offset, int count)
    {
        ValidateBufferArguments(buffer, offset, count);
        Write(buffer.AsMemory(offset, count));
    }

    /// <inheritdoc/>
    public override void Write(ReadOnlySpan<byte> buffer) => Write((ReadOnlyMemory<byte>)buffer.ToArray());

    /// <inheritdoc/>
    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        ValidateBufferArguments(buffer, offset, count);
        return WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();
    }

    /// <inheritdoc/>
    public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        CheckCanWrite();
        while (!buffer.IsEmpty)
        {
            var block = buffer[..Math.Min(buffer.Length, _manager.MaxTransferBlockSize)];
            var writing = Functions.CallAsync<int>("lowrite", cancellationToken, Arg.Int(_descriptor), Arg.Bytes(block));
            var count = await writing.ConfigureAwait(false);
            _position += count;
            buffer = buffer[count..];
        }
    }

    /// <summary>Goes to a position, which may be behind the end: bytes between the end and what is written there are 0.</summary>
    /// <inheritdoc/>
    public override long Seek(long offset, SeekOrigin origin)
    {
        CheckSeek(offset, origin);
        return _position = SeekTo(offset, origin);
    }

    /// <inheritdoc cref="Seek"/>
    public async Task<long> SeekAsync(long offset, SeekOrigin origin, CancellationToken cancellationToken = default)
    {
        CheckSeek(offset, origin);
        return _position = await SeekToAsync(offset, origin, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Cuts the large object off, or fills it up with bytes of 0. The position stays.</summary>
    /// <inheritdoc/>
    public override void SetLength(long value)
    {
        CheckLength(value);
        Functions.Call<int>("lo_truncate64", Arg.Int(_descriptor), Arg.Long(value));
    }

    /// <inheritdoc cref="SetLength(long)"/>
    public Task SetLength(long value, CancellationToken cancellationToken)
    {
        CheckLength(value);
        return Functions.CallAsync<int>("lo_truncate64", cancellationToken, Arg.Int(_descriptor), Arg.Long(value));
    }

    /// <summary>Does nothing: what was written is with the server.</summary>
    public override void Flush()
    {
    }

    /// <inheritdoc cref="Flush"/>
    public override Task FlushAsync(CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested ? Task.FromCanceled(cancellationToken) : Task.CompletedTask;

    /// <summary>
    /// Closes the large object. If its transaction is over, or has failed, the server has closed it already. After a ROLLBACK TO SAVEPOINT
    /// the server closes it at the latest with the transaction.
    /// </summary>
    public override void Close()
    {
        if (MustClose)
        {
            _isClosed = true;
            Functions.Call<int>("lo_close", Arg.Int(_descriptor));
        }
        _isClosed = true;
        base.Close();
    }

    /// <inheritdoc cref="Close"/>
    public override async ValueTask DisposeAsync()
    {
        if (MustClose)
        {
            _isClosed = true;
            await Functions.CallAsync<int>("lo_close", CancellationToken.None, Arg.Int(_descriptor)).ConfigureAwait(false);
        }
        _isClosed = true;
        await base.DisposeAsync().ConfigureAwait(false);
    }

    private PgLargeObjectStream Open()
    {
        ObjectDisposedException.ThrowIf(_isClosed, this);
        return IsOfTransaction ? this : throw new InvalidOperationException(
            "The server has closed the large object: the transaction in which it was opened has ended, or gone back to a savepoint from "
            + "before the opening.");
    }

    private void CheckCanWrite()
    {
        if (!Open()._canWrite)
            throw new NotSupportedException("The large object was opened for reading: open it with OpenReadWrite.");
    }

    private void CheckLength(long value)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(value);
        CheckCanWrite();
    }

    private void CheckSeek(long offset, SeekOrigin origin)
    {
        if (origin is not (SeekOrigin.Begin or SeekOrigin.Current or SeekOrigin.End))
            throw new ArgumentOutOfRangeException(nameof(origin), origin, "Begin, Current and End are the origins of a position.");
        if (origin == SeekOrigin.Begin)
            ArgumentOutOfRangeException.ThrowIfNegative(offset);
        Open();
    }

    // SeekOrigin has the numbers of SEEK_SET, SEEK_CUR and SEEK_END.
    private long SeekTo(long offset, SeekOrigin origin) =>
        Open().Functions.Call<long>("lo_lseek64", Arg.Int(_descriptor), Arg.Long(offset), Arg.Int((int)origin));

    private Task<long> SeekToAsync(long offset, SeekOrigin origin, CancellationToken token) =>
        Open().Functions.CallAsync<long>("lo_lseek64", token, Arg.Int(_descriptor), Arg.Long(offset), Arg.Int((int)origin));

    private void Write(ReadOnlyMemory<byte> buffer)
    {
        CheckCanWrite();
        while (!buffer.IsEmpty)
        {
            var block = buffer[..Math.Min(buffer.Length, _manager.MaxTransferBlockSize)];
            var count = Functions.Call<int>("lowrite", Arg.Int(_descriptor), Arg.Bytes(block));
            _position += count;
            buffer = buffer[count..];
        }
    }
}
