using Loxo.Types;

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

    /// <summary>
    /// The .NET type of all that <see cref="ReadObject"/> returns: another one where some values have no form in <see cref="ValueType"/>.
    /// </summary>
    internal virtual Type UntypedType => ValueType;

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

    /// <summary>The codecs for ranges of these values; empty when there are none.</summary>
    /// <param name="range">The range type's name in SQL.</param>
    internal virtual IEnumerable<Codec> RangesOf(string range) => [];

    /// <summary>The codecs for multiranges of these values, the default one (an array of ranges) first; empty when there are none.</summary>
    /// <param name="multirange">The multirange type's name in SQL.</param>
    internal virtual IEnumerable<Codec> MultirangesOf(string multirange) => [];

    /// <summary>
    /// The codec for another .NET type that holds the same values, such as a list where this one is for arrays. Null when there is none. It is made
    /// when it is asked for: most programs use few of them.
    /// </summary>
    internal virtual Codec? As(Type clrType) => null;

    /// <summary>The codec that writes a value whose type implements something that <see cref="As"/> knows; null when there is none.</summary>
    internal virtual Codec? AsTypeOf(object value) => null;

    /// <summary>The same .NET type in text format.</summary>
    internal abstract Codec InTextFormat(TextFormat form);
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

    internal sealed override Codec InTextFormat(TextFormat form) => new TextFormatCodec<T>(this, form);

    // Some values take another type when none is asked for: arrays of several dimensions.
    private protected virtual object ReadUntyped(ReadOnlySpan<byte> value) => Read(value)!;
}
