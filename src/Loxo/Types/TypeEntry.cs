using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using Loxo.Protocol;
using Loxo.Types.Codecs;
using Loxo.Types.Composed;
using Loxo.Types.TextFormat;

namespace Loxo.Types;

/// <summary>
/// One PostgreSQL type and the .NET types it is read and written as. A type without a binary codec has to be asked for, and is sent,
/// in text format, as a string.
/// </summary>
/// <param name="codecs">Makes the binary codecs, the default one first. Not called before one is needed.</param>
/// <param name="rendering">
/// What a value's text is. A <see cref="TextFormat.TextForm"/> makes text format readable as more than strings; without codecs, the rendering is
/// what a value is read by that arrives in binary nevertheless.
/// </param>
internal sealed class TypeEntry(Func<IEnumerable<Codec>>? codecs = null, TextRendering? rendering = null)
{
    private Codec[]? _binary;
    private Codec[]? _text;
    private IReadOnlyList<Codec> _mapped = [];

    // Codecs that others have brought when they were asked for.
    private readonly ConcurrentDictionary<(Type, FormatCode), Codec> _others = new();

    /// <summary>pg_type.oid.</summary>
    public required uint Oid { get; init; }

    /// <summary>pg_type.typname: "int4", "_int4".</summary>
    public required string Name { get; init; }

    /// <summary>The name in SQL, as format_type shows it: "integer", "integer[]".</summary>
    public required string DisplayName { get; init; }

    /// <summary>Its member of the enumeration; null when it has none and goes by its name.</summary>
    public PgDbType? PgDbType { get; init; }

    /// <summary>The type of an array of these; null when there is none.</summary>
    public TypeEntry? Array { get; private set; }

    /// <summary>pg_type.typarray; 0 when there is none.</summary>
    public uint ArrayOid => Array?.Oid ?? 0;

    /// <summary>The type of an array's elements; null when this is no array.</summary>
    public TypeEntry? Element { get; private init; }

    /// <summary>What an array of these becomes when no .NET type is asked for. To be set before the type is used for the first time.</summary>
    public ArrayNullabilityMode ArrayNullability { get; set; }

    /// <summary>Whether values can be exchanged in binary format; if not, text is the only format.</summary>
    [MemberNotNullWhen(true, nameof(Default))]
    public bool HasBinaryCodec => codecs is not null || _mapped.Count > 0;

    /// <summary>Whether a value can be read that has come in binary format: by a codec, or at least as text.</summary>
    public bool IsReadableInBinary => HasBinaryCodec || (rendering is not (null or NoRendering) && Element is not { IsReadableInBinary: false });

    /// <summary>What makes text format readable as more than strings; null when nothing does.</summary>
    public TextForm? TextForm => rendering as TextForm;

    /// <summary>The format in which values of this type are exchanged by default.</summary>
    public FormatCode Format => HasBinaryCodec ? FormatCode.Binary : FormatCode.Text;

    /// <summary>The codec in binary format for callers that name no .NET type; null without a binary codec.</summary>
    public Codec? Default => HasBinaryCodec ? Binary[0] : null;

    /// <summary>The .NET types it is read and written as, the default one first.</summary>
    public IEnumerable<Type> ClrTypes => CodecsIn(Format).Select(codec => codec.ValueType);

    /// <summary>Whether values are read as tuples too.</summary>
    public bool IsReadAsTuple => Record is not null;

    private RecordCodec? Record => System.Array.Find(Binary, codec => codec is RecordCodec) as RecordCodec;

    private Codec[] Binary => _binary ??= HasBinaryCodec ? WithNullables([.. _mapped, .. codecs?.Invoke() ?? []])
        : rendering is not null ? [new RenderedCodec(DisplayName, rendering)]
        : [];

    private Codec[] Text => _text ??= rendering is TextForm { IsTextItself: false } form
        ? [.. Binary.Where(codec => codec is not TextOfValueCodec).Select(codec => codec.InTextFormat(form)), .. WithNullables(TextFamily.All)]
        : WithNullables(TextFamily.All);

    /// <summary>The codec for callers that name no .NET type and a value in the given format.</summary>
    public Codec? DefaultFor(FormatCode format) => CodecsIn(format) is [var first, ..] ? first : null;

    /// <summary>The codec for a .NET type, or null if the PostgreSQL type is not read and written as that type.</summary>
    public Codec? CodecFor(Type clrType, FormatCode format = FormatCode.Binary)
    {
        foreach (var codec in CodecsIn(format))
        {
            if (codec.ValueType == clrType)
                return codec;
        }
        return _others.TryGetValue((clrType, format), out var other) ? other : OtherFor(clrType, format);
    }

    /// <inheritdoc cref="CodecFor(Type, FormatCode)"/>
    public Codec<T>? CodecFor<T>(FormatCode format = FormatCode.Binary) =>
        (Codec<T>?)(CodecFor(typeof(T), format) ?? (format == FormatCode.Binary ? Record?.AsTuple<T>() : null));

    /// <summary>The codec that writes a value of which nothing is known but its run-time type; null if there is none.</summary>
    public Codec? CodecForValue(object value, FormatCode format = FormatCode.Binary)
    {
        if (CodecFor(value.GetType(), format) is { } exact)
            return exact;
        var codecs = CodecsIn(format);
        // To the runtime a uint[] or an array of enums is an int[] too, and an array of arrays one of objects, which is not what anybody means.
        var isOnlyItself = value is System.Array && value.GetType().GetElementType() is { IsValueType: true } or { IsArray: true };
        var held = isOnlyItself ? null : System.Array.Find(codecs, codec => codec.ValueType != typeof(System.Array) && codec.ValueType.IsInstanceOfType(value));
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
    public string ToText(ReadOnlySpan<byte> binary) => rendering is not null ? rendering.ToText(binary) : Default?.ReadObject(binary) switch
    {
        System.Array vector => string.Join(' ', vector.Cast<object>()),
        var value => Convert.ToString(value, CultureInfo.InvariantCulture) ?? "",
    };

    /// <summary>Puts codecs in front of its own; the first becomes the default. Before the type is used for the first time.</summary>
    public void Map(IReadOnlyList<Codec> first) => _mapped = first;

    /// <summary>Gives the type its array type.</summary>
    public TypeEntry WithArray(uint arrayOid, string? arrayName = null)
    {
        TextRendering arrayRendering = rendering is TextForm form ? new ArrayForm(this, form) : new ArrayRendering(this);
        Array = new TypeEntry(codecs is null ? null : () => ArrayCodecs(arrayRendering), arrayRendering)
        {
            Oid = arrayOid,
            Name = arrayName ?? "_" + Name,
            DisplayName = DisplayName + "[]",
            PgDbType = PgDbType is { } dbType ? dbType | Loxo.PgDbType.Array : null,
            Element = this,
        };
        return this;
    }

    private IEnumerable<Codec> ArrayCodecs(TextRendering arrayRendering)
    {
        IEnumerable<Codec> codecs = [.. Binary.SelectMany(codec => codec.ArraysOf(this)).DistinctBy(codec => codec.ValueType), .. new LateBoundCodec(this).ArraysOf(this)];
        // Where an element is read as its text, so is the array: also one that has no form as an array of .NET.
        return arrayRendering is TextForm form && Binary.Any(codec => codec is TextOfValueCodec) ? [.. codecs, new TextOfValueCodec(DisplayName + "[]", form)]
            : Binary.Any(codec => codec is RenderedCodec) ? [.. codecs, new RenderedCodec(DisplayName + "[]", arrayRendering)]
            : codecs;
    }

    private Codec? OtherFor(Type clrType, FormatCode format)
    {
        var other = Nullable.GetUnderlyingType(clrType) is { } underlying
            ? CodecFor(underlying, format)?.Nullable
            : CodecsIn(format).Select(codec => codec.As(clrType)).FirstOrDefault(codec => codec is not null);
        // Of two threads that ask at once, both get the codec of the one that came first.
        return other is null ? null : _others.GetOrAdd((clrType, format), other);
    }

    private Codec[] CodecsIn(FormatCode format) => format == FormatCode.Binary ? Binary : Text;

    private static Codec[] WithNullables(IEnumerable<Codec> codecs)
    {
        Codec[] own = [.. codecs];
        return [.. own, .. own.Select(codec => codec.Nullable).OfType<Codec>()];
    }
}
