using Loxo.Protocol;

namespace Loxo.Types;

/// <summary>A record as its fields: object[] with each as the default of its type.</summary>
internal sealed class RecordCodec(Func<uint, TypeEntry?> types) : ReferenceCodec<object?[]>
{
    private const string Name = "record";

    public override object?[] Read(ReadOnlySpan<byte> value)
    {
        var reader = Open(value, Name);
        var fields = reader.Count == 0 ? [] : new object?[reader.Count];
        for (var i = 0; reader.TryReadNext(out var field); i++)
            fields[i] = field.IsNull ? null : DefaultOf(TypeOf(types, field.TypeOid, i)).ReadObject(field.Value);
        return fields;
    }

    public override void Write(MessageWriter writer, object?[] value) => throw NotWritable(Name);

    /// <summary>Starts to read a record, unless it is nested so deeply that the stack would not do.</summary>
    public static RecordReader Open(ReadOnlySpan<byte> value, string name) => RuntimeHelpers.TryEnsureSufficientExecutionStack()
        ? new RecordReader(value, name)
        : throw TypeErrors.Malformed(name, "it is nested too deeply");

    public static TypeEntry TypeOf(Func<uint, TypeEntry?> types, uint oid, int index) => types(oid) ?? throw new PgException(
        string.Create(CultureInfo.InvariantCulture, $"Field {index} of the record has the type with OID {oid}, which is not known. ") +
        "Cast the field, or the record, to text in SQL.", PgErrorCode.NotSupported);

    public static Codec DefaultOf(TypeEntry type) => type.DefaultFor(FormatCode.Binary) ?? throw new PgException(
        $"A field of the record has type {type.DisplayName}, which can be read as text only. Cast it to text in SQL.",
        PgErrorCode.NotSupported);

    /// <summary>The server takes no records from clients (record_recv, rowtypes.c).</summary>
    public static InvalidCastException NotWritable(string name) => TypeErrors.NoForm("A record", $"a value of PostgreSQL type {name}",
        "Write its fields as parameters of their own and make a record of them with ROW(...) in SQL");
}

/// <summary>A record, or a composite value, as a tuple with each field as the .NET type that is asked for.</summary>
internal sealed class TupleCodec<T>(TupleShape shape, Func<uint, TypeEntry?> types, string name) : Codec<T>
{
    public override T Read(ReadOnlySpan<byte> value) => (T)shape.Read(value, types, name);

    public override void Write(MessageWriter writer, T value) => throw RecordCodec.NotWritable(name);

    internal override IEnumerable<Codec> ArraysOf(IArrayCodecs arrays) => arrays.Of(this);
}

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

internal sealed class RecordTextFormatter(Func<uint, TypeEntry?> types) : TextFormatter
{
    // Each level of nested records doubles the quotes of the levels below: a few hundred bytes could take all memory.
    private const int QuotesOfAnyRecord = 1024;
    private const int QuotesForByte = 32;

    public override string ToText(ReadOnlySpan<byte> binary)
    {
        var reader = RecordCodec.Open(binary, "record");
        var fields = new string[reader.Count];
        for (var i = 0; reader.TryReadNext(out var field); i++)
            fields[i] = field.IsNull ? "" : Quoted(TypeOf(field.TypeOid).ToText(field.Value), binary.Length);
        return "(" + string.Join(',', fields) + ")";
    }

    private static string Quoted(string text, int length) => text.AsSpan().Count('"') <= QuotesOfAnyRecord + (long)QuotesForByte * length
        ? TextQuoting.Doubling(text, CompositeTextFormat.Special)
        : throw new PgException(
            "Records are nested too deeply to be read as text: each level doubles the quotes. Read the record as object?[] or with "
            + "GetData.",
            PgErrorCode.NotSupported);

    private TypeEntry TypeOf(uint oid) => types(oid) ?? throw new PgException(
        string.Create(CultureInfo.InvariantCulture,
            $"A field of the record has the type with OID {oid}, which is not known. Cast the record or the field to text in SQL."),
        PgErrorCode.NotSupported);
}
