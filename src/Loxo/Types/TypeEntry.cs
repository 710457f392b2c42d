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
/// What a value's text is. A <see cref="TextForm"/> makes text format readable as more than strings; without codecs, the rendering is
/// what a value is read by that arrives in binary nevertheless.
/// </param>
internal sealed class TypeEntry(Func<IEnumerable<Codec>>? codecs = null, TextRendering? rendering = null)
{
    private Codec[]? _binary;
    private Codec[]? _text;
    private IReadOnlyList<Codec> _mapped = [];

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

    /// <summary>Whether values can be exchanged in binary format; if not, text is the only format.</summary>
    [MemberNotNullWhen(true, nameof(Default))]
    public bool HasBinaryCodec => codecs is not null || _mapped.Count > 0;

    /// <summary>Whether a value can be read that has come in binary format: by a codec, or at least as text.</summary>
    public bool IsReadableInBinary => HasBinaryCodec || (rendering is not (null or NoRendering) && Element is not { IsReadableInBinary: false });

    /// <summary>The format in which values of this type are exchanged by default.</summary>
    public FormatCode Format => HasBinaryCodec ? FormatCode.Binary : FormatCode.Text;

    /// <summary>The codec in binary format for callers that name no .NET type; null without a binary codec.</summary>
    public Codec? Default => HasBinaryCodec ? Binary[0] : null;

    /// <summary>The .NET types it is read and written as, the default one first.</summary>
    public IEnumerable<Type> ClrTypes => CodecsIn(Format).Select(codec => codec.ValueType);

    private Codec[] Binary => _binary ??= HasBinaryCodec ? WithNullables([.. _mapped, .. codecs?.Invoke() ?? []])
        : rendering is not null ? [new RenderedCodec(DisplayName, rendering)]
        : [];

    private Codec[] Text => _text ??= rendering is TextForm { IsTextItself: false } form
        ? [.. Binary.Where(codec => codec is not TextOfValueCodec).Select(codec => codec.InTextFormat(form)), .. WithNullables(TextFamily.All)]
        : WithNullables(TextFamily.All);

    /// <summary>The codec for callers that name no .NET type and a value in the given format.</summary>
    public Codec? DefaultFor(FormatCode format) => CodecsIn(format) is [var first, ..] ? first : null;

    /// <inheritdoc cref="DefaultFor(FormatCode)"/>
    /// <param name="format">The format.</param>
    /// <param name="modifier">pg_attribute.atttypmod. A column of bit(1) is a flag, and read as bool; other bits are no such thing.</param>
    public Codec? DefaultFor(FormatCode format, int modifier) =>
        modifier == 1 && Name == "bit" ? CodecFor(typeof(bool), format) : DefaultFor(format);

    /// <summary>The codec for a .NET type, or null if the PostgreSQL type is not read and written as that type.</summary>
    public Codec? CodecFor(Type clrType, FormatCode format = FormatCode.Binary)
    {
        foreach (var codec in CodecsIn(format))
        {
            if (codec.ValueType == clrType)
                return codec;
        }
        return null;
    }

    /// <inheritdoc cref="CodecFor(Type, FormatCode)"/>
    public Codec<T>? CodecFor<T>(FormatCode format = FormatCode.Binary) => (Codec<T>?)CodecFor(typeof(T), format);

    /// <summary>The codec that writes a value of which nothing is known but its run-time type; null if there is none.</summary>
    public Codec? CodecForValue(object value, FormatCode format = FormatCode.Binary)
    {
        if (CodecFor(value.GetType(), format) is { } exact)
            return exact;
        // To the runtime a uint[] or an array of enums is an int[] too, which is not what anybody means by it.
        var isArrayOfValues = value is System.Array && value.GetType().GetElementType()!.IsValueType;
        return isArrayOfValues ? null : System.Array.Find(CodecsIn(format), codec => codec.ValueType.IsInstanceOfType(value));
    }

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
        IEnumerable<Codec> codecs = [.. Binary.SelectMany(codec => codec.ArraysOf(this)), .. new LateBoundCodec(this).ArraysOf(this)];
        // Where an element is read as its text, so is the array: also one that has no form as an array of .NET.
        return arrayRendering is TextForm form && Binary.Any(codec => codec is TextOfValueCodec)
            ? [.. codecs, new TextOfValueCodec(DisplayName + "[]", form)]
            : codecs;
    }

    private Codec[] CodecsIn(FormatCode format) => format == FormatCode.Binary ? Binary : Text;

    private static Codec[] WithNullables(IEnumerable<Codec> codecs)
    {
        Codec[] own = [.. codecs];
        return [.. own, .. own.Select(codec => codec.Nullable).OfType<Codec>()];
    }
}
