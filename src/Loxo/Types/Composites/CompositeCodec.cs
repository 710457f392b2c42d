namespace Loxo.Types;

internal sealed class CompositeCodec<T> : Codec<T>
{
    private readonly CompositeFields _fields;
    private readonly Lazy<CompositeMembers> _members;
    private readonly Codec?[] _codecs;

    public CompositeCodec(TypeEntry type, IPgNameTranslator translator)
    {
        _fields = new CompositeFields(type.Description!, type.FieldTypes!);
        string[] names = [.. _fields.Descriptions.Select(field => field.Name)];
        _members = new(() => CompositeMembers.Of(typeof(T), names, type.DisplayName, translator));
        _codecs = new Codec?[names.Length];
    }

    public override T Read(ReadOnlySpan<byte> value)
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        var members = _members.Value;
        var reader = _fields.Open(value);
        var values = new object?[_codecs.Length];
        for (var i = 0; i < values.Length; i++)
        {
            if (_fields.TryTake(ref reader, i, out var field))
                values[i] = ReadField(i, field);
            else if (members.Types[i] is { IsValueType: true } memberType && System.Nullable.GetUnderlyingType(memberType) is null)
                throw _fields.Wrap(i, TypeErrors.NoForm("NULL", ClrNames.Of(memberType), $"Make the member {ClrNames.Of(memberType)}?"));
        }
        reader.End();
        return (T)members.Make(values);
    }

    public override void Write(MessageWriter writer, T value)
    {
        var members = _members.Value;
        _fields.Begin(writer);
        for (var i = 0; i < _codecs.Length; i++)
        {
            var member = members.Get(value!, i);
            var codec = member is not null && _codecs[i] is { } last && last.ValueType == member.GetType() ? last : null;
            _fields.Write(writer, i, codec, member);
        }
    }

    internal override IEnumerable<Codec> ArraysOf(IArrayCodecs arrays) => arrays.Of(this);

    internal override IEnumerable<Codec> RangesOf(IRangeCodecs ranges) => ranges.Of(this);

    private object? ReadField(int i, ReadOnlySpan<byte> field)
    {
        try
        {
            return (_codecs[i] ??= CodecFor(i)).ReadObject(field);
        }
        catch (Exception e) when (e is InvalidCastException or OverflowException)
        {
            throw _fields.Wrap(i, e);
        }
    }

    private Codec CodecFor(int i)
    {
        var entry = _fields.Entry(i);
        var memberType = _members.Value.Types[i];
        if (memberType == typeof(object))
            return entry.Default ?? throw ConversionErrors.NotReadable(entry, memberType);
        return entry.AnyCodecFor(System.Nullable.GetUnderlyingType(memberType) ?? memberType)
            ?? throw ConversionErrors.NotReadable(entry, memberType);
    }
}

/// <summary>A composite value as the list of its fields' values, in order.</summary>
internal sealed class CompositeObjectsCodec(CompositeFields fields) : ReferenceCodec<object?[]>
{
    public override object?[] Read(ReadOnlySpan<byte> value)
    {
        RuntimeHelpers.EnsureSufficientExecutionStack();
        var reader = fields.Open(value);
        var values = new object?[fields.Descriptions.Count];
        for (var i = 0; i < values.Length; i++)
        {
            if (!fields.TryTake(ref reader, i, out var field))
                continue;
            var entry = fields.Entry(i);
            values[i] = entry.Default is { } codec ? codec.ReadObject(field)
                : throw fields.Wrap(i, ConversionErrors.NotReadable(entry, typeof(object)));
        }
        reader.End();
        return values;
    }

    public override void Write(MessageWriter writer, object?[] value)
    {
        if (value.Length != fields.Descriptions.Count)
        {
            throw TypeErrors.NoForm($"An array of {value.Length} values", $"a value of composite type {fields.TypeName}",
                $"Give {fields.Descriptions.Count} values, null for NULL: "
                + string.Join(", ", fields.Descriptions.Select(field => field.Name)));
        }
        fields.Begin(writer);
        for (var i = 0; i < value.Length; i++)
            fields.Write(writer, i, null, value[i]);
    }
}
