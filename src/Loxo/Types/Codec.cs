namespace Loxo;

/// <summary>
/// How values of one PostgreSQL type become .NET values of one type and back. Use <see cref="Codec{T}"/>; write one by deriving
/// from <see cref="ValueCodec{T}"/> or <see cref="ReferenceCodec{T}"/>.
/// </summary>
public abstract class Codec
{
    private protected Codec()
    {
    }

    /// <summary>The .NET type it reads and writes.</summary>
    public abstract Type ValueType { get; }

    /// <summary>The type of all that <see cref="ReadObject"/> returns; wider where some values have no form in the .NET type.</summary>
    internal virtual Type UntypedType => ValueType;

    /// <summary>The same bytes as <see cref="Nullable{T}"/>; null when <see cref="ValueType"/> can be null by itself.</summary>
    internal virtual Codec? Nullable => null;

    /// <summary>Whether a value's bytes, but for a fixed prefix, are the caller's own, so that they can come from a stream.</summary>
    internal virtual bool TakesStreams => false;

    /// <summary>Reads a value that is not NULL. The span holds the value and nothing else.</summary>
    /// <exception cref="PgException">The bytes are not a value of the PostgreSQL type.</exception>
    /// <exception cref="InvalidCastException">The value has no form in <see cref="ValueType"/>.</exception>
    /// <exception cref="OverflowException">The value is out of the range of <see cref="ValueType"/>.</exception>
    public abstract object ReadObject(ReadOnlySpan<byte> value);

    /// <summary>Writes a value of <see cref="ValueType"/> that is not null, without its length.</summary>
    /// <exception cref="PgException">No value of the PostgreSQL type can hold this content.</exception>
    /// <exception cref="InvalidCastException">The value has no form in the PostgreSQL type.</exception>
    /// <exception cref="OverflowException">The value is out of the range of the PostgreSQL type.</exception>
    public abstract void WriteObject(MessageWriter writer, object value);

    /// <summary>The codecs for arrays and lists of these values, the default one (T[]) first; empty when there are none.</summary>
    internal virtual IEnumerable<Codec> ArraysOf(IArrayCodecs arrays) => [];

    /// <summary>The codecs for ranges or multiranges of these values, the default one first; empty when there are none.</summary>
    internal virtual IEnumerable<Codec> RangesOf(IRangeCodecs ranges) => [];

    /// <summary>The codec for another .NET type of the same values, such as a list for an array; null if none. Made on demand.</summary>
    internal virtual Codec? As(Type clrType) => null;

    /// <summary>The codec that writes a value by an interface of its type that <see cref="As"/> knows; null when there is none.</summary>
    internal virtual Codec? AsTypeOf(object value) => null;

    internal abstract Codec InTextFormat(TextFormat format);
}

/// <inheritdoc cref="Codec"/>
public abstract class Codec<T> : Codec
{
    private protected Codec()
    {
    }

    /// <inheritdoc/>
    public sealed override Type ValueType => typeof(T);

    /// <inheritdoc cref="Codec.ReadObject"/>
    public abstract T Read(ReadOnlySpan<byte> value);

    /// <inheritdoc cref="Codec.WriteObject"/>
    public abstract void Write(MessageWriter writer, T value);

    /// <inheritdoc/>
    public sealed override object ReadObject(ReadOnlySpan<byte> value) => ReadUntyped(value);

    /// <inheritdoc/>
    public sealed override void WriteObject(MessageWriter writer, object value) => Write(writer, (T)value);

    internal virtual void WriteWithLength(MessageWriter writer, T value) // overridden where the length is always the same
    {
        var start = writer.BeginValue();
        Write(writer, value);
        writer.EndValue(start);
    }

    internal sealed override Codec InTextFormat(TextFormat format) => new TextFormatCodec<T>(this, format);

    // Some values take another type when none is asked for: arrays of several dimensions.
    private protected virtual object ReadUntyped(ReadOnlySpan<byte> value) => Read(value)!;
}
