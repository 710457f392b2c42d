namespace Loxo.Types;

internal class TupleCodecFactory : ICodecFactory
{
    public ICodecFactory Arrays => new ArrayCodecFactory(this);

    public virtual string? MappingOf(Type clrType) => null;

    public virtual Codec<T>? Create<T>(TypeEntry type) => TupleShape.Of(Nullable.GetUnderlyingType(typeof(T)) ?? typeof(T)) is { } shape
        ? new TupleCodec<T>(shape, type.FieldTypes!, type.DisplayName)
        : null;

    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "It is asked first whether code can be made.")]
    public virtual Codec? Create(Type clrType, TypeEntry type) =>
        RuntimeFeature.IsDynamicCodeSupported && TupleShape.Of(clrType) is { } shape
            ? (Codec)Activator.CreateInstance(typeof(TupleCodec<>).MakeGenericType(clrType), shape, type.FieldTypes!, type.DisplayName)!
            : null;
}

/// <summary>Makes codecs for tuples, and for any class or struct that was not mapped to the composite type.</summary>
internal sealed class CompositeCodecFactory(IPgNameTranslator translator) : TupleCodecFactory
{
    public override string? MappingOf(Type clrType) => IsCandidate(clrType) ? "MapComposite" : null;

    public override Codec<T>? Create<T>(TypeEntry type)
    {
        if (IsCandidate(typeof(T)))
            return new CompositeCodec<T>(type, translator);
        // T? of a struct: the value is boxed once.
        return Nullable.GetUnderlyingType(typeof(T)) is { } underlying && type.AnyCodecFor(underlying) is { } codec
            ? new UnboxingCodec<T>(codec)
            : base.Create<T>(type);
    }

    public override Codec? Create(Type clrType, TypeEntry type) =>
        IsCandidate(clrType) && RuntimeFeature.IsDynamicCodeSupported ? Make(clrType, type, translator) : base.Create(clrType, type);

    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "Callers ask whether code can be made.")]
    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "The codec names the members that it misses.")]
    public static Codec Make(Type clrType, TypeEntry type, IPgNameTranslator translator) =>
        (Codec)Activator.CreateInstance(typeof(CompositeCodec<>).MakeGenericType(clrType), type, translator)!;

    // Types of the framework have members too, but these are not meant to be fields.
    private static bool IsCandidate(Type clrType) => !clrType.IsPrimitive && !clrType.IsEnum && !clrType.IsArray && !clrType.IsAbstract
        && !(clrType.Namespace?.StartsWith("System", StringComparison.Ordinal) ?? false)
        && clrType.Assembly != typeof(CompositeCodecFactory).Assembly;
}

internal sealed class UnboxingCodec<T>(Codec codec) : Codec<T>
{
    public override T Read(ReadOnlySpan<byte> value) => (T)codec.ReadObject(value);

    public override void Write(MessageWriter writer, T value) => codec.WriteObject(writer, value!);
}
