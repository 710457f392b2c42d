using System.Security.Cryptography;

namespace Loxo.IntegrationTests.Parameters;

/// <summary>Bytes that follow from their position, as many as wanted, without an array of them. It is read in the test's form only.</summary>
internal sealed class PatternStream(long length, bool canSeek, WaitMode mode) : Stream
{
    private const int Period = 251;

    private static readonly byte[] Pattern = [.. Enumerable.Range(0, 2 * 65536 + Period).Select(i => (byte)(i % Period))];

    private long _position;

    /// <summary>Where it ends although its length says otherwise.</summary>
    public long EndsAt { get; init; } = long.MaxValue;

    /// <summary>Whether that end is an exception.</summary>
    public bool Fails { get; init; }

    /// <summary>Whether it waits for ever there.</summary>
    public bool Stalls { get; init; }

    /// <summary>Called when it gets there.</summary>
    public Action? OnEnd { get; init; }

    public override bool CanRead => true;

    public override bool CanSeek => canSeek;

    public override bool CanWrite => false;

    public override long Length => canSeek ? length : throw new NotSupportedException();

    public override long Position
    {
        get => _position;
        set => _position = canSeek ? value : throw new NotSupportedException();
    }

    /// <summary>MD5 of so many bytes, as the server writes it.</summary>
    public static string HashOf(long length)
    {
        using var stream = new PatternStream(length, canSeek: true, WaitMode.Blocking);
        return Convert.ToHexStringLower(MD5.HashData(stream));
    }

    public override int Read(Span<byte> buffer) =>
        mode == WaitMode.Blocking ? Next(buffer) : throw new InvalidOperationException("An asynchronous caller's stream was read blocking.");

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (mode == WaitMode.Blocking)
            throw new InvalidOperationException("A blocking caller's stream was read asynchronously.");
        // Not every read completes at once.
        if (_position % 3 == 0)
            await Task.Yield();
        if (Stalls && _position >= EndsAt)
        {
            OnEnd?.Invoke();
            await Task.Delay(Timeout.Infinite, cancellationToken);
        }
        return Next(buffer.Span);
    }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void Flush()
    {
    }

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    private int Next(Span<byte> buffer)
    {
        if (_position >= EndsAt)
            OnEnd?.Invoke();
        if (_position >= EndsAt && Fails)
            throw new IOException("The disk is on fire.");
        var left = Math.Min(length, EndsAt) - _position;
        var count = (int)Math.Min(Math.Min(buffer.Length, 65536), left);
        Pattern.AsSpan((int)(_position % Period), count).CopyTo(buffer);
        _position += count;
        return count;
    }
}
