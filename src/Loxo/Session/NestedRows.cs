using System.Globalization;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Types;

namespace Loxo.Session;

/// <summary>
/// Reads a record, a composite, or an array of them as rows: locates each field of the current row in the value. The value is not kept;
/// the caller passes it each time.
/// </summary>
internal sealed class NestedRows
{
    // Domains over domains. The catalogue has no cycles, but may have been read while it changed.
    private const int MostDomains = 32;

    // MaxTupleAttributeNumber (htup_details.h): of more fields the server makes no row. A column is much larger than the bytes that claim
    // one.
    private const int MostFields = 1664;

    private readonly TypeEntry? _element;
    private readonly CompositeFields? _composite;
    private ResultColumn[] _columns = [];
    private Place[] _places = [];
    private int _next;
    private int _left = 1;

    private NestedRows(TypeEntry? element, TypeEntry row, DatabaseTypes types)
    {
        _element = element;
        Types = types;
        if (row.IsRecord)
            return;
        _composite = new CompositeFields(row.Description!, row.FieldTypes!);
        Reserve(FieldCount = _composite.Descriptions.Count);
        for (var i = 0; i < FieldCount; i++)
            _columns[i] = Column(_composite.Descriptions[i]);
    }

    /// <summary>Where the fields' types come from.</summary>
    public DatabaseTypes Types { get; }

    /// <summary>
    /// How many fields the current row has; of records that is another number for each. Before the first row, that of the first that is not
    /// NULL.
    /// </summary>
    public int FieldCount { get; private set; }

    /// <summary>Whether there is any row.</summary>
    public bool HasRows { get; private init; }

    /// <summary>Whether there is a row to read from.</summary>
    public bool IsOnRow { get; private set; }

    /// <summary>A field of the current row; before the first row, a field of that.</summary>
    public ResultColumn this[int ordinal] => _columns[ordinal];

    /// <summary>Whether values of the type have rows: by the type alone, as an array may have too many dimensions.</summary>
    public static bool Has(TypeEntry type, DatabaseTypes types) => RowType(BelowDomains(type, types), types) is not null;

    /// <summary>The type below a domain, or below domains over it.</summary>
    public static TypeEntry BelowDomains(TypeEntry type, DatabaseTypes types)
    {
        for (var i = 0; i < MostDomains && type.Description is { Kind: 'd', Base: var below } && types.Find(below) is { } found; i++)
            type = found;
        return type;
    }

    /// <summary>Stands before the first row.</summary>
    /// <param name="type">A type for which <see cref="Has"/> is true.</param>
    /// <param name="types">The known types.</param>
    /// <param name="value">The value, which is not NULL.</param>
    /// <exception cref="PgException">The bytes are no value of the type.</exception>
    /// <exception cref="InvalidCastException">The array has more than one dimension.</exception>
    public static NestedRows Open(TypeEntry type, DatabaseTypes types, ReadOnlySpan<byte> value)
    {
        type = BelowDomains(type, types);
        var row = RowType(type, types)!;
        if (type.Element is not { } element)
        {
            var single = new NestedRows(null, row, types) { HasRows = true };
            single.Describe(value, 0);
            return single;
        }
        var array = new ArrayReader(value, element);
        if (array is { Rank: > 1, Count: > 0 })
        {
            throw TypeErrors.NoForm(
                string.Create(CultureInfo.InvariantCulture, $"An array of {element.DisplayName} with {array.Rank} dimensions"),
                "the rows of a nested reader",
                "Read it as object or Array, or make rows of it with unnest in SQL");
        }
        var rows = new NestedRows(element, row, types)
        {
            HasRows = array.Count > 0,
            _left = array.Count,
            _next = value.Length - array.Elements.Length,
        };
        rows.DescribeFirst(value);
        return rows;
    }

    /// <summary>Goes to the next row.</summary>
    /// <param name="value">The same value as before.</param>
    /// <exception cref="PgException">The bytes are no value of the type. The row is passed if its end is known.</exception>
    public bool MoveNext(ReadOnlySpan<byte> value)
    {
        IsOnRow = false;
        if (_left == 0)
        {
            if (_element is not null)
                ArrayReader.End(value[_next..], _element);
            return false;
        }
        var place = _element is null ? new Place(0, value.Length) : Element(value, _next);
        _next = place.Start + Math.Max(place.Length, 0);
        _left--;
        if (place.IsNull)
            Array.Fill(_places, Place.Null);
        else if (_composite is null)
            TakeRecord(value.Slice(place.Start, place.Length), place.Start);
        else
            TakeComposite(_composite, value.Slice(place.Start, place.Length), place.Start);
        return IsOnRow = true;
    }

    /// <summary>Where in the value the field of the current row lies; false when it is NULL.</summary>
    public bool TryFind(int ordinal, out int start, out int length)
    {
        (start, length) = _places[ordinal];
        return length >= 0;
    }

    private static TypeEntry? RowType(TypeEntry type, DatabaseTypes types) =>
        BelowDomains(type.Element ?? type, types) is { Element: null } row && (row.IsRecord || row.Description is { Kind: 'c' })
            ? row
            : null;

    // Only a record's value says which fields it has, and programs ask for the fields before they read.
    private void DescribeFirst(ReadOnlySpan<byte> value)
    {
        var next = _next;
        for (var i = 0; i < _left && _composite is null; i++)
        {
            var place = Element(value, next);
            if (!place.IsNull)
            {
                Describe(value.Slice(place.Start, place.Length), place.Start);
                return;
            }
            next = place.Start;
        }
    }

    private void Describe(ReadOnlySpan<byte> row, int start)
    {
        if (_composite is null)
            TakeRecord(row, start);
    }

    private Place Element(ReadOnlySpan<byte> value, int at) => new(at + sizeof(int), ArrayReader.LengthOfFirst(value[at..], _element!));

    private void TakeComposite(CompositeFields composite, ReadOnlySpan<byte> row, int start)
    {
        try
        {
            Locate(composite, row, start);
        }
        catch (PgException e) when (e.IsTypeOutdated)
        {
            Types.MarkOutdated();
            throw;
        }
    }

    private void Locate(CompositeFields composite, ReadOnlySpan<byte> row, int start)
    {
        var reader = composite.Open(row);
        for (var i = 0; i < FieldCount; i++)
        {
            _places[i] = composite.TryTake(ref reader, i, out var field)
                ? new Place(start + row.Length - reader.BytesLeft - field.Length, field.Length)
                : Place.Null;
        }
        reader.End();
    }

    private void TakeRecord(ReadOnlySpan<byte> row, int start)
    {
        var reader = new RecordReader(row, "record");
        if (reader.Count > MostFields)
            throw TypeErrors.Malformed("record", string.Create(CultureInfo.InvariantCulture, $"it claims {reader.Count} fields"));
        Reserve(reader.Count);
        for (var i = 0; reader.TryReadNext(out var field); i++)
        {
            // As row_to_json names fields that have no name.
            if (_columns[i] is not { } known || known.Description.TypeOid != field.TypeOid)
                _columns[i] = Column(new FieldDescription(string.Create(CultureInfo.InvariantCulture, $"f{i + 1}"), field.TypeOid, -1));
            _places[i] = field.IsNull
                ? Place.Null
                : new Place(start + row.Length - reader.BytesLeft - field.Value.Length, field.Value.Length);
        }
        FieldCount = reader.Count;
    }

    private void Reserve(int count)
    {
        if (count <= _columns.Length)
            return;
        Array.Resize(ref _columns, count);
        Array.Resize(ref _places, count);
    }

    private ResultColumn Column(FieldDescription field)
    {
        var description = new ColumnDescription
        {
            Name = field.Name,
            TableOid = 0,
            AttributeNumber = 0,
            TypeOid = field.TypeOid,
            TypeSize = -1,
            TypeModifier = field.Modifier,
            Format = FormatCode.Binary,
        };
        return new ResultColumn(description, Types.Find(field.TypeOid), FormatCode.Binary) { IsField = true, Types = Types };
    }

    /// <summary>Where a value lies; its length is negative for NULL.</summary>
    private readonly record struct Place(int Start, int Length)
    {
        public static readonly Place Null = new(0, -1);

        public bool IsNull => Length < 0;
    }
}
