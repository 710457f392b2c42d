using System.Collections.Concurrent;
using Loxo.Protocol;

namespace Loxo.Types;

/// <summary>One PostgreSQL type and its .NET types. Without a binary codec it is requested and sent as text, as a string.</summary>
/// <param name="codecs">Makes the binary codecs, the default one first; called when one is needed first.</param>
/// <param name="formatter">Makes the text of a binary value. With a <see cref="TextFormat"/>, text is read as more than strings.</param>
internal sealed class TypeEntry(Func<IEnumerable<Codec>>? codecs = null, TextFormatter? formatter = null)
{
    public const uint RecordOid = 2249;
    public const uint RecordArrayOid = 2287;

    private Codec[]? _binary;
    private Codec[]? _text;
    private Func<IEnumerable<Codec>>? _mapped;
    private CodecCache? _factoryBinary;
    private CodecCache? _factoryText;

    // Codecs for .NET types that are not listed, which listed codecs have brought.
    private readonly ConcurrentDictionary<(Type, FormatCode), Codec> _others = new();

    public required uint Oid { get; init; }

    /// <summary>pg_type.typname: "int4", "_int4".</summary>
    public required string Name { get; init; }

    /// <summary>The name in SQL, as format_type shows it: "integer", "integer[]".</summary>
    public required string DisplayName { get; init; }

    /// <summary>What the catalogue says of the type; null for types of every server, and for array types.</summary>
    public TypeDescription? Description { get; init; }

    public Func<uint, TypeEntry?>? FieldTypes { get; init; }

    /// <summary>
    /// Whether the server refuses some bytes that it sends itself: those of empty values (tsqueryrecv, int2vectorrecv, oidvectorrecv).
    /// </summary>
    public bool MayRefuseItsOutput =>
        PgDbType is Loxo.PgDbType.TsQuery or Loxo.PgDbType.Int2Vector or Loxo.PgDbType.Oidvector || Element is { MayRefuseItsOutput: true };

    /// <summary>Whether it, or the type that it is an array of, was looked up in the catalogue.</summary>
    public bool IsOfUser => (Element ?? this).Description is not null;

    /// <summary>Whether it is record, or an array of it: each value names the types of its fields.</summary>
    public bool IsRecord => Oid is RecordOid or RecordArrayOid;

    /// <summary>Whether a string that is written as this type goes out in text format, for the server to read.</summary>
    public bool TakesText => IsRecord || Description is { Kind: 'c' };

    /// <summary>Its member of the enumeration; null for a type that only its name identifies.</summary>
    public PgDbType? PgDbType { get; init; }

    /// <summary>pg_type.typarray; 0 when there is none.</summary>
    public uint ArrayOid { get; init; }

    public TypeEntry? Array { get; set; }

    public TypeEntry? Element { get; init; }

    /// <summary>Makes codecs for .NET types that are not listed; null when the listed ones are all.</summary>
    public ICodecFactory? Factory { get; init; }

    /// <summary>The format that lets values in text format be read as more than strings; null when there is none.</summary>
    public TextFormat? TextFormat => formatter as TextFormat;

    [MemberNotNullWhen(true, nameof(Default))]
    public bool HasBinaryCodec => codecs is not null || _mapped is not null;

    /// <summary>Whether a value that has come in binary format can be read: by a codec, or at least as text.</summary>
    public bool IsReadableInBinary =>
        HasBinaryCodec || (formatter is not (null or NoTextFormatter) && Element is not { IsReadableInBinary: false });

    public FormatCode Format => HasBinaryCodec ? FormatCode.Binary : FormatCode.Text;

    /// <summary>The codec in binary format for callers that name no .NET type; null without a binary codec.</summary>
    public Codec? Default => HasBinaryCodec ? Binary[0] : null;

    public bool TakesStreams => CodecFor(typeof(byte[]), Format) is { TakesStreams: true };

    /// <summary>The .NET types it is read and written as, the default one first.</summary>
    public IEnumerable<Type> ClrTypes => CodecsIn(Format).Select(codec => codec.ValueType);

    public IReadOnlyList<Codec> BinaryCodecs => Binary;

    private Codec[] Binary => _binary ??= HasBinaryCodec ? WithNullables([.. _mapped?.Invoke() ?? [], .. codecs?.Invoke() ?? []])
        : formatter is not null ? [new ReadOnlyTextCodec(DisplayName, formatter)]
        : [];

    private Codec[] Text => _text ??= formatter switch
    {
        TextFormat { IsTextItself: true } format => [.. WithNullables(TextFamily.All), .. InText(format)],
        TextFormat format => [.. InText(format), .. WithNullables(TextFamily.All)],
        _ => WithNullables(TextFamily.All),
    };

    /// <summary>A row of the table of built-in types (pg_type.dat). Without codecs the type is exchanged as text.</summary>
    public static TypeEntry BuiltIn(
        uint oid, uint array, string name, string display, PgDbType? dbType, Func<IEnumerable<Codec>>? codecs,
        TextFormatter? formatter = null, ICodecFactory? factory = null) =>
        new(codecs, formatter)
        {
            Oid = oid, ArrayOid = array, Name = name, DisplayName = display, PgDbType = dbType, Factory = factory,
        };

    /// <summary>A type that is read and written as its text too.</summary>
    public static TypeEntry WithText(
        uint oid, uint array, string name, string display, PgDbType? dbType, TextFormat format, Func<IEnumerable<Codec>> codecs) =>
        BuiltIn(oid, array, name, display, dbType, () => [.. codecs(), new FormattedTextCodec(display, format)], format);

    /// <summary>The same for a .NET type that parses and formats text as the server does.</summary>
    public static TypeEntry Parsable<T>(uint oid, uint array, string name, PgDbType? dbType, params Codec[] codecs)
        where T : ISpanParsable<T> =>
        WithText(oid, array, name, name, dbType, new ParsableTextFormat<T>(name, codecs.OfType<Codec<T>>().Single()), () => codecs);

    public static TypeEntry Described(TypeDescription description, Func<IEnumerable<Codec>>? codecs, TextFormatter? formatter,
        ICodecFactory? factory, Func<uint, TypeEntry?> fieldTypes) =>
        new(codecs, formatter)
        {
            Oid = description.Oid,
            ArrayOid = description.Array,
            Name = description.Name,
            DisplayName = description.DisplayName,
            Description = description,
            FieldTypes = fieldTypes,
            Factory = factory,
        };

    public Codec? DefaultFor(FormatCode format) => CodecsIn(format) is [var first, ..] ? first : null;

    // A column of bit(1) is a flag and read as bool; other bits are not.
    public Codec? DefaultFor(FormatCode format, int modifier) =>
        modifier == 1 && Name == "bit" ? CodecFor(typeof(bool), format) : DefaultFor(format);

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
        (Codec<T>?)CodecFor(typeof(T), format) ?? CacheIn(format)?.For<T>();

    /// <summary>The codec for a .NET type that is known at run time only, listed or made; null if there is none.</summary>
    public Codec? AnyCodecFor(Type clrType) => CodecFor(clrType) ?? CacheIn(FormatCode.Binary)?.ForValue(clrType);

    public void WriteBinary(MessageWriter binary, ReadOnlySpan<byte> text)
    {
        if (formatter is not TextFormat format)
            throw TypeErrors.Malformed(DisplayName, "it has come as text, whose form is not known");
        format.WriteBinary(binary, text);
    }

    public Codec? CodecForValue(object value, FormatCode format = FormatCode.Binary) =>
        CodecFor(value.GetType(), format) ?? OtherCodecFor(value, format);

    // A method of its own, as its lambdas would cost every call an object.
    private Codec? OtherCodecFor(object value, FormatCode format)
    {
        var codecs = CodecsIn(format);
        var fitting = HasNoOtherType(value) ? null
            : System.Array.Find(codecs, codec => codec.ValueType != typeof(System.Array) && codec.ValueType.IsInstanceOfType(value));
        // An array of a class is an array of object as well, but its own type says more.
        if ((fitting is null || IsOfObjects(fitting.ValueType)) && CacheIn(format)?.ForValue(value.GetType()) is { } made)
            return made;
        return fitting ?? codecs.Select(codec => codec.AsTypeOf(value)).FirstOrDefault(codec => codec is not null);
    }

    public string ToText(ReadOnlySpan<byte> binary)
    {
        if (formatter is not null)
            return formatter.ToText(binary);
        return (Default ?? throw TypeErrors.TextOnly(DisplayName)).ReadObject(binary) switch
        {
            System.Array vector => string.Join(' ', vector.Cast<object>()),
            var value => Convert.ToString(value, CultureInfo.InvariantCulture) ?? "",
        };
    }

    /// <summary>Puts codecs in front of its own; the first becomes the default. Must be called before the type's first use.</summary>
    public void Map(Func<IEnumerable<Codec>> first) => _mapped = first;

    /// <summary>Another type that is read and written as this one: a domain over it, or an extension's type of the same format.</summary>
    public TypeEntry As(TypeDescription description, Func<uint, TypeEntry?> fieldTypes) => Described(
        description, HasBinaryCodec ? () => Binary.Where(codec => !IsNullableForm(codec)) : null, formatter, Factory, fieldTypes);

    private CodecCache? CacheIn(FormatCode format)
    {
        if (Factory is null)
            return null;
        if (format == FormatCode.Binary)
            return HasBinaryCodec ? Cache(ref _factoryBinary, null) : null;
        return TextFormat is { } text ? Cache(ref _factoryText, text) : null;
    }

    // Of two threads that come first at once, both use the cache that was set first.
    private CodecCache Cache(ref CodecCache? field, TextFormat? format) =>
        field ?? Interlocked.CompareExchange(ref field, new CodecCache(Factory!, this, format), null) ?? field;

    private IEnumerable<Codec> InText(TextFormat format) =>
        Binary.Where(codec => codec is not FormattedTextCodec).Select(codec => codec.InTextFormat(format));

    private Codec? OtherFor(Type clrType, FormatCode format)
    {
        var other = Nullable.GetUnderlyingType(clrType) is { } underlying
            ? CodecFor(underlying, format)?.Nullable
            : CodecsIn(format).Select(codec => codec.As(clrType)).FirstOrDefault(codec => codec is not null);
        // Of two threads that ask at once, both get the codec that was added first.
        return other is null ? null : _others.GetOrAdd((clrType, format), other);
    }

    private Codec[] CodecsIn(FormatCode format) => format == FormatCode.Binary ? Binary : Text;

    // To the runtime a uint[] or an array of enums is an int[] too, and an array of arrays one of objects, which nobody means.
    private static bool HasNoOtherType(object value) =>
        value is System.Array && value.GetType().GetElementType() is { IsValueType: true } or { IsArray: true };

    private static bool IsOfObjects(Type clrType) =>
        clrType == typeof(object[])
        || (clrType.IsGenericType && clrType.GetGenericArguments() is [var argument] && argument == typeof(object));

    private static bool IsNullableForm(Codec codec) => Nullable.GetUnderlyingType(codec.ValueType) is not null;

    private static Codec[] WithNullables(IEnumerable<Codec> codecs)
    {
        Codec[] own = [.. codecs];
        return [.. own, .. own.Select(codec => codec.Nullable).OfType<Codec>()];
    }
}
