using System.Net;
using Loxo.Transport;

namespace Loxo.IntegrationTests.Exactness;

/// <summary>
/// Leads to servers that say what they were told to say, whatever the client asks: a script for each connection, the last one for all that
/// follow. Nothing waits: where a client would wait for what never comes, the stream ends.
/// </summary>
internal sealed class ReplayDialer(params IReadOnlyList<ServerMessage>[] scripts) : Dialer
{
    public static readonly IPEndPoint Address = new(IPAddress.Parse("192.0.2.1"), 5432);

    /// <summary>How many connections have been made.</summary>
    public int Count { get; private set; }

    public override ByteChannel Dial(TransportSettings settings, Deadline deadline) => new ReplayChannel(scripts[Math.Min(Count++, scripts.Length - 1)], Address);

    public override ValueTask<ByteChannel> DialAsync(TransportSettings settings, Deadline deadline, CancellationToken token) => new(Dial(settings, deadline));

    // Where cancel requests go: the server takes them and closes.
    public override ByteChannel Redial(EndPoint remote, TransportSettings settings, Deadline deadline) => new ReplayChannel([], Address);

    public override ValueTask<ByteChannel> RedialAsync(EndPoint remote, TransportSettings settings, Deadline deadline, CancellationToken token) =>
        new(new ReplayChannel([], Address));

    internal sealed class ReplayChannel(IReadOnlyList<ServerMessage> script, EndPoint remote) : ByteChannel
    {
        private readonly MessageSplitter _sent = new(isTyped: false);
        private int _requests;
        private int _message;
        private int _offset;
        private bool _isAwaited;
        private bool _isShut;

        public override EndPoint Remote => remote;

        public override int TrySend(ReadOnlySpan<byte> bytes)
        {
            _sent.Take(bytes, (type, _) =>
            {
                _sent.IsTyped = true;
                if (type is not (MessageSplitter.Untyped or 'Q' or 'S' or 'H' or 'c' or 'f'))
                    return;
                _requests++;
                _isAwaited = false;
            });
            return bytes.Length;
        }

        public override int TryReceive(Span<byte> buffer) =>
            _isShut ? 0 : _isAwaited && Take(buffer) is > 0 and var taken ? taken : Nothing;

        public override int Receive(Span<byte> buffer, int milliseconds)
        {
            _isAwaited = true;
            return _isShut ? 0 : Take(buffer);
        }

        public override Readiness Wait(Readiness wanted, int milliseconds)
        {
            _isAwaited = true;
            return wanted;
        }

        public override ValueTask<int> ReceiveAsync(Memory<byte> buffer) => new(Receive(buffer.Span, 0));

        public override Task SendAllAsync(ReadOnlyMemory<byte> bytes)
        {
            TrySend(bytes.Span);
            return Task.CompletedTask;
        }

        public override void Shutdown() => _isShut = true;

        public override void Dispose() => _isShut = true;

        // As much as is due.
        private int Take(Span<byte> buffer)
        {
            var taken = 0;
            while (taken < buffer.Length && _message < script.Count && script[_message].After <= _requests)
            {
                var rest = script[_message].Bytes.AsSpan(_offset);
                var count = Math.Min(rest.Length, buffer.Length - taken);
                rest[..count].CopyTo(buffer[taken..]);
                taken += count;
                _offset += count;
                if (count == rest.Length)
                    (_message, _offset) = (_message + 1, 0);
            }
            return taken;
        }
    }
}
