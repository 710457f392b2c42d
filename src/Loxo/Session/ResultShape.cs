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

    /// <summary>The formats to ask for: text where there is no binary codec; empty for binary throughout.</summary>
    public FormatCode[] Formats { get; private init; } = [];

    /// <summary>Whether every column has come in the format that <see cref="Formats"/> would ask for.</summary>
    public bool IsAsWanted { get; private init; }

    /// <summary>
    /// Whether something has to be found out before its rows can be read: a column's type is not known, or has come in a format that
    /// nothing here can read, or is a record, whose fields may be of types that are not known.
    /// </summary>
    public bool MustBeMadeReadable { get; private init; }

    /// <summary>Whether a column has come in a format that nothing here can read.</summary>
    public bool HasUnreadable { get; private init; }

    /// <summary>Whether there are types that are not known.</summary>
    public bool HasUnknownTypes => MustBeMadeReadable && Array.Exists(_columns, column => column.Type is null);

    /// <summary>The types that are not known.</summary>
    public IEnumerable<uint> UnknownTypes => _columns.Where(column => column.Type is null).Select(column => column.Description.TypeOid);

    /// <summary>Reads a description. That of a statement carries no formats; its columns get the ones that will be asked for.</summary>
    /// <param name="description">The message.</param>
    /// <param name="types">The types that are known.</param>
    /// <param name="ofStatement">Whether a statement is described, not a portal.</param>
    /// <param name="textIsWanted">Whether a column that comes as text is to be read as a string, although its type is known.</param>
    public static ResultShape Read(RowDescription description, DatabaseTypes types, bool ofStatement, bool textIsWanted = false)
    {
        var columns = new ResultColumn[description.Count];
        var wanted = new FormatCode[description.Count];
        var allBinary = true;
        var unreadable = false;
        var unknown = false;
        var asWanted = true;
        for (var i = 0; description.TryReadNext(out var column); i++)
        {
            var type = types.Find(column.TypeOid);
            wanted[i] = type is { HasBinaryCodec: true } ? FormatCode.Binary : FormatCode.Text;
            allBinary &= wanted[i] == FormatCode.Binary;
            columns[i] = new ResultColumn(column, type, ofStatement ? wanted[i] : column.Format, textIsWanted) { Types = types };
            unreadable |= columns[i].IsUnreadable;
            unknown |= columns[i].IsUnreadable || columns[i].Type is null or { IsRecord: true };
            asWanted &= columns[i].Format == wanted[i];
        }
        return new ResultShape(columns) { Formats = allBinary ? [] : wanted, HasUnreadable = unreadable, MustBeMadeReadable = unknown, IsAsWanted = asWanted };
    }

    /// <summary>The same columns, by what is known of their types now.</summary>
    public ResultShape With(DatabaseTypes types)
    {
        var columns = Array.ConvertAll(_columns, column => column.With(types));
        var isAsWanted = Array.TrueForAll(columns, column => column.Format == column.WantedFormat);
        var isBinary = Array.TrueForAll(columns, column => column.WantedFormat == FormatCode.Binary);
        return new ResultShape(columns)
        {
            Formats = isBinary ? [] : Array.ConvertAll(columns, column => column.WantedFormat),
            IsAsWanted = isAsWanted,
            HasUnreadable = Array.Exists(columns, column => column.IsUnreadable),
            MustBeMadeReadable = Array.Exists(columns, column => column.IsUnreadable || column.Type is { IsRecord: true }),
        };
    }

    /// <summary>The same columns, in the formats that they will be asked for in.</summary>
    public ResultShape AsWanted() => new(Array.ConvertAll(_columns, column => column.In(column.WantedFormat)))
    {
        Formats = Formats,
        IsAsWanted = true,
        MustBeMadeReadable = Array.Exists(_columns, column => column.Type is null or { IsRecord: true }),
    };

    /// <summary>The same columns when the convertible ones have been made text.</summary>
    public ResultShape InText() =>
        new(Array.ConvertAll(_columns, column => column.IsConvertible ? column.In(FormatCode.Text) : column)) { Formats = Formats };
}

/// <summary>One column of a result.</summary>
internal sealed class ResultColumn(ColumnDescription description, TypeEntry? type, FormatCode format, bool textIsWanted = false)
{
    private readonly bool _textIsWanted = textIsWanted;

    public ColumnDescription Description { get; } = description;

    public string Name { get; } = description.Name;

    /// <summary>Whether it is no column of the result, but a field of a value in one.</summary>
    public bool IsField { get; init; }

    /// <summary>Its type; null when it is none of the known ones.</summary>
    public TypeEntry? Type { get; } = type;

    /// <summary>Where its type was found; null for a column that is not read by users.</summary>
    public DatabaseTypes? Types { get; init; }

    /// <summary>How its values arrive.</summary>
    public FormatCode Format { get; } = format;

    /// <summary>Its values are in binary, and nothing here can read that.</summary>
    public bool IsUnreadable => Format == FormatCode.Binary && Type is not { IsReadableInBinary: true };

    /// <summary>
    /// Its values are unreadable, but the server would make text of what it has sent: so it is with all types but a few that are built in
    /// and have no binary format that the server takes back.
    /// </summary>
    public bool IsConvertible => Format == FormatCode.Binary && Type is null or { IsReadableInBinary: false, IsOfUser: true };

    /// <summary>The format to ask for.</summary>
    public FormatCode WantedFormat => Type is { HasBinaryCodec: true } ? FormatCode.Binary : FormatCode.Text;

    /// <summary>The codec for callers that name no .NET type: text for a type that is not known.</summary>
    public Codec DefaultCodec { get; } = format == FormatCode.Text && (textIsWanted || type is not { HasBinaryCodec: true })
        ? TextFamily.String
        : type is null || (format == FormatCode.Binary && !type.IsReadableInBinary) ? UnreadableCodec.Instance
        : type.DefaultFor(format, description.TypeModifier)!;

    /// <summary>The codec that was used last: reading one column as one .NET type needs no lookup after the first row.</summary>
    public Codec? LastCodec { get; set; }

    /// <summary>The codec that reads the column as <typeparamref name="T"/>, or null.</summary>
    public Codec<T>? CodecFor<T>() => IsUnreadable ? UnreadableCodec.Instance as Codec<T>
        : Type is { } known ? known.CodecFor<T>(Format)
        : Array.Find(TextFamily.All, codec => codec.ValueType == typeof(T)) as Codec<T>;

    /// <summary>The column, by what is known of its type now.</summary>
    public ResultColumn With(DatabaseTypes types) =>
        (Type is null or { IsRecord: true }) && types.Find(Description.TypeOid) is { } found
            ? new ResultColumn(Description, found, Format, _textIsWanted) { Types = types }
            : this;

    /// <summary>The column when its values come in that format.</summary>
    public ResultColumn In(FormatCode format) =>
        format == Format ? this : new ResultColumn(Description, Type, format, _textIsWanted) { Types = Types };
}
