using System.Buffers;
using Loxo.Protocol.Frontend;
using Loxo.Transport;
using Loxo.Types;

namespace Loxo.Parameters;

/// <summary>Parameters whose value is a stream: it is read while it is sent, and is never in memory as a whole.</summary>
internal static class StreamedParameter
{
    /// <summary>The type of a stream that says nothing but its bytes.</summary>
    public static TypeEntry Bytea { get; } = TypeCatalog.BuiltIn.Find(PgDbType.Bytea)!;

    /// <summary>The type of a stream or of a collection of streams that says nothing but its bytes; null for other values.</summary>
    public static TypeEntry? TypeOf<T>(T value) => value is Stream ? Bytea : StreamedArray.IsOfStreams(value) ? Bytea.Array : null;

    // Below that a copy is cheaper than a system call of its own.
    private const int LongSequence = 64 * 1024;

    /// <summary>Whether the value is sent from where it is: a stream, or a sequence that is worth it.</summary>
    public static bool Is<T>(T value) => value is Stream or ReadOnlySequence<byte> { Length: > LongSequence };

    /// <summary>Whether only some values of a .NET type are streamed.</summary>
    public static bool IsForSome(Type clrType) => clrType == typeof(ReadOnlySequence<byte>) || StreamedArray.MayHaveStreams(clrType);

    /// <summary>A stream over the bytes where they are.</summary>
    public static Stream StreamOf(ReadOnlySequence<byte> bytes) => new SequenceStream(bytes);

    /// <summary>Writes what goes in front of the stream's bytes, and marks their place.</summary>
    // A size above 0 is how many bytes are sent at most, and of a stream that does not know its length exactly.
    public static void Write(MessageWriter writer, object value, TypeEntry? type, int size, string name)
    {
        if (value is not (Stream or ReadOnlySequence<byte>))
        {
            WriteArray(writer, value, type!.Element!, name);
            return;
        }
        var stream = value as Stream ?? new SequenceStream((ReadOnlySequence<byte>)value);
        CheckReadable(stream);
        var length = stream.CanSeek ? Math.Max(0, stream.Length - stream.Position) : OutputSource.Unknown;
        if (size > 0)
            length = stream.CanSeek ? Math.Min(size, length) : size;
        var start = writer.BeginValue();
        // jsonb has a version byte in front, say; it stands in front of no bytes too.
        if (type?.CodecFor<byte[]>(type.Format) is { } codec)
            codec.Write(writer, []);
        writer.EndValue(start, new StreamedBytes(stream, length, name));
    }

    public static void CheckReadable(Stream stream)
    {
        if (!stream.CanRead)
            throw new ArgumentException("its stream cannot be read; it may have been closed.");
    }

    // No size: it is not for the elements of an array.
    private static void WriteArray(MessageWriter writer, object value, TypeEntry element, string name)
    {
        var stream = StreamedArray.StreamOf(value, element);
        var start = writer.BeginValue();
        writer.EndValue(start, new StreamedBytes(stream, stream.CanSeek ? stream.Length : OutputSource.Unknown, name, ownsStream: true));
    }

    // A long sequence is sent from where it lies instead of being copied first.
    private sealed class SequenceStream(ReadOnlySequence<byte> sequence) : SourceStream
    {
        private long _position;

        public override bool CanSeek => true;

        public override long Length => sequence.Length;

        public override long Position { get => _position; set => _position = value; }

        public override int Read(Span<byte> buffer)
        {
            var part = sequence.Slice(_position, Math.Min(buffer.Length, sequence.Length - _position));
            part.CopyTo(buffer);
            _position += part.Length;
            return (int)part.Length;
        }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            cancellationToken.IsCancellationRequested ? ValueTask.FromCanceled<int>(cancellationToken) : new(Read(buffer.Span));
    }
}
