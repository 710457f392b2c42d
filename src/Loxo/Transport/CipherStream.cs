using System.Threading.Tasks.Sources;
using Loxo.Protocol.Frontend;

namespace Loxo.Transport;

/// <summary>The network as SslStream sees it: the next <see cref="Feed"/> completes a pending read on its own thread.</summary>
internal sealed class CipherStream(MessageWriter outgoing) : Stream, IValueTaskSource<int>
{
    private ManualResetValueTaskSourceCore<int> _pending;
    private Memory<byte> _target;
    private byte[] _fed = new byte[32 * 1024];
    private int _start;
    private int _end;
    private volatile bool _isPending;

    public bool IsReadPending => _isPending;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public Memory<byte> FreeSpace()
    {
        if (_start == _end)
            _start = _end = 0;
        if (_end == _fed.Length && _start > 0)
        {
            Buffer.BlockCopy(_fed, _start, _fed, 0, _end - _start);
            _end -= _start;
            _start = 0;
        }
        if (_end == _fed.Length)
            Array.Resize(ref _fed, _fed.Length * 2);
        return _fed.AsMemory(_end);
    }

    /// <summary>Says that so many bytes were put into <see cref="FreeSpace"/>, and lets a pending read have them.</summary>
    public void Feed(int count)
    {
        _end += count;
        if (!_isPending)
            return;
        var taken = Take(_target.Span);
        _target = default;
        _isPending = false;
        _pending.SetResult(taken);
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (buffer.IsEmpty)
            return new ValueTask<int>(0);
        if (_start != _end)
            return new ValueTask<int>(Take(buffer.Span));
        _pending.Reset();
        _target = buffer;
        _isPending = true;
        return new ValueTask<int>(this, _pending.Version);
    }

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => outgoing.WriteBytes(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> buffer) => outgoing.WriteBytes(buffer);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        outgoing.WriteBytes(buffer.Span);
        return default;
    }

    public override void Flush()
    {
    }

    public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    int IValueTaskSource<int>.GetResult(short token) => _pending.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<int>.GetStatus(short token) => _pending.GetStatus(token);

    void IValueTaskSource<int>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _pending.OnCompleted(continuation, state, token, flags & ~ValueTaskSourceOnCompletedFlags.UseSchedulingContext);

    private int Take(Span<byte> target)
    {
        var count = Math.Min(target.Length, _end - _start);
        _fed.AsSpan(_start, count).CopyTo(target);
        _start += count;
        return count;
    }
}
