namespace Loxo.Transport;

[Flags]
internal enum Readiness
{
    None = 0,
    Readable = 1,
    Writable = 2,
}
