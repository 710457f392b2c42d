using System.Buffers;
using Loxo.Protocol;

namespace Loxo.Transport;

/// <summary>A copy of a stream whose length was not known: in memory, or in a temporary file that only this user can read.</summary>
internal sealed class Spool : IDisposable
{
    public const int MostInMemory = 16 * 1024 * 1024;

    // Below the size from which the runtime keeps an array in the large object heap.
    private const int ChunkSize = 64 * 1024;

    private readonly List<byte[]> _chunks = [];
    private FileStream? _file;
    private int _used = ChunkSize;
    private long _position;

    public long Length { get; private set; }

    public string? Path => _file?.Name;

    /// <summary>Copies the rest of the stream, blocking.</summary>
    public void Fill(Stream source)
    {
        while (source.Read(Room().Span) is > 0 and var count)
        {
            if (!Added(count))
                Write();
        }
        _file?.Seek(0, SeekOrigin.Begin);
    }

    public async ValueTask FillAsync(Stream source, CancellationToken token)
    {
        while (await source.ReadAsync(Room(), token).ConfigureAwait(false) is > 0 and var count)
        {
            if (!Added(count))
                await WriteAsync(token).ConfigureAwait(false);
        }
        _file?.Seek(0, SeekOrigin.Begin);
    }

    public int Read(Span<byte> target) => _file is not null ? _file.Read(target) : ReadChunk(target);

    public ValueTask<int> ReadAsync(Memory<byte> target) => _file is not null ? _file.ReadAsync(target) : new(ReadChunk(target.Span));

    public void Dispose()
    {
        foreach (var chunk in _chunks)
            ArrayPool<byte>.Shared.Return(chunk);
        _chunks.Clear();
        _file?.Dispose();
    }

    private Memory<byte> Room()
    {
        if (_used == ChunkSize)
        {
            _chunks.Add(ArrayPool<byte>.Shared.Rent(ChunkSize));
            _used = 0;
        }
        return _chunks[^1].AsMemory(_used, ChunkSize - _used);
    }

    // False when what is in memory has to go to the file.
    private bool Added(int count)
    {
        _used += count;
        Length += count;
        if (Length > MessageWriter.MostInMessage)
            throw ProtocolErrors.MessageTooLarge(Length, MessageWriter.MostInMessage);
        return _file is null && Length <= MostInMemory;
    }

    private void Write()
    {
        _file ??= Create();
        for (var i = 0; i < _chunks.Count; i++)
            _file.Write(Filled(i));
        Restart();
    }

    private async ValueTask WriteAsync(CancellationToken token)
    {
        _file ??= Create();
        for (var i = 0; i < _chunks.Count; i++)
            await _file.WriteAsync(_chunks[i].AsMemory(0, Filled(i).Length), token).ConfigureAwait(false);
        Restart();
    }

    private ReadOnlySpan<byte> Filled(int index) => _chunks[index].AsSpan(0, index == _chunks.Count - 1 ? _used : ChunkSize);

    // One chunk is enough to copy with.
    private void Restart()
    {
        for (var i = 1; i < _chunks.Count; i++)
            ArrayPool<byte>.Shared.Return(_chunks[i]);
        _chunks.RemoveRange(1, _chunks.Count - 1);
        _used = 0;
    }

    private int ReadChunk(Span<byte> target)
    {
        var (index, at) = ((int)(_position / ChunkSize), (int)(_position % ChunkSize));
        var count = (int)Math.Min(Math.Min(target.Length, ChunkSize - at), Length - _position);
        if (count > 0)
            _chunks[index].AsSpan(at, count).CopyTo(target);
        _position += count;
        return count;
    }

    private static FileStream Create()
    {
        var options = new FileStreamOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.ReadWrite,
            Share = FileShare.None,
            BufferSize = 0,
            Options = FileOptions.DeleteOnClose | FileOptions.SequentialScan,
        };
        if (!OperatingSystem.IsWindows())
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        var name = string.Create(CultureInfo.InvariantCulture, $"loxo-spool-{Environment.ProcessId}-{System.IO.Path.GetRandomFileName()}");
        return new FileStream(System.IO.Path.Combine(System.IO.Path.GetTempPath(), name), options);
    }
}
