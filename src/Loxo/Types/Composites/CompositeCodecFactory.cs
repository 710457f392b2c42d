using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Loxo.Types;

/// <summary>Any class or struct that is asked for, without having been mapped to the composite type.</summary>
internal sealed class CompositeCodecFactory(DatabaseTypes types) : ICodecFactory
{
    public ICodecFactory Arrays => new ArrayCodecFactory(this);

    public Codec<T>? Create<T>(TypeEntry type)
    {
        if (IsCandidate(typeof(T)))
            return new CompositeCodec<T>(type, types, types.Mappings.NameTranslator);
        // T? of a struct: what is read is boxed once.
        return Nullable.GetUnderlyingType(typeof(T)) is { } underlying && type.AnyCodecFor(underlying) is { } codec ? new UnboxingCodec<T>(codec) : null;
    }

    public Codec? Create(Type clrType, TypeEntry type) =>
        IsCandidate(clrType) && RuntimeFeature.IsDynamicCodeSupported ? Make(clrType, type, types, types.Mappings.NameTranslator) : null;

    /// <summary>The codec for a type that is known at run time only.</summary>
    [UnconditionalSuppressMessage("AOT", "IL3050", Justification = "Callers ask whether code can be made.")]
    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "The codec names the members that it misses.")]
    public static Codec Make(Type clrType, TypeEntry type, DatabaseTypes types, IPgNameTranslator translator) =>
        (Codec)Activator.CreateInstance(typeof(CompositeCodec<>).MakeGenericType(clrType), type, types, translator)!;

    // Types of the framework have members too, but nobody means them to be fields.
    private static bool IsCandidate(Type clrType) => !clrType.IsPrimitive && !clrType.IsEnum && !clrType.IsArray && !clrType.IsAbstract
        && !(clrType.Namespace?.StartsWith("System", StringComparison.Ordinal) ?? false) && clrType.Assembly != typeof(CompositeCodecFactory).Assembly;
}

/// <summary>T? of what another codec reads.</summary>
internal sealed class UnboxingCodec<T>(Codec codec) : Codec<T>
{
    internal override Codec? Nullable => null;

    public override T Read(ReadOnlySpan<byte> value) => (T)codec.ReadObject(value);

    public override void Write(MessageWriter writer, T value) => codec.WriteObject(writer, value!);

    internal override IEnumerable<Codec> ArraysOf(TypeEntry element) => [];
}
