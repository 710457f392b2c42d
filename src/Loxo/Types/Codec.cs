using Loxo.Protocol.Frontend;

namespace Loxo.Types;

/// <summary>How values of one PostgreSQL type become .NET values of one type and back, in binary format. Use <see cref="Codec{T}"/>.</summary>
internal abstract class Codec
{
    /// <summary>The .NET type it reads and writes.</summary>
    public abstract Type ValueType { get; }

    /// <summary>Reads a value that is not NULL. The span holds the value and nothing else.</summary>
    public abstract object ReadObject(ReadOnlySpan<byte> value);

    /// <summary>Writes a value of <see cref="ValueType"/>, without its length.</summary>
    public abstract void WriteObject(MessageWriter writer, object value);
}

/// <inheritdoc cref="Codec"/>
internal abstract class Codec<T> : Codec
    where T : notnull
{
    public sealed override Type ValueType => typeof(T);

    /// <inheritdoc cref="Codec.ReadObject"/>
    public abstract T Read(ReadOnlySpan<byte> value);

    /// <inheritdoc cref="Codec.WriteObject"/>
    public abstract void Write(MessageWriter writer, T value);

    public sealed override object ReadObject(ReadOnlySpan<byte> value) => Read(value);

    public sealed override void WriteObject(MessageWriter writer, object value) => Write(writer, (T)value);
}
