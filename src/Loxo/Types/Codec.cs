using Loxo.Types;
using Loxo.Types.TextFormat;

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

    /// <summary>The same bytes as <see cref="Nullable{T}"/>, or null when <see cref="ValueType"/> can be null by itself.</summary>
    internal abstract Codec? Nullable { get; }

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

    /// <summary>The codecs for arrays and lists of these values, the default one (T[]) first.</summary>
    internal abstract IEnumerable<Codec> ArraysOf(TypeEntry element);

    /// <summary>The same .NET type in text format.</summary>
    internal abstract Codec InTextFormat(TextForm form);
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
    public sealed override object ReadObject(ReadOnlySpan<byte> value) => Read(value)!;

    /// <inheritdoc/>
    public sealed override void WriteObject(MessageWriter writer, object value) => Write(writer, (T)value);

    internal sealed override Codec InTextFormat(TextForm form) => new TextFormCodec<T>(this, form);
}
