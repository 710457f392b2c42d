using System.Net;
using Loxo.Session;
using Loxo.Tests.ConnectionStrings;
using Loxo.Tests.Wire;
using Loxo.Transport;
using Loxo.Types;

namespace Loxo.Tests.Session;

/// <summary>A channel that must not be used: for exchanges that are fed with bytes.</summary>
internal sealed class NoChannel : ByteChannel
{
    public override EndPoint Remote => ScriptedDialer.Address;

    public static ServerSession Session()
    {
        var settings = Given.Settings("Host=nowhere;Username=alice;SSL Mode=Disable");
        var time = new SimulatedTime();
        return new ServerSession(new NoChannel(), new SessionContext(settings.Transport, settings.Session, new SocketDialer(time), time,
            new DatabaseKnowledge(() => DatabaseTypes.Make(TypeSettings.Default, TypeMappings.None))));
    }

    public override int TrySend(ReadOnlySpan<byte> bytes) => throw Used();

    public override int TryReceive(Span<byte> buffer) => throw Used();

    public override int Receive(Span<byte> buffer, int milliseconds) => throw Used();

    public override Readiness Wait(Readiness wanted, int milliseconds) => throw Used();

    public override ValueTask<int> ReceiveAsync(Memory<byte> buffer) => throw Used();

    public override Task SendAllAsync(ReadOnlyMemory<byte> bytes) => throw Used();

    public override void Shutdown()
    {
    }

    public override void Dispose()
    {
    }

    private static InvalidOperationException Used() => new("An exchange does not wait.");
}
