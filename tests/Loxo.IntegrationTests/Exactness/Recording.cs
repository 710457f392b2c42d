using System.Buffers.Binary;
using System.Net;
using Loxo.Transport;

namespace Loxo.IntegrationTests.Exactness;

/// <summary>One message of a server, whole.</summary>
/// <param name="Bytes">Type, length and body.</param>
/// <param name="After">How many requests (startup packet, Query, Sync, Flush, CopyDone, CopyFail) the client has to send before the message comes.</param>
internal sealed record ServerMessage(byte[] Bytes, int After)
{
    public char Type => (char)Bytes[0];

    public static ServerMessage Of(char type, ReadOnlySpan<byte> body, int after)
    {
        var bytes = new byte[body.Length + 5];
        bytes[0] = (byte)type;
        BinaryPrimitives.WriteInt32BigEndian(bytes.AsSpan(1), body.Length + 4);
        body.CopyTo(bytes.AsSpan(5));
        return new ServerMessage(bytes, after);
    }
}

/// <summary>Connects as another dialer does, and keeps what the server says.</summary>
/// <remarks>
/// A look at what has arrived finds nothing until somebody waits for the answer; so too when it is played again. Otherwise the speed of the
/// server would decide whether a pool reads the answer to a reset before it hands the session over, or the next renter does.
/// </remarks>
internal sealed class RecordingDialer(Dialer inner) : Dialer
{
    /// <summary>Everything that the server has said on the first connection.</summary>
    public List<ServerMessage> Messages => Connections[0];

    /// <summary>What it has said on each connection.</summary>
    public List<List<ServerMessage>> Connections { get; } = [];

    public override ByteChannel Dial(TransportSettings settings, Deadline deadline) => Record(inner.Dial(settings, deadline));

    public override async ValueTask<ByteChannel> DialAsync(TransportSettings settings, Deadline deadline, CancellationToken token) =>
        Record(await inner.DialAsync(settings, deadline, token).ConfigureAwait(false));

    public override ByteChannel Redial(EndPoint remote, TransportSettings settings, Deadline deadline) => inner.Redial(remote, settings, deadline);

    public override ValueTask<ByteChannel> RedialAsync(EndPoint remote, TransportSettings settings, Deadline deadline, CancellationToken token) =>
        inner.RedialAsync(remote, settings, deadline, token);

    private RecordingChannel Record(ByteChannel channel)
    {
        List<ServerMessage> messages = [];
        Connections.Add(messages);
        return new RecordingChannel(channel, messages);
    }

    private sealed class RecordingChannel(ByteChannel inner, List<ServerMessage> messages) : ByteChannel
    {
        // A lane sends and receives at once, and no answer may be seen before its request.
        private readonly Lock _lock = new();
        private readonly MessageSplitter _splitter = new(isTyped: true) { LongestBody = 1 << 20 };
        private readonly MessageSplitter _sent = new(isTyped: false);
        // The requests that are not answered, each with the statements that were executed for it.
        private readonly Queue<(char Type, int Executes)> _due = [];
        private int _executes;
        private int _answered;
        private int _completed;
        private bool _isAwaited;
        private bool _copiesForQuery;

        public override EndPoint Remote => inner.Remote;

        public override int TrySend(ReadOnlySpan<byte> bytes)
        {
            lock (_lock)
            {
                var count = inner.TrySend(bytes);
                Sent(bytes[..Math.Max(0, count)]);
                return count;
            }
        }

        public override int TryReceive(Span<byte> buffer) => _isAwaited ? Took(buffer, inner.TryReceive(buffer)) : Nothing;

        public override int Receive(Span<byte> buffer, int milliseconds)
        {
            _isAwaited = true;
            return Took(buffer, inner.Receive(buffer, milliseconds));
        }

        public override Readiness Wait(Readiness wanted, int milliseconds)
        {
            _isAwaited = true;
            return inner.Wait(wanted, milliseconds);
        }

        public override async ValueTask<int> ReceiveAsync(Memory<byte> buffer)
        {
            _isAwaited = true;
            var count = await inner.ReceiveAsync(buffer).ConfigureAwait(false);
            return Took(buffer.Span, count);
        }

        public override Task SendAllAsync(ReadOnlyMemory<byte> bytes)
        {
            lock (_lock)
                Sent(bytes.Span);
            return inner.SendAllAsync(bytes);
        }

        public override void Shutdown() => inner.Shutdown();

        public override void Dispose() => inner.Dispose();

        private void Sent(ReadOnlySpan<byte> bytes) => _sent.Take(bytes, (type, _) =>
        {
            _sent.IsTyped = true;
            if (type == 'E')
                _executes++;
            if (type is not (MessageSplitter.Untyped or 'Q' or 'S' or 'H' or 'c' or 'f'))
                return;
            _due.Enqueue((type, _executes));
            _executes = 0;
            _isAwaited = false;
        });

        private int Took(Span<byte> buffer, int count)
        {
            lock (_lock)
                Took(buffer[..Math.Max(0, count)]);
            return count;
        }

        // The answer to a request ends with ReadyForQuery, that to a Flush with the last of its statements, and that to a request to copy
        // in with CopyInResponse; a message behind it belongs to the next one. Where a statement of the extended protocol copies, what ends
        // the copying is answered by CommandComplete or an error, and the Sync behind it by ReadyForQuery; a Sync that came while the server
        // copied in is never answered. Behind an error, no Flush is answered.
        private void Took(Span<byte> bytes)
        {
            _splitter.Take(bytes, (type, body) =>
            {
                messages.Add(ServerMessage.Of(type, body, _answered + 1));
                var (request, executes) = _due.TryPeek(out var first) ? first : default;
                if (type == 'G')
                {
                    _copiesForQuery = request == 'Q';
                    Answered();
                }
                else if (type == 'Z')
                {
                    while (_due.TryPeek(out first) && (first.Type == 'H' || (first.Type is 'c' or 'f' && !_copiesForQuery)))
                        Answered();
                    Answered();
                }
                else if (request == 'H' && type is ('s' or 'C' or 'I' or 'E'))
                {
                    if (++_completed >= executes || type == 'E')
                        Answered();
                }
                else if (request is 'c' or 'f' && type is 'C' or 'E' && !_copiesForQuery)
                {
                    Answered();
                }
            });
        }

        private void Answered()
        {
            _answered++;
            _completed = 0;
            _due.TryDequeue(out _);
        }
    }
}
