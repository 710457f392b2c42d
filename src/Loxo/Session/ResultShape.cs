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

    /// <summary>Whether every column can be asked for in binary.</summary>
    public bool IsAllBinary { get; private init; }

    /// <summary>The format to ask for, for each column: text where there is no binary codec.</summary>
    public FormatCode[] WantedFormats { get; private init; } = [];

    /// <summary>Reads a description. That of a statement carries no formats; its columns get the ones that will be asked for.</summary>
    public static ResultShape Read(RowDescription description, TypeCatalog types, bool ofStatement)
    {
        var columns = new ResultColumn[description.Count];
        var wanted = new FormatCode[description.Count];
        var allBinary = true;
        for (var i = 0; description.TryReadNext(out var column); i++)
        {
            var type = types.Find(column.TypeOid);
            wanted[i] = type is { HasBinaryCodec: true } ? FormatCode.Binary : FormatCode.Text;
            allBinary &= wanted[i] == FormatCode.Binary;
            columns[i] = new ResultColumn(column, type, ofStatement ? wanted[i] : column.Format);
        }
        return new ResultShape(columns) { IsAllBinary = allBinary, WantedFormats = wanted };
    }
}

/// <summary>One column of a result.</summary>
internal sealed class ResultColumn(ColumnDescription description, TypeEntry? type, FormatCode format)
{
    public ColumnDescription Description { get; } = description;

    public string Name { get; } = description.Name;

    /// <summary>Its type; null when it is none of the known ones.</summary>
    public TypeEntry? Type { get; } = type;

    /// <summary>How its values arrive.</summary>
    public FormatCode Format { get; } = format;

    /// <summary>The codec for callers that name no .NET type: text for a type that is not known.</summary>
    public Codec DefaultCodec { get; } = type?.DefaultFor(format) ?? TextFamily.String;

    /// <summary>The codec that was used last: reading one column as one .NET type needs no lookup after the first row.</summary>
    public Codec? LastCodec { get; set; }

    /// <summary>The codec that reads the column as <typeparamref name="T"/>, or null.</summary>
    public Codec<T>? CodecFor<T>() => Type is { } known ? known.CodecFor<T>(Format) : TextFamily.String as Codec<T>;
}
