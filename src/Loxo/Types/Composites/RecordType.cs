namespace Loxo.Types;

/// <summary>record, the built-in type of values that name the types of their fields themselves.</summary>
internal static class RecordType
{
    private const string Name = "record";

    public static TypeEntry Create(Func<uint, TypeEntry?> types)
    {
        var formatter = new RecordTextFormatter(types);
        return new TypeEntry(() => [new RecordCodec(types), new ReadOnlyTextCodec(Name, formatter)], formatter)
        {
            Oid = TypeEntry.RecordOid, ArrayOid = TypeEntry.RecordArrayOid, Name = Name, DisplayName = Name, FieldTypes = types,
            Factory = new TupleCodecFactory(),
        };
    }
}
