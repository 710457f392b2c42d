using System.Collections;
using System.Data;
using System.Data.Common;
using Loxo.Session;
using Loxo.Types;

namespace Loxo;

/// <summary>
/// Reads a record, a composite, or an array of them as rows: one for the value or for each element of the array, with the fields as columns. Made by
/// <see cref="PgDataReader.GetData"/>, and for a field that has fields itself by <see cref="GetData"/> here.
/// </summary>
/// <remarks>
/// Nothing is copied: values are read where the outermost reader's row lies, so that all readers within it end with the row. After that their members throw
/// <see cref="InvalidOperationException"/>. Closing one changes nothing for the others. An element that is NULL is a row of NULLs, as of <c>unnest</c>
/// (manual, 9.19). The fields of a record without a type of its own are called f1, f2 and so on, as by <c>row_to_json</c>; in an array each can have others,
/// so that <see cref="FieldCount"/> is that of the current row (before the first, that of the first that is not NULL).
/// </remarks>
public sealed partial class PgNestedDataReader : DbDataReader
{
    private readonly NestedValue _value;
    private readonly NestedRows _rows;
    private bool _isClosed;
    private bool _isLeft;

    private PgNestedDataReader(NestedValue value, NestedRows rows)
    {
        _value = value;
        _rows = rows;
    }

    /// <summary>Whether there are rows: always, unless it reads an empty array.</summary>
    /// <exception cref="InvalidOperationException">The reader is closed, or the outermost one has left the row.</exception>
    public override bool HasRows => Open()._rows.HasRows;

    /// <summary>Whether this reader was closed; it is not when the outermost reader has moved on.</summary>
    public override bool IsClosed => _isClosed;

    /// <summary>Always -1: no statement was run for it.</summary>
    public override int RecordsAffected => -1;

    /// <summary>1 for a column of a result, one more for each value that it is a field of.</summary>
    public override int Depth => _value.Depth + 1;

    /// <summary>Goes to the next element, or to the only row of a value that is no array.</summary>
    /// <returns>False after the last.</returns>
    /// <exception cref="InvalidOperationException">The reader is closed, or the outermost one has left the row.</exception>
    /// <exception cref="PgException">The bytes are no value of the type.</exception>
    public override bool Read()
    {
        Open();
        _text = null;
        if (_isLeft)
            return false;
        try
        {
            return _rows.MoveNext(_value.Bytes);
        }
        catch (PgException e)
        {
            throw _value.Error(e);
        }
    }

    /// <summary>Leaves the rows: there is one result only.</summary>
    /// <returns>Always false.</returns>
    /// <exception cref="InvalidOperationException">The reader is closed, or the outermost one has left the row.</exception>
    public override bool NextResult()
    {
        Open();
        _isLeft = true;
        return false;
    }

    /// <inheritdoc/>
    public override IEnumerator GetEnumerator() => new DbEnumerator(this);

    /// <summary>Always null: of fields no more is known than their names and types.</summary>
    public override DataTable? GetSchemaTable() => null;

    /// <summary>Nothing can be read from it any more; readers that it came from and that came from it can.</summary>
    public override void Close() => _isClosed = true;

    /// <summary>A reader of the value's rows.</summary>
    /// <param name="value">A value in binary format that is not NULL.</param>
    /// <param name="type">Its type, which has rows.</param>
    /// <param name="types">What is known of types.</param>
    internal static PgNestedDataReader Of(NestedValue value, TypeEntry type, DatabaseTypes types)
    {
        try
        {
            return new PgNestedDataReader(value, NestedRows.Open(type, types, value.Bytes));
        }
        catch (Exception e) when (e is InvalidCastException or PgException)
        {
            throw value.Error(e);
        }
    }

    private PgNestedDataReader Open()
    {
        if (_isClosed)
            throw ReaderErrors.Closed();
        _value.Check();
        return this;
    }
}
