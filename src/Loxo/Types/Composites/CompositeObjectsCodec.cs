namespace Loxo.Types;

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
