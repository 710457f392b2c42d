namespace Loxo.Transport;

/// <summary>What a blocking wait on a <see cref="ByteChannel"/> waits for.</summary>
[Flags]
internal enum Readiness
{
    None = 0,
    Readable = 1,
    Writable = 2,
}
