namespace Loxo.Types;

/// <summary>void, the result of a function that has none: no bytes (void_send, pseudotypes.c), read as DBNull.</summary>
internal sealed class VoidCodec : ReferenceCodec<DBNull>
{
    public override DBNull Read(ReadOnlySpan<byte> value)
    {
        FixedBytes.Exactly(0, value, "void");
        return DBNull.Value;
    }

    public override void Write(MessageWriter writer, DBNull value)
    {
        // Nothing to write: a value of type void has no content.
    }
}
