using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Loxo.Protocol;

namespace Loxo.Types;

/// <summary>
/// One PostgreSQL type and the .NET types it is read and written as. A type without a binary codec has to be asked for, and is sent,
/// in text format, as a string.
/// </summary>
/// <param name="codecs">Makes the binary codecs, the default one first. Not called before one is needed.</param>
/// <param name="rendering">
/// What a value's text is. A <see cref="TextFormat.TextFormat"/> makes text format readable as more than strings; without codecs, the rendering is
/// what a value is read by that arrives in binary nevertheless.
/// </param>
internal sealed class TypeEntry(Func<IEnumerable<Codec>>? codecs = null, TextFormatter? rendering = null)
{
    private Codec[]? _binary;
    private Codec[]? _text;
    private Func<IEnumerable<Codec>>? _mapped;
    private CodecCache? _madeBinary;
    private CodecCache? _madeText;

    // Codecs that others have brought when they were asked for.
    private readonly ConcurrentDictionary<(Type, FormatCode), Codec> _others = new();

    /// <summary>pg_type.oid.</summary>
    public required uint Oid { get; init; }

    /// <summary>pg_type.typname: "int4", "_int4".</summary>
    public required string Name { get; init; }

    /// <summary>The name in SQL, as format_type shows it: "integer", "integer[]".</summary>
    public required string DisplayName { get; init; }

    /// <summary>What the catalogue said of it; null for types of every server, and for array types.</summary>
    public TypeDescription? Description { get; init; }

    /// <summary>Finds the types of its fields; null for a type that has none.</summary>
    public Func<uint, TypeEntry?>? FieldTypes { get; init; }

    /// <summary>Whether it, or what it is an array of, was looked up in the catalogue.</summary>
    public bool IsOfUser => (Element ?? this).Description is not null;

    /// <summary>Whether it is record, or an array of it: each value says itself of which types its fields are.</summary>
    public bool IsRecord => Oid is TypeOids.Record or TypeOids.RecordArray;

    /// <summary>Whether a string that is written as this type goes out in text format, for the server to read.</summary>
    public bool TakesText => IsRecord || Description is { Kind: 'c' };

    /// <summary>Its member of the enumeration; null when it has none and goes by its name.</summary>
    public PgDbType? PgDbType { get; init; }

    /// <summary>The type of an array of these; null when there is none.</summary>
    public TypeEntry? Array { get; private set; }

    /// <summary>pg_type.typarray; 0 when there is none.</summary>
    public uint ArrayOid => Array?.Oid ?? 0;

    /// <summary>The type of an array's elements; null when this is no array.</summary>
    public TypeEntry? Element { get; private init; }

    /// <summary>Makes codecs for .NET types that are not listed; null when the listed ones are all.</summary>
    public ICodecFactory? Factory { get; init; }

    /// <summary>What an array of these becomes when no .NET type is asked for. To be set before the type is used for the first time.</summary>
    public ArrayNullabilityMode ArrayNullability { get; set; }

    /// <summary>Whether values can be exchanged in binary format; if not, text is the only format.</summary>
    [MemberNotNullWhen(true, nameof(Default))]
    public bool HasBinaryCodec => codecs is not null || _mapped is not null;

    /// <summary>Whether a value can be read that has come in binary format: by a codec, or at least as text.</summary>
    public bool IsReadableInBinary => HasBinaryCodec || (rendering is not (null or NoTextFormatter) && Element is not { IsReadableInBinary: false });

    /// <summary>What makes text format readable as more than strings; null when nothing does.</summary>
    public TextFormat? TextFormat => rendering as TextFormat;

    /// <summary>The format in which values of this type are exchanged by default.</summary>
    public FormatCode Format => HasBinaryCodec ? FormatCode.Binary : FormatCode.Text;

    /// <summary>The codec in binary format for callers that name no .NET type; null without a binary codec.</summary>
    public Codec? Default => HasBinaryCodec ? Binary[0] : null;

    /// <summary>
    /// Whether the bytes of a value are the caller's own, apart from what stands in front of them: bytea and text. Only such a type takes a
    /// stream.
    /// </summary>
    public bool TakesStreams => CodecFor(typeof(byte[]), Format) is ByteArrayCodec or VersionedReferenceCodec<byte[]>;

    /// <summary>The .NET types it is read and written as, the default one first.</summary>
    public IEnumerable<Type> ClrTypes => CodecsIn(Format).Select(codec => codec.ValueType);

    /// <summary>Whether values are read as tuples too.</summary>
    public bool IsReadAsTuple => Record is not null;

    private RecordCodec? Record => System.Array.Find(Binary, codec => codec is RecordCodec) as RecordCodec;

    private Codec[] Binary => _binary ??= HasBinaryCodec ? WithNullables([.. _mapped?.Invoke() ?? [], .. codecs?.Invoke() ?? []])
        : rendering is not null ? [new ReadOnlyTextCodec(DisplayName, rendering)]
        : [];

    private Codec[] Text => _text ??= rendering switch
    {
        TextFormat { IsTextItself: true } form => [.. WithNullables(TextFamily.All), .. InText(form)],
        TextFormat form => [.. InText(form), .. WithNullables(TextFamily.All)],
        _ => WithNullables(TextFamily.All),
    };

    /// <summary>The codec for callers that name no .NET type and a value in the given format.</summary>
    public Codec? DefaultFor(FormatCode format) => CodecsIn(format) is [var first, ..] ? first : null;

    /// <inheritdoc cref="DefaultFor(FormatCode)"/>
    /// <param name="format">The format.</param>
    /// <param name="modifier">pg_attribute.atttypmod. A column of bit(1) is a flag, and read as bool; other bits are no such thing.</param>
    public Codec? DefaultFor(FormatCode format, int modifier) =>
        modifier == 1 && Name == "bit" ? CodecFor(typeof(bool), format) : DefaultFor(format);

    /// <summary>The listed codec for a .NET type, or null.</summary>
    public Codec? CodecFor(Type clrType, FormatCode format = FormatCode.Binary)
    {
        foreach (var codec in CodecsIn(format))
        {
            if (codec.ValueType == clrType)
                return codec;
        }
        return _others.TryGetValue((clrType, format), out var other) ? other : OtherFor(clrType, format);
    }

    /// <summary>The codec for a .NET type, listed or made; null if the PostgreSQL type is not read and written as that type.</summary>
    public Codec<T>? CodecFor<T>(FormatCode format = FormatCode.Binary) =>
        (Codec<T>?)(CodecFor(typeof(T), format) ?? (format == FormatCode.Binary ? Record?.AsTuple<T>() : null)) ?? MadeIn(format)?.For<T>();

    /// <summary>The codec for a .NET type that is known at run time only, listed or made; null if there is none.</summary>
    public Codec? AnyCodecFor(Type clrType, FormatCode format = FormatCode.Binary) => CodecFor(clrType, format) ?? MadeIn(format)?.ForValue(clrType);

    /// <summary>Writes the binary form of a value in text format.</summary>
    /// <exception cref="PgException">The text is no value of the type, or the type's text format is not known.</exception>
    public void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (rendering is not TextFormat form)
            throw TypeErrors.Malformed(DisplayName, "it has come as text, whose form is not known");
        form.WriteBinary(binary, text);
    }

    /// <summary>The codec that writes a value of which nothing is known but its run-time type; null if there is none.</summary>
    public Codec? CodecForValue(object value, FormatCode format = FormatCode.Binary)
    {
        if (CodecFor(value.GetType(), format) is { } exact)
            return exact;
        var codecs = CodecsIn(format);
        // To the runtime a uint[] or an array of enums is an int[] too, and an array of arrays one of objects, which is not what anybody means.
        var isOnlyItself = value is System.Array && value.GetType().GetElementType() is { IsValueType: true } or { IsArray: true };
        var held = isOnlyItself ? null : System.Array.Find(codecs, codec => codec.ValueType != typeof(System.Array) && codec.ValueType.IsInstanceOfType(value));
        // An array of a class is an array of object as well, but its own type says more.
        var saysNothing = held is null || held.ValueType == typeof(object[]) || (held.ValueType.IsGenericType && held.ValueType.GetGenericArguments() is [var of] && of == typeof(object));
        if (saysNothing && MadeIn(format)?.ForValue(value.GetType()) is { } made)
            return made;
        return held ?? codecs.Select(codec => codec.AsTypeOf(value)).FirstOrDefault(codec => codec is not null);
    }

    /// <summary>The codecs for ranges of this type, as many as it has itself.</summary>
    /// <param name="range">The range type's name in SQL.</param>
    public IEnumerable<Codec> RangeCodecs(string range) => Binary.SelectMany(codec => codec.RangesOf(range));

    /// <summary>The codecs for multiranges of this type.</summary>
    /// <param name="multirange">The multirange type's name in SQL.</param>
    public IEnumerable<Codec> MultirangeCodecs(string multirange) => Binary.SelectMany(codec => codec.MultirangesOf(multirange));

    /// <summary>The text of a value in binary format, as the server shows it.</summary>
    /// <exception cref="PgException">The bytes are no value of the type.</exception>
    public string ToText(ReadOnlySpan<byte> binary)
    {
        if (rendering is not null)
            return rendering.ToText(binary);
        return (Default ?? throw TypeErrors.TextOnly(DisplayName)).ReadObject(binary) switch
        {
            System.Array vector => string.Join(' ', vector.Cast<object>()),
            var value => Convert.ToString(value, CultureInfo.InvariantCulture) ?? "",
        };
    }

    /// <summary>Puts codecs in front of its own; the first becomes the default. Before the type is used for the first time.</summary>
    public void Map(Func<IEnumerable<Codec>> first) => _mapped = first;

    /// <summary>Another type that is read and written as this one: a domain over it, or a type of an extension with the same format.</summary>
    public TypeEntry As(TypeDescription description, Func<uint, TypeEntry?> fieldTypes) => new(HasBinaryCodec ? () => Binary.Where(codec => !IsNullableForm(codec)) : null, rendering)
    {
        Oid = description.Oid,
        Name = description.Name,
        DisplayName = description.DisplayName,
        Description = description,
        FieldTypes = fieldTypes,
        Factory = Factory,
    };

    /// <summary>Gives the type its array type.</summary>
    public TypeEntry WithArray(uint arrayOid, string? arrayName = null)
    {
        TextFormatter arrayRendering = rendering is TextFormat form ? new ArrayTextFormat(this, form) : new ArrayTextFormatter(this);
        Array = new TypeEntry(HasBinaryCodec ? () => ArrayCodecs(arrayRendering) : null, arrayRendering)
        {
            Oid = arrayOid,
            Name = arrayName ?? "_" + Name,
            DisplayName = DisplayName + "[]",
            PgDbType = PgDbType is { } dbType ? dbType | Loxo.PgDbType.Array : null,
            Element = this,
            Factory = Factory?.Arrays,
        };
        return this;
    }

    private IEnumerable<Codec> ArrayCodecs(TextFormatter arrayRendering)
    {
        IEnumerable<Codec> codecs = [.. Binary.SelectMany(codec => codec.ArraysOf(this)).DistinctBy(codec => codec.ValueType), .. new LateBoundCodec(this).ArraysOf(this)];
        // Where an element is read as its text, so is the array: also one that has no form as an array of .NET.
        return arrayRendering is TextFormat form && Binary.Any(codec => codec is FormattedTextCodec) ? [.. codecs, new FormattedTextCodec(DisplayName + "[]", form)]
            : Binary.Any(codec => codec is ReadOnlyTextCodec) ? [.. codecs, new ReadOnlyTextCodec(DisplayName + "[]", arrayRendering)]
            : codecs;
    }

    private CodecCache? MadeIn(FormatCode format)
    {
        if (Factory is null)
            return null;
        if (format == FormatCode.Binary)
            return HasBinaryCodec ? Made(ref _madeBinary, null) : null;
        return rendering is TextFormat form ? Made(ref _madeText, form) : null;
    }

    // Two threads that come first at once must not each keep their own.
    private CodecCache Made(ref CodecCache? field, TextFormat? form) =>
        field ?? Interlocked.CompareExchange(ref field, new CodecCache(Factory!, this, form), null) ?? field;

    private IEnumerable<Codec> InText(TextFormat form) => Binary.Where(codec => codec is not FormattedTextCodec).Select(codec => codec.InTextFormat(form));

    private Codec? OtherFor(Type clrType, FormatCode format)
    {
        var other = Nullable.GetUnderlyingType(clrType) is { } underlying
            ? CodecFor(underlying, format)?.Nullable
            : CodecsIn(format).Select(codec => codec.As(clrType)).FirstOrDefault(codec => codec is not null);
        // Of two threads that ask at once, both get the codec of the one that came first.
        return other is null ? null : _others.GetOrAdd((clrType, format), other);
    }

    private Codec[] CodecsIn(FormatCode format) => format == FormatCode.Binary ? Binary : Text;

    private static bool IsNullableForm(Codec codec) => Nullable.GetUnderlyingType(codec.ValueType) is not null;

    private static Codec[] WithNullables(IEnumerable<Codec> codecs)
    {
        Codec[] own = [.. codecs];
        return [.. own, .. own.Select(codec => codec.Nullable).OfType<Codec>()];
    }
}
