using System.Globalization;

namespace Loxo.Types;

/// <summary>
/// The fields of a composite type, and their form on the wire: the number of fields, then each field's type and, behind its length, its value
/// (record_send, rowtypes.c). The server refuses a value whose types are not exactly those of the fields (record_recv).
/// </summary>
/// <param name="type">The composite type, or a domain over one.</param>
/// <param name="fieldTypes">Finds the type of a field, at its first use: a type may have itself for a field.</param>
/// <param name="types">Where the type was found.</param>
internal sealed class CompositeFields(TypeDescription type, Func<uint, TypeEntry?> fieldTypes, DatabaseTypes types)
{
    private const int LeastFieldSize = 8;

    private TypeEntry[]? _entries;

    public CompositeFields(TypeEntry type, DatabaseTypes types)
        : this(type.Description!, type.FieldTypes!, types)
    {
    }

    public string TypeName => type.DisplayName;

    public IReadOnlyList<FieldDescription> Descriptions { get; } = type.Fields;

    /// <summary>The type of a field.</summary>
    /// <exception cref="PgException">It could not be found out.</exception>
    public TypeEntry Entry(int field)
    {
        var entries = _entries ??= new TypeEntry[Descriptions.Count];
        return entries[field] ??= fieldTypes(Descriptions[field].TypeOid) ?? throw new PgException(string.Create(CultureInfo.InvariantCulture,
            $"Field '{Descriptions[field].Name}' of composite type {type.DisplayName} is of the type with OID {Descriptions[field].TypeOid}, of which the catalogue says nothing."),
            PgErrorCode.ConversionFailed);
    }

    /// <summary>Checks the number of fields, which come next.</summary>
    public BinaryScanner Open(ReadOnlySpan<byte> value)
    {
        var scanner = new BinaryScanner(value, type.DisplayName);
        if (scanner.TakeCount(LeastFieldSize) != Descriptions.Count)
            throw Changed();
        return scanner;
    }

    /// <summary>The next field; false for NULL.</summary>
    public bool TryTake(ref BinaryScanner scanner, int field, out ReadOnlySpan<byte> value)
    {
        if (scanner.TakeUInt32() != Descriptions[field].TypeOid)
            throw Changed();
        return scanner.TryTakeValue(out value);
    }

    /// <summary>Writes the number of fields.</summary>
    public void Begin(MessageWriter writer) => writer.WriteInt32(Descriptions.Count);

    /// <summary>Writes a field; null is NULL.</summary>
    public void Write(MessageWriter writer, int field, Codec? codec, object? value)
    {
        var entry = Entry(field);
        writer.WriteUInt32(entry.Oid);
        if (value is null or DBNull)
        {
            writer.WriteNullValue();
            return;
        }
        var start = writer.BeginValue();
        try
        {
            (codec ?? entry.CodecForValue(value) ?? throw TypeErrors.NotWritable(entry, value.GetType())).WriteObject(writer, value);
        }
        catch (Exception e) when (e is InvalidCastException or OverflowException)
        {
            throw Wrap(field, e);
        }
        writer.EndValue(start);
    }

    /// <summary>The same kind of exception, with the field in front.</summary>
    public Exception Wrap(int field, Exception cause)
    {
        var message = $"Field '{Descriptions[field].Name}' of composite type {type.DisplayName}: {cause.Message}";
        return cause is OverflowException ? new OverflowException(message, cause) : new InvalidCastException(message, cause);
    }

    private PgException Changed()
    {
        // Whoever meets the type next looks it up anew.
        types.MarkOutdated();
        return TypeErrors.Malformed(type.DisplayName, "it has other fields than the type had when it was looked up; the next command will know the new ones");
    }
}
