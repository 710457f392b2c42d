namespace Loxo.Types;

/// <summary>T? over the codec of T. NULL itself has no bytes: whoever reads or writes has dealt with it before.</summary>
internal sealed class NullableCodec<T>(Codec<T> inner) : Codec<T?>
    where T : struct
{
    public override T? Read(ReadOnlySpan<byte> value) => inner.Read(value);

    public override void Write(MessageWriter writer, T? value) => inner.Write(writer, value.GetValueOrDefault());
}
