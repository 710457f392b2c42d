namespace Loxo.Types;

/// <summary>The fields of a composite type, which a value has to have exactly (record_recv); each type is found at its first use.</summary>
internal sealed class CompositeFields(TypeDescription type, Func<uint, TypeEntry?> fieldTypes)
{
    private TypeEntry[]? _entries;

    public string TypeName => type.DisplayName;

    public IReadOnlyList<FieldDescription> Descriptions { get; } = type.Fields;

    public TypeEntry Entry(int field)
    {
        var entries = _entries ??= new TypeEntry[Descriptions.Count];
        return entries[field] ??= fieldTypes(Descriptions[field].TypeOid)
            ?? throw new PgException(string.Create(CultureInfo.InvariantCulture,
            $"Field '{Descriptions[field].Name}' of composite type {type.DisplayName} is of the type with "
            + $"OID {Descriptions[field].TypeOid}, of which the catalogue says nothing."), PgErrorCode.ConversionFailed);
    }

    /// <exception cref="PgException">The type has changed since it was looked up, or the bytes are no composite value.</exception>
    public RecordReader Open(ReadOnlySpan<byte> value)
    {
        var reader = new RecordReader(value, type.DisplayName);
        return reader.Count == Descriptions.Count ? reader : throw TypeErrors.Changed(type.DisplayName);
    }

    /// <summary>Takes the next field; false for NULL.</summary>
    public bool TryTake(ref RecordReader reader, int field, out ReadOnlySpan<byte> value)
    {
        reader.TryReadNext(out var next);
        value = next.Value;
        return next.TypeOid == Descriptions[field].TypeOid ? !next.IsNull : throw TypeErrors.Changed(type.DisplayName);
    }

    public void Begin(MessageWriter writer) => writer.WriteInt32(Descriptions.Count);

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
            (codec ?? entry.CodecForValue(value) ?? throw ConversionErrors.NotWritable(entry, value.GetType())).WriteObject(writer, value);
        }
        catch (Exception e) when (e is InvalidCastException or OverflowException)
        {
            throw Wrap(field, e);
        }
        writer.EndValue(start);
    }

    public Exception Wrap(int field, Exception cause)
    {
        var message = $"Field '{Descriptions[field].Name}' of composite type {type.DisplayName}: {cause.Message}";
        return cause is OverflowException ? new OverflowException(message, cause) : new InvalidCastException(message, cause);
    }
}
