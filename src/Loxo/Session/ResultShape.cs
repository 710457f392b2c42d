using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Types;

namespace Loxo.Session;

/// <summary>The columns of a result, with what is needed to decode each.</summary>
internal sealed class ResultShape
{
    private readonly ResultColumn[] _columns;

    private ResultShape(ResultColumn[] columns)
    {
        _columns = columns;
    }

    public int Count => _columns.Length;

    public ResultColumn this[int ordinal] => _columns[ordinal];

    public ReadOnlySpan<ResultColumn> Columns => _columns;

    /// <summary>The formats to request: text where there is no binary codec; empty for binary in all columns.</summary>
    public FormatCode[] Formats { get; private init; } = [];

    /// <summary>Whether every column arrives in its preferred format, which <see cref="Formats"/> requests.</summary>
    public bool IsInPreferredFormats { get; private init; }

    /// <summary>
    /// Whether its rows may have to go through a <see cref="ResultConversion"/> first: a column is of an unknown type, arrives in a format
    /// that has no codec, or is a record, whose fields may be of unknown types.
    /// </summary>
    public bool NeedsConversion { get; private init; }

    /// <summary>Whether a column arrives in a format that has no codec.</summary>
    public bool HasUnreadable { get; private init; }

    /// <summary>Whether a column's type is unknown.</summary>
    public bool HasUnknownTypes => NeedsConversion && Array.Exists(_columns, column => column.Type is null);

    /// <summary>The unknown types.</summary>
    public IEnumerable<uint> UnknownTypes => _columns.Where(column => column.Type is null).Select(column => column.Description.TypeOid);

    /// <summary>Reads a description. The description of a statement carries no formats; its columns get their preferred ones.</summary>
    /// <param name="description">The message.</param>
    /// <param name="types">The known types.</param>
    /// <param name="ofStatement">Whether a statement is described, not a portal.</param>
    /// <param name="textAsString">Whether a column in text format is read as a string, although its type is known.</param>
    public static ResultShape Read(RowDescription description, DatabaseTypes types, bool ofStatement, bool textAsString = false)
    {
        var columns = new ResultColumn[description.Count];
        var preferred = new FormatCode[description.Count];
        var allBinary = true;
        var unreadable = false;
        var unknown = false;
        var inPreferred = true;
        for (var i = 0; description.TryReadNext(out var column); i++)
        {
            var type = types.Find(column.TypeOid);
            preferred[i] = type is { HasBinaryCodec: true } ? FormatCode.Binary : FormatCode.Text;
            allBinary &= preferred[i] == FormatCode.Binary;
            columns[i] = new ResultColumn(column, type, ofStatement ? preferred[i] : column.Format, textAsString) { Types = types };
            unreadable |= columns[i].IsUnreadable;
            unknown |= columns[i].IsUnreadable || columns[i].Type is null or { IsRecord: true };
            inPreferred &= columns[i].Format == preferred[i];
        }
        return new ResultShape(columns)
        {
            Formats = allBinary ? [] : preferred,
            HasUnreadable = unreadable,
            NeedsConversion = unknown,
            IsInPreferredFormats = inPreferred,
        };
    }

    /// <summary>The same columns with the types that are known now.</summary>
    public ResultShape With(DatabaseTypes types)
    {
        var columns = Array.ConvertAll(_columns, column => column.With(types));
        var inPreferred = Array.TrueForAll(columns, column => column.Format == column.PreferredFormat);
        var isBinary = Array.TrueForAll(columns, column => column.PreferredFormat == FormatCode.Binary);
        return new ResultShape(columns)
        {
            Formats = isBinary ? [] : Array.ConvertAll(columns, column => column.PreferredFormat),
            IsInPreferredFormats = inPreferred,
            HasUnreadable = Array.Exists(columns, column => column.IsUnreadable),
            NeedsConversion = Array.Exists(columns, column => column.IsUnreadable || column.Type is { IsRecord: true }),
        };
    }

    /// <summary>The same columns in their preferred formats.</summary>
    public ResultShape InPreferredFormats() => new(Array.ConvertAll(_columns, column => column.In(column.PreferredFormat)))
    {
        Formats = Formats,
        IsInPreferredFormats = true,
        NeedsConversion = Array.Exists(_columns, column => column.Type is null or { IsRecord: true }),
    };

    /// <summary>The same columns after the convertible ones have been converted to text.</summary>
    public ResultShape Converted() =>
        new(Array.ConvertAll(_columns, column => column.IsConvertible ? column.In(FormatCode.Text) : column)) { Formats = Formats };
}

/// <summary>One column of a result.</summary>
internal sealed class ResultColumn(ColumnDescription description, TypeEntry? type, FormatCode format, bool textAsString = false)
{
    private readonly bool _textAsString = textAsString;

    public ColumnDescription Description { get; } = description;

    public string Name { get; } = description.Name;

    /// <summary>Whether it is a field of a value, not a column of the result.</summary>
    public bool IsField { get; init; }

    /// <summary>Its type; null for an unknown one.</summary>
    public TypeEntry? Type { get; } = type;

    /// <summary>The types that its type was found in; null for a column that users do not read.</summary>
    public DatabaseTypes? Types { get; init; }

    /// <summary>The format in which its values arrive.</summary>
    public FormatCode Format { get; } = format;

    /// <summary>Its values arrive in binary, and its type has no binary codec.</summary>
    public bool IsUnreadable => Format == FormatCode.Binary && Type is not { IsReadableInBinary: true };

    /// <summary>
    /// Its values are unreadable, but the server can convert the bytes that it has sent to text. That fails only for a few built-in types
    /// whose binary format the server does not accept as input.
    /// </summary>
    public bool IsConvertible => Format == FormatCode.Binary && Type is null or { IsReadableInBinary: false, IsOfUser: true };

    /// <summary>The format to request.</summary>
    public FormatCode PreferredFormat => Type is { HasBinaryCodec: true } ? FormatCode.Binary : FormatCode.Text;

    /// <summary>The codec for callers that name no .NET type: text for an unknown type.</summary>
    public Codec DefaultCodec { get; } = format == FormatCode.Text && (textAsString || type is not { HasBinaryCodec: true })
        ? TextFamily.String
        : type is null || (format == FormatCode.Binary && !type.IsReadableInBinary) ? UnreadableCodec.Instance
        : type.DefaultFor(format, description.TypeModifier)!;

    /// <summary>The codec of the last read: reading a column as one .NET type needs no lookup after the first row.</summary>
    public Codec? LastCodec { get; set; }

    /// <summary>Whether the data source has 'Compatibility=Npgsql'.</summary>
    public bool IsLikeNpgsql => Types is { BuiltIn.IsLikeNpgsql: true };

    /// <summary>The .NET type of its values as objects. Npgsql says Array, as the rank is not known.</summary>
    public Type FieldType => IsLikeNpgsql && Type?.Element is not null ? typeof(Array) : DefaultCodec.UntypedType;

    /// <summary>The codec that reads the column as <typeparamref name="T"/>, or null.</summary>
    public Codec<T>? CodecFor<T>() => IsUnreadable ? UnreadableCodec.Instance as Codec<T>
        : Type is { } known ? known.CodecFor<T>(Format)
        : Array.Find(TextFamily.All, codec => codec.ValueType == typeof(T)) as Codec<T>;

    /// <summary>The same column with its type, if that is known now.</summary>
    public ResultColumn With(DatabaseTypes types) =>
        (Type is null or { IsRecord: true }) && types.Find(Description.TypeOid) is { } found
            ? new ResultColumn(Description, found, Format, _textAsString) { Types = types }
            : this;

    /// <summary>The same column with its values in that format.</summary>
    public ResultColumn In(FormatCode format) =>
        format == Format ? this : new ResultColumn(Description, Type, format, _textAsString) { Types = Types };
}
