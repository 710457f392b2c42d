namespace Loxo.Types;

#pragma warning disable CS8714 // T is always an enum, never null

internal sealed class EnumLabels<T>
{
    private readonly Dictionary<T, byte[]> _labels = [];
    private readonly Dictionary<string, T>.AlternateLookup<ReadOnlySpan<char>> _values;

    public EnumLabels(IPgNameTranslator translator)
    {
        var values = new Dictionary<string, T>(StringComparer.Ordinal);
        foreach (var (label, value) in ClrMembers.LabelsOf(typeof(T), translator))
        {
            values.TryAdd(label, (T)value);
            _labels.TryAdd((T)value, Encoding.UTF8.GetBytes(label));
        }
        _values = values.GetAlternateLookup<ReadOnlySpan<char>>();
    }

    public T Read(ReadOnlySpan<byte> label)
    {
        // NAMEDATALEN: no label has more than 63 bytes.
        Span<char> chars = stackalloc char[64];
        if (Encoding.UTF8.TryGetChars(label, chars, out var count) && _values.TryGetValue(chars[..count], out var value))
            return value;
        throw TypeErrors.NoForm($"The label '{Encoding.UTF8.GetString(label)}'", ClrNames.Of(typeof(T)),
            $"Add a member for it, with [PgName] if its name is another; or read it as string");
    }

    public void Write(MessageWriter writer, T value)
    {
        if (!_labels.TryGetValue(value, out var label))
        {
            throw TypeErrors.NoForm($"The value {value} of {ClrNames.Of(typeof(T))}", "a label",
                "It is no member of the enum; combinations of flags have no label");
        }
        writer.WriteBytes(label);
    }
}

/// <summary>An enum type as a .NET enum: a label is its text (enum_send).</summary>
internal sealed class EnumCodec<T>(EnumLabels<T> labels) : ValueCodec<T>
    where T : struct
{
    public override T Read(ReadOnlySpan<byte> value) => labels.Read(value);

    public override void Write(MessageWriter writer, T value) => labels.Write(writer, value);
}

/// <summary>The same for an enum that is not known to be a struct when this is compiled: native code without a mapping.</summary>
internal sealed class UnmappedEnumCodec<T>(EnumLabels<T> labels) : Codec<T>
{
    public override T Read(ReadOnlySpan<byte> value) => labels.Read(value);

    public override void Write(MessageWriter writer, T value) => labels.Write(writer, value);
}

/// <summary>Any .NET enum that is asked for, without having been mapped.</summary>
internal sealed class EnumCodecFactory(IPgNameTranslator translator) : ICodecFactory
{
    public ICodecFactory Arrays => new ArrayCodecFactory(this);

    public string? MappingOf(Type clrType) => clrType.IsEnum ? "MapEnum" : null;

    public Codec<T>? Create<T>(TypeEntry type) => RuntimeFeature.IsDynamicCodeSupported || !typeof(T).IsEnum
        ? Create(typeof(T), type) as Codec<T>
        : new UnmappedEnumCodec<T>(new EnumLabels<T>(translator));

    [UnconditionalSuppressMessage("AOT", "IL3050",
        Justification = "Where code cannot be made at run time, nothing is made: enums have to be mapped there.")]
    [UnconditionalSuppressMessage("Trimming", "IL2071",
        Justification = "The codec needs nothing of the enum but its fields, which are kept.")]
    public Codec? Create(Type clrType, TypeEntry type)
    {
        var enumType = Nullable.GetUnderlyingType(clrType) ?? clrType;
        if (!enumType.IsEnum || !RuntimeFeature.IsDynamicCodeSupported)
            return null;
        var labels = Activator.CreateInstance(typeof(EnumLabels<>).MakeGenericType(enumType), translator)!;
        var codec = (Codec)Activator.CreateInstance(typeof(EnumCodec<>).MakeGenericType(enumType), labels)!;
        return clrType == enumType ? codec : codec.Nullable;
    }
}
