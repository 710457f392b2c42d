namespace Loxo.Benchmarks.Measuring;

/// <summary>How often a peer sent and received: in all, or for each operation.</summary>
internal readonly record struct SocketCalls(double Sends, double Receives)
{
    public static SocketCalls operator +(SocketCalls left, SocketCalls right) =>
        new(left.Sends + right.Sends, left.Receives + right.Receives);

    public static SocketCalls operator -(SocketCalls left, SocketCalls right) =>
        new(left.Sends - right.Sends, left.Receives - right.Receives);

    public static SocketCalls operator /(SocketCalls calls, double operations) =>
        new(calls.Sends / operations, calls.Receives / operations);
}
