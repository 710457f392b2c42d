using System.Diagnostics.CodeAnalysis;
using Loxo.Protocol;
using Loxo.Types.Codecs;

namespace Loxo.Types;

/// <summary>
/// One PostgreSQL type and the .NET types it is read and written as. A type without a binary codec has to be asked for, and is sent,
/// in text format.
/// </summary>
/// <param name="codecs">The binary codecs, the default one first; called at most a few times, and only when one is needed.</param>
internal sealed class TypeEntry(Func<IEnumerable<Codec>>? codecs = null)
{
    private Codec[]? _binary;
    private Codec[]? _text;

    /// <summary>pg_type.oid.</summary>
    public required uint Oid { get; init; }

    /// <summary>pg_type.typname: "int4", "_int4".</summary>
    public required string Name { get; init; }

    /// <summary>The name in SQL, as format_type shows it: "integer", "integer[]".</summary>
    public required string DisplayName { get; init; }

    /// <summary>The type of an array of these; null when there is none.</summary>
    public TypeEntry? Array { get; private set; }

    /// <summary>The type of an array's elements; null when this is no array.</summary>
    public TypeEntry? Element { get; private init; }

    /// <summary>pg_type.typarray; 0 when there is none.</summary>
    public uint ArrayOid => Array?.Oid ?? 0;

    /// <summary>Its member of the enumeration; null when it has none and goes by its name.</summary>
    public PgDbType? DbType { get; init; }

    /// <summary>Whether values can be exchanged in binary format; if not, text is the only format.</summary>
    [MemberNotNullWhen(true, nameof(Default))]
    public bool HasBinaryCodec => Binary.Length != 0;

    /// <summary>The codec for callers that name no .NET type; null without a binary codec.</summary>
    public Codec? Default => Binary is [var first, ..] ? first : null;

    /// <summary>The codec for callers that name no .NET type and a value in text format: the same .NET type if it can be, else string.</summary>
    public Codec DefaultText => (Default is { } codec ? CodecFor(codec.ValueType, FormatCode.Text) : null) ?? TextFamily.String;

    private Codec[] Binary => _binary ??= WithNullables(codecs?.Invoke() ?? []);

    private Codec[] Text => _text ??= WithNullables(TextFamily.All);

    /// <summary>The codec for a .NET type, or null if the PostgreSQL type is not read and written as that type.</summary>
    public Codec? CodecFor(Type clrType, FormatCode format = FormatCode.Binary)
    {
        foreach (var codec in format == FormatCode.Binary ? Binary : Text)
        {
            if (codec.ValueType == clrType)
                return codec;
        }
        return null;
    }

    /// <inheritdoc cref="CodecFor(Type, FormatCode)"/>
    public Codec<T>? CodecFor<T>(FormatCode format = FormatCode.Binary) => (Codec<T>?)CodecFor(typeof(T), format);

    /// <summary>Adds the array type of these values.</summary>
    public TypeEntry WithArray(uint arrayOid, string? arrayName = null)
    {
        Array = new TypeEntry(() => Binary.SelectMany(codec => codec.ArraysOf(this)))
        {
            Oid = arrayOid,
            Name = arrayName ?? "_" + Name,
            DisplayName = DisplayName + "[]",
            DbType = DbType is { } dbType ? dbType | PgDbType.Array : null,
            Element = this,
        };
        return this;
    }

    private static Codec[] WithNullables(IEnumerable<Codec> codecs)
    {
        Codec[] own = [.. codecs];
        return [.. own, .. own.Select(codec => codec.Nullable).OfType<Codec>()];
    }
}
