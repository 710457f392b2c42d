namespace Loxo.Commands;

/// <summary>The states of a connection object. Each step is taken by one thread; the others find it taken.</summary>
internal static class ConnectionLife
{
    public const int Closed = 0;
    public const int Opening = 1;
    public const int Open = 2;
    public const int Closing = 3;
}
