using System.Data.Common;
using Loxo.Protocol;
using Loxo.Session;

namespace Loxo;

// Values that have fields themselves.
public sealed partial class PgDataReader
{
    /// <summary>
    /// A reader of a record, a composite, or an array of them with one dimension, without copying it: an element is a row, a field a column. A single value
    /// is one row.
    /// </summary>
    /// <param name="ordinal">The column.</param>
    /// <returns>One that stands before the first row. It can be read until this reader moves on; after that it throws <see cref="InvalidOperationException"/>.</returns>
    /// <exception cref="InvalidCastException">The value is NULL, of another type, or an array of several dimensions.</exception>
    /// <exception cref="InvalidOperationException">The row is longer than 64 KiB, and the command was executed with
    /// <see cref="System.Data.CommandBehavior.SequentialAccess"/>.</exception>
    /// <exception cref="PgException">The value has come in text format.</exception>
    public new PgNestedDataReader GetData(int ordinal)
    {
        var column = OnRow(ordinal);
        var types = Session.Types.Known;
        if (_rows.IsInPieces)
            throw ReaderErrors.NestedInPieces(column, ordinal);
        if (_rows.IsNull(ordinal))
            throw ReaderErrors.IsNull(column, ordinal, typeof(PgNestedDataReader));
        if (column.Type is not { } type || !NestedRows.Has(type, types))
            throw ReaderErrors.CannotRead(column, ordinal, ReaderErrors.NotNested(column));
        if (column.Format != FormatCode.Binary)
            throw ReaderErrors.CannotRead(column, ordinal, ReaderErrors.NestedInText());
        return PgNestedDataReader.Of(new NestedValue(_rows, column, ordinal), type, types);
    }

    /// <inheritdoc/>
    protected override DbDataReader GetDbDataReader(int ordinal) => GetData(ordinal);
}
