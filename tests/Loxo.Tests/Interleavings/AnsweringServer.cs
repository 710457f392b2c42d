using System.Buffers.Binary;
using System.Net;
using Loxo.Tests.Wire;
using Loxo.Transport;

namespace Loxo.Tests.Interleavings;

/// <summary>
/// A server in memory that answers at once, on the thread that sends. Every exchange of bytes is a <see cref="Interleaver.Point"/>. <c>SELECT n</c> returns n.
/// <c>UPDATE .. $1</c> returns the value, and with <c>fail</c> an error, which undoes its group; so does <c>SELECT $1 fail</c>.
/// </summary>
internal sealed class AnsweringServer : Dialer
{
    /// <summary>The statements of each session, in order.</summary>
    public List<List<string>> Sessions { get; } = [];

    /// <summary>Waits until there is something to receive; null where nobody receives before that.</summary>
    public Action<Func<bool>>? Wait { get; init; }

    /// <summary>Whether it takes no bytes for now.</summary>
    public bool IsStuck { get; set; }

    /// <summary>Whether its answers do not arrive for now.</summary>
    public bool IsSilent { get; set; }

    /// <summary>The milliseconds of the last receive that was to block.</summary>
    public int LastWait { get; private set; } = Timeout.Infinite;

    /// <summary>After so many statements the connection is lost.</summary>
    public int Lifetime { get; set; } = int.MaxValue;

    /// <summary>The values of the updates that were committed, in order.</summary>
    public List<int> Committed { get; } = [];

    /// <summary>After so many commits of updates the connection is lost, before the last one is reported.</summary>
    public int CommitsReported { get; set; } = int.MaxValue;

    /// <summary>How many rows <c>SELECT $1 many</c> returns, each with the value; <c>SELECT $1</c> returns one.</summary>
    public int Many { get; init; }

    /// <summary>What it says when it is asked for its role and its log; null for nothing.</summary>
    public string[]? Role { get; set; }

    public override ByteChannel Dial(TransportSettings settings, Deadline deadline)
    {
        var statements = new List<string>();
        Sessions.Add(statements);
        return new Channel(this, Sessions.Count, statements);
    }

    public override ValueTask<ByteChannel> DialAsync(TransportSettings settings, Deadline deadline, CancellationToken token) => new(Dial(settings, deadline));

    public override ByteChannel Redial(EndPoint remote, TransportSettings settings, Deadline deadline) => new Channel(this, 0, []);

    public override ValueTask<ByteChannel> RedialAsync(EndPoint remote, TransportSettings settings, Deadline deadline, CancellationToken token) =>
        new(new Channel(this, 0, []));

    private sealed class Channel(AnsweringServer server, int number, List<string> statements) : ByteChannel
    {
        private readonly List<byte> _sent = [];
        private readonly Queue<byte> _answers = [];
        private bool _isStarted;
        private bool _isShut;
        // Nothing comes behind the answers that are on their way.
        private bool _isLost;
        private byte[]? _value;
        private char _status = 'I';
        private readonly List<int> _updated = [];
        private bool _isSkipping;

        public override EndPoint Remote => ScriptedDialer.Address;

        public override int TrySend(ReadOnlySpan<byte> bytes)
        {
            if (server.IsStuck)
                return 0;
            var sent = bytes.ToArray();
            Interleaver.Point();
            if (_isShut || _isLost)
                throw new System.Net.Sockets.SocketException((int)System.Net.Sockets.SocketError.ConnectionReset);
            _sent.AddRange(sent);
            while (TryRead() is { } message)
                Take(message);
            return sent.Length;
        }

        public override int TryReceive(Span<byte> buffer) => Receive(buffer);

        public override int Receive(Span<byte> buffer, int milliseconds)
        {
            server.LastWait = milliseconds;
            if (server.Wait is { } wait)
                wait(() => _isShut || _isLost || _answers.Count > 0);
            else
                Interleaver.Point();
            return Receive(buffer);
        }

        public override Readiness Wait(Readiness wanted, int milliseconds) => wanted;

        public override ValueTask<int> ReceiveAsync(Memory<byte> buffer) =>
            server.IsSilent ? new(new TaskCompletionSource<int>().Task) : new(Receive(buffer.Span, 0));

        public override Task SendAllAsync(ReadOnlyMemory<byte> bytes)
        {
            TrySend(bytes.Span);
            return Task.CompletedTask;
        }

        public override void Shutdown() => _isShut = true;

        public override void Dispose() => _isShut = true;

        private int Receive(Span<byte> buffer)
        {
            if (_isShut || (_answers.Count == 0 && (_isLost || server.Lifetime <= 0)))
                return 0;
            if (server.IsSilent)
                return Nothing;
            var count = Math.Min(buffer.Length, _answers.Count);
            for (var i = 0; i < count; i++)
                buffer[i] = _answers.Dequeue();
            return count > 0 ? count : Nothing;
        }

        private ClientMessage? TryRead()
        {
            var head = _isStarted ? 5 : 4;
            if (_sent.Count < head)
                return null;
            var length = BinaryPrimitives.ReadInt32BigEndian(_sent.GetRange(head - 4, 4).ToArray());
            if (_sent.Count < length + head - 4)
                return null;
            var body = _sent.GetRange(head, length - 4).ToArray();
            var message = _isStarted ? ClientMessage.Read((char)_sent[0], body) : ClientMessage.ReadUntyped(body);
            _isStarted = true;
            _sent.RemoveRange(0, length + head - 4);
            return message;
        }

        private void Take(ClientMessage message)
        {
            var answer = new Answer();
            switch (message)
            {
                case not null when _isLost:
                    return;
                case not Sync when _isSkipping:
                    return;
                case Startup:
                    answer.AuthenticationOk().ParameterStatus("server_version", "18.1").ParameterStatus("standard_conforming_strings", "on").BackendKeyData(number, [1, 2, 3, 4]);
                    answer.ReadyForQuery();
                    break;
                case Query { Sql: var sql } when sql.Contains("pg_proc", StringComparison.Ordinal):
                    // Whether the database hides something.
                    answer.RowDescription(("identity", 25), ("reason", 25), ("statements", 16), ("functions", 25)).DataRow(null, null, "f"u8.ToArray(), null);
                    answer.CommandComplete("SELECT 1").ReadyForQuery(_status);
                    break;
                case Query { Sql: var sql } when server.Role is { } role && sql.Contains("pg_is_in_recovery", StringComparison.Ordinal):
                    answer.RowDescription(("recovery", 25), ("read_only", 25), ("position", 25), ("block", 25)).DataRow([.. role.Select(System.Text.Encoding.UTF8.GetBytes)]);
                    answer.CommandComplete("SELECT 1").ReadyForQuery(_status);
                    break;
                case Query query:
                    foreach (var part in query.Sql.Split(';', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
                        answer.CommandComplete(Run(part));
                    answer.ReadyForQuery(_status);
                    break;
                case Parse parse:
                    Run(parse.Sql);
                    answer.ParseComplete();
                    break;
                case Bind bind:
                    _value = bind.Values is [var value, ..] ? value : null;
                    answer.BindComplete();
                    break;
                case Describe:
                    answer.RowDescription(("value", 23));
                    break;
                case Execute when statements[^1].StartsWith("SELECT $1", StringComparison.Ordinal):
                    if (server.Lifetime-- <= 0)
                    {
                        _isShut = true;
                        return;
                    }
                    if (statements[^1].EndsWith("fail", StringComparison.Ordinal))
                    {
                        _isSkipping = true;
                        answer.ErrorResponse("23514");
                        break;
                    }
                    var rows = statements[^1].EndsWith("many", StringComparison.Ordinal) ? server.Many : 1;
                    for (var i = 0; i < rows; i++)
                        answer.DataRow(_value);
                    answer.CommandComplete($"SELECT {rows}");
                    break;
                case Execute when statements[^1].StartsWith("UPDATE", StringComparison.Ordinal):
                    if (server.Lifetime-- <= 0)
                    {
                        _isLost = true;
                        return;
                    }
                    if (statements[^1].Contains("fail", StringComparison.Ordinal))
                    {
                        _isSkipping = true;
                        _updated.Clear();
                        answer.ErrorResponse("23514");
                        break;
                    }
                    _updated.Add(BinaryPrimitives.ReadInt32BigEndian(_value));
                    answer.DataRow(_value).CommandComplete("UPDATE 1");
                    break;
                case Execute when statements[^1].StartsWith("SELECT ", StringComparison.Ordinal):
                    answer.DataRow(int.Parse(statements[^1]["SELECT ".Length..])).CommandComplete("SELECT 1");
                    break;
                case Execute:
                    answer.CommandComplete("BEGIN");
                    break;
                case Sync:
                    _isSkipping = false;
                    _isLost |= _updated.Count > 0 && --server.CommitsReported < 0;
                    server.Committed.AddRange(_updated);
                    _updated.Clear();
                    if (_isLost)
                        return;
                    answer.ReadyForQuery(_status);
                    break;
            }
            foreach (var one in answer.Bytes)
                _answers.Enqueue(one);
        }

        private string Run(string sql)
        {
            statements.Add(sql);
            var verb = sql.Split(' ')[0];
            _status = verb switch { "BEGIN" => 'T', "COMMIT" or "ROLLBACK" => 'I', _ => _status };
            return verb;
        }
    }
}
