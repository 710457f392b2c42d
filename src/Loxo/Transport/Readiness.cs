namespace Loxo.Transport;

/// <summary>The conditions that end a blocking wait on a <see cref="ByteChannel"/>.</summary>
[Flags]
internal enum Readiness
{
    None = 0,
    Readable = 1,
    Writable = 2,
}
