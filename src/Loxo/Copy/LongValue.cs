using Loxo.Parameters;
using Loxo.Transport;

namespace Loxo.Copy;

/// <summary>
/// A value that is written in pieces, so that it never lies in the output buffer as a whole: a stream, long bytes, or a long text.
/// </summary>
internal sealed class LongValue : IDisposable
{
    // Below that a value is written whole.
    private const int LongBytes = 64 * 1024;
    private const int LongText = 32 * 1024;

    private readonly Stream _source;
    private readonly byte[] _prefix;
    private Spool? _spool;

    private LongValue(Stream source, byte[] prefix) => (_source, _prefix) = (source, prefix);

    /// <summary>The bytes in front of the value's own, such as the version of jsonb.</summary>
    public ReadOnlySpan<byte> Prefix => _prefix;

    /// <summary>The number of bytes behind the prefix; known once the value has been measured.</summary>
    public long Length { get; private set; }

    private bool IsMeasured => _source.CanSeek;

    /// <summary>Whether the value is worth it, if its column takes it.</summary>
    // The compiler drops what cannot be for a value type; a text, the most frequent class by far, is asked for first.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool MayBe<T>(T value) => typeof(T).IsValueType || typeof(T) == typeof(object)
        ? value is string { Length: > LongText } or byte[] { Length: > LongBytes } or Stream
            or ReadOnlyMemory<byte> { Length: > LongBytes } or ReadOnlySequence<byte> { Length: > LongBytes }
        : value is string text ? text.Length > LongText
        : value is byte[] { Length: > LongBytes } or Stream;

    /// <summary>The value for a column of that type; null if it is to be written by its codec.</summary>
    /// <exception cref="InvalidCastException">The value is a stream, and the type does not take streams.</exception>
    public static LongValue? For(object value, TypeEntry? type, uint oid)
    {
        if (type is not { HasBinaryCodec: true, TakesStreams: true })
            return value is Stream ? throw CopyErrors.NotWritable(type, oid, value.GetType()) : null;
        // A text of bytea is not its bytes.
        if (value is string && type.CodecFor<string>() is null or FormattedTextCodec)
            return null;
        var prefix = new MessageWriter(16);
        type.CodecFor<byte[]>()!.Write(prefix, []);
        if (value is Stream { CanRead: false })
            throw new ArgumentException("its stream cannot be read; it may have been closed.");
        return new LongValue(StreamOf(value), prefix.Pending.ToArray());
    }

    /// <summary>Finds out how many bytes there are, blocking while a stream that does not know its length is read.</summary>
    public void Measure()
    {
        if (!IsMeasured)
        {
            _spool = new Spool();
            _spool.Fill(_source);
        }
        SetLength();
    }

    /// <inheritdoc cref="Measure"/>
    public async ValueTask MeasureAsync(CancellationToken token)
    {
        if (!IsMeasured)
        {
            _spool = new Spool();
            await _spool.FillAsync(_source, token).ConfigureAwait(false);
        }
        SetLength();
    }

    /// <summary>Reads some bytes; 0 at the end.</summary>
    public int Read(Span<byte> room) => _spool is not null ? _spool.Read(room) : _source.Read(room);

    /// <inheritdoc cref="Read"/>
    public ValueTask<int> ReadAsync(Memory<byte> room, CancellationToken token) =>
        _spool is not null ? _spool.ReadAsync(room) : _source.ReadAsync(room, token);

    /// <summary>Releases the copy of a stream; the stream itself stays open.</summary>
    public void Dispose() => _spool?.Dispose();

    private void SetLength() => Length = _spool?.Length ?? Math.Max(0, _source.Length - _source.Position);

    private static Stream StreamOf(object value) => value switch
    {
        Stream stream => stream,
        string text => new Utf8Stream(text),
        byte[] bytes => new MemoryStream(bytes, writable: false),
        ReadOnlyMemory<byte> bytes => StreamedParameter.StreamOf(new ReadOnlySequence<byte>(bytes)),
        _ => StreamedParameter.StreamOf((ReadOnlySequence<byte>)value),
    };
}
