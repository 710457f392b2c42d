using Loxo.Protocol.Frontend;
using Loxo.Session;
using Loxo.Transport;
using Loxo.Types;

namespace Loxo;

/// <summary>Parameters whose value is a stream: it is read while it is sent, and is never in memory as a whole.</summary>
internal static class StreamedParameter
{
    /// <summary>The type of a stream that says nothing but its bytes.</summary>
    public static TypeEntry Bytea { get; } = TypeCatalog.BuiltIn.Find(PgDbType.Bytea)!;

    /// <summary>Writes what goes in front of the stream's bytes, and marks their place.</summary>
    /// <param name="writer">In a value's place.</param>
    /// <param name="stream">Read from its current position on, later.</param>
    /// <param name="type">Null for one that only the server knows.</param>
    /// <param name="size">How many bytes are sent at most, and of a stream that does not know its length exactly; 0 or less for all.</param>
    /// <param name="name">Whose value it is.</param>
    public static void Write(MessageWriter writer, Stream stream, TypeEntry? type, int size, string name)
    {
        if (!stream.CanRead)
            throw new ArgumentException("its stream cannot be read; it may have been closed.");
        var length = stream.CanSeek ? Math.Max(0, stream.Length - stream.Position) : OutputSource.Unknown;
        if (size > 0)
            length = stream.CanSeek ? Math.Min(size, length) : size;
        var start = writer.BeginValue();
        // jsonb has a version byte in front, say; it stands in front of no bytes too.
        if (type?.CodecFor<byte[]>(type.Format) is { } codec)
            codec.Write(writer, []);
        writer.EndValue(start, new StreamedBytes(stream, length, name));
    }

    /// <summary>Finds out, blocking, how long the streams are that do not know it. Nothing has been sent yet.</summary>
    public static void Measure(ServerSession session)
    {
        while (session.Output.Unmeasured is StreamedBytes source)
        {
            source.Measure();
            session.Output.Measured(source);
        }
    }

    /// <inheritdoc cref="Measure"/>
    public static async ValueTask MeasureAsync(ServerSession session, CancellationToken token)
    {
        while (session.Output.Unmeasured is StreamedBytes source)
        {
            await source.MeasureAsync(token).ConfigureAwait(false);
            session.Output.Measured(source);
        }
    }
}
