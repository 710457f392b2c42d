using Loxo.Protocol.Frontend;

namespace Loxo.Transport;

/// <summary>A value that is pulled from a stream while it is sent, or from a <see cref="Spool"/> if its length is not known.</summary>
/// <param name="stream">Read from where it stands, and not disposed of unless it is owned.</param>
/// <param name="length">How many bytes are sent; <see cref="OutputSource.Unknown"/> for all.</param>
/// <param name="name">Whose value it is, for what is thrown.</param>
/// <param name="ownsStream">Whether the stream was made for this value.</param>
internal sealed class StreamedBytes(Stream stream, long length, string name, bool ownsStream = false) : OutputSource
{
    private readonly long _origin = stream.CanSeek ? stream.Position : 0;
    private long _length = length;
    private long _sent;
    private Spool? _spool;

    public override long Length => _length;

    public override bool CanRewind => stream.CanSeek;

    public override void Rewind() => stream.Position = _origin;

    public override void Release()
    {
        _spool?.Dispose();
        if (ownsStream)
            stream.Dispose();
    }

    /// <summary>The error of the stream that failed or is too long, if one did; nothing of the flight may have been sent.</summary>
    public Exception? TryMeasure(MessageWriter output)
    {
        try
        {
            for (var source = this; source is not null; source = output.Unmeasured as StreamedBytes)
            {
                source.Measure();
                source.MeasuredFor(output);
            }
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }

    /// <inheritdoc cref="TryMeasure"/>
    public async ValueTask<Exception?> TryMeasureAsync(MessageWriter output, CancellationToken token)
    {
        try
        {
            for (var source = this; source is not null; source = output.Unmeasured as StreamedBytes)
            {
                await source.MeasureAsync(token).ConfigureAwait(false);
                source.MeasuredFor(output);
            }
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }

    /// <summary>Pulls some bytes, blocking as long as the stream does.</summary>
    public int Pull(Span<byte> room)
    {
        if (_spool is not null)
            return _spool.Read(room);
        int count;
        try
        {
            GoToOrigin();
            count = stream.Read(room);
        }
        catch (Exception e)
        {
            throw Broken(e);
        }
        return Checked(count);
    }

    public async ValueTask<int> PullAsync(Memory<byte> room, CancellationToken token)
    {
        if (_spool is not null)
            return await _spool.ReadAsync(room).ConfigureAwait(false);
        int count;
        try
        {
            GoToOrigin();
            count = await stream.ReadAsync(room, token).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            throw Broken(e);
        }
        return Checked(count);
    }

    private void Measure()
    {
        _spool = new Spool();
        try
        {
            _spool.Fill(stream);
        }
        catch (Exception e)
        {
            _spool.Dispose();
            throw Failed(e);
        }
    }

    private async ValueTask MeasureAsync(CancellationToken token)
    {
        _spool = new Spool();
        try
        {
            await _spool.FillAsync(stream, token).ConfigureAwait(false);
        }
        catch (Exception e)
        {
            _spool.Dispose();
            if (e is OperationCanceledException && token.IsCancellationRequested)
                throw;
            throw Failed(e);
        }
    }

    private void MeasuredFor(MessageWriter output)
    {
        _length = _spool!.Length;
        try
        {
            output.Measured(this);
        }
        catch (PgException e)
        {
            throw Failed(e);
        }
    }

    // Another parameter may have the same stream.
    private void GoToOrigin()
    {
        if (_sent == 0 && stream.CanSeek && stream.Position != _origin)
            stream.Position = _origin;
    }

    private int Checked(int count)
    {
        _sent += count;
        return count > 0 ? count : throw TransportErrors.SourceEnded(name, _sent, _length);
    }

    private PgException Broken(Exception cause) => TransportErrors.SourceBroken(name, _sent, _length, cause);

    private PgException Failed(Exception cause) => cause is PgException tooLong
        ? new PgException($"{name} cannot be sent: {tooLong.Message}", tooLong.Code, tooLong)
        : TransportErrors.SourceFailed(name, cause);
}
