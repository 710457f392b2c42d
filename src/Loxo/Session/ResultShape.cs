using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Types;
using Loxo.Types.Codecs;

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

    /// <summary>Whether a column has come in a format that nothing here can read.</summary>
    public bool HasUnreadable { get; private init; }

    /// <summary>Reads a description. That of a statement carries no formats; its columns get the ones that will be asked for.</summary>
    /// <param name="description">The message.</param>
    /// <param name="types">What is known of types.</param>
    /// <param name="ofStatement">Whether a statement is described, not a portal.</param>
    /// <param name="textIsWanted">Whether a column that comes as text is to be read as a string, although its type is known.</param>
    public static ResultShape Read(RowDescription description, TypeCatalog types, bool ofStatement, bool textIsWanted = false)
    {
        var columns = new ResultColumn[description.Count];
        var wanted = new FormatCode[description.Count];
        var allBinary = true;
        var unreadable = false;
        var asWanted = true;
        for (var i = 0; description.TryReadNext(out var column); i++)
        {
            var type = types.Find(column.TypeOid);
            wanted[i] = type is { HasBinaryCodec: true } ? FormatCode.Binary : FormatCode.Text;
            allBinary &= wanted[i] == FormatCode.Binary;
            columns[i] = new ResultColumn(column, type, ofStatement ? wanted[i] : column.Format, textIsWanted);
            unreadable |= columns[i].IsUnreadable;
            asWanted &= columns[i].Format == wanted[i];
        }
        return new ResultShape(columns) { Formats = allBinary ? [] : wanted, HasUnreadable = unreadable, IsAsWanted = asWanted };
    }

    /// <summary>The same columns when the convertible ones have been made text.</summary>
    public ResultShape InText() => new(Array.ConvertAll(_columns, column => column.InText())) { Formats = Formats };
}

/// <summary>One column of a result.</summary>
internal sealed class ResultColumn(ColumnDescription description, TypeEntry? type, FormatCode format, bool textIsWanted = false)
{
    public ColumnDescription Description { get; } = description;

    public string Name { get; } = description.Name;

    /// <summary>Its type; null when it is none of the known ones.</summary>
    public TypeEntry? Type { get; } = type;

    /// <summary>How its values arrive.</summary>
    public FormatCode Format { get; } = format;

    /// <summary>Its values are in binary, and nothing here can read that.</summary>
    public bool IsUnreadable => Format == FormatCode.Binary && Type is not { IsReadableInBinary: true };

    /// <summary>
    /// Its values are unreadable, but the server would make text of what it has sent: so it is with all types but a few that are built in and have
    /// no binary format that the server takes back.
    /// </summary>
    public bool IsConvertible => Format == FormatCode.Binary && Type is null;

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

    /// <summary>The column when its values have been made text, if that was possible.</summary>
    public ResultColumn InText() => IsConvertible ? new ResultColumn(Description, Type, FormatCode.Text) : this;
}
