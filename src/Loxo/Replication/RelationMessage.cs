using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Session;
using Loxo.Types;

namespace Loxo;

/// <summary>A table, in front of its first change, and again when it has been altered.</summary>
public sealed class RelationMessage : TransactionalMessage
{
    private readonly DatabaseTypes _types;
    private readonly ResultColumn?[] _text;
    private readonly ResultColumn?[] _binary;

    internal RelationMessage(IReadOnlyList<Column> columns, DatabaseTypes types)
    {
        (Columns, _types) = (columns, types);
        (_text, _binary) = (new ResultColumn?[columns.Count], new ResultColumn?[columns.Count]);
    }

    /// <summary>What identifies the old row of an update or delete (ALTER TABLE, REPLICA IDENTITY).</summary>
    public enum ReplicaIdentitySetting : byte
    {
        /// <summary>The primary key, if there is one.</summary>
        Default = (byte)'d',

        /// <summary>Nothing.</summary>
        Nothing = (byte)'n',

        /// <summary>All columns (FULL).</summary>
        AllColumns = (byte)'f',

        /// <summary>The columns of an index (USING INDEX).</summary>
        IndexWithIndIsReplIdent = (byte)'i',
    }

    /// <summary>The OID of the table.</summary>
    public uint RelationId { get; internal init; }

    /// <summary>Its schema; empty for pg_catalog.</summary>
    public string Namespace { get; internal init; } = "";

    /// <summary>Its name.</summary>
    public string RelationName { get; internal init; } = "";

    /// <summary>What identifies its old rows.</summary>
    public ReplicaIdentitySetting ReplicaIdentity { get; internal init; }

    /// <summary>Its columns, as far as they are published.</summary>
    public IReadOnlyList<Column> Columns { get; }

    internal DatabaseTypes Types => _types;

    /// <summary>What decodes the values of a column in that format.</summary>
    internal ResultColumn Decoder(int ordinal, FormatCode format)
    {
        var decoders = format == FormatCode.Text ? _text : _binary;
        if (decoders[ordinal] is { } decoder)
            return decoder;
        return decoders[ordinal] = Make(Columns[ordinal], format);
    }

    private ResultColumn Make(Column column, FormatCode format)
    {
        var description = new ColumnDescription
        {
            Name = column.ColumnName,
            TableOid = RelationId,
            AttributeNumber = 0,
            TypeOid = column.DataTypeId,
            TypeSize = -1,
            TypeModifier = column.TypeModifier,
            Format = format,
        };
        return new ResultColumn(description, _types.Find(column.DataTypeId), format, textAsString: true) { Types = _types };
    }

    /// <summary>A column of a table.</summary>
    public readonly record struct Column
    {
        internal Column(ColumnFlags flags, string columnName, uint dataTypeId, int typeModifier) =>
            (Flags, ColumnName, DataTypeId, TypeModifier) = (flags, columnName, dataTypeId, typeModifier);

        /// <summary>Flags of a column.</summary>
        [Flags]
        public enum ColumnFlags : byte
        {
            /// <summary>None.</summary>
            None = 0,

            /// <summary>It is part of the key.</summary>
            PartOfKey = 1,
        }

        /// <summary>Its flags.</summary>
        public ColumnFlags Flags { get; }

        /// <summary>Its name.</summary>
        public string ColumnName { get; }

        /// <summary>The OID of its type.</summary>
        public uint DataTypeId { get; }

        /// <summary>The modifier of its type (pg_attribute.atttypmod); -1 for none.</summary>
        public int TypeModifier { get; }
    }
}
