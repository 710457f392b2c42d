using System.Buffers.Binary;
using System.Net.Sockets;
using System.Text;

namespace Loxo.Benchmarks.Canned;

/// <summary>
/// One connection to the canned server: as much of the protocol as the peers use, for statements that have an answer. It answers all
/// requests that have arrived before it sends, so that the client's work depends little on when each process runs.
/// </summary>
internal sealed class CannedSession(Socket socket, Dictionary<string, CannedAnswer> answers)
{
    // SSLRequest and GSSENCRequest (manual, "Message Formats").
    private const int AskForTls = 80877103;
    private const int AskForGss = 80877104;
    private const int HeadLength = 5;

    // Signature, flags and the length of the extension (manual, COPY, "Binary Format").
    private const int CopyHeader = 19;

    private static readonly (string Name, string Value)[] Parameters =
    [
        ("server_version", "15.0"), ("server_encoding", "UTF8"), ("client_encoding", "UTF8"), ("DateStyle", "ISO, MDY"), ("IntervalStyle", "postgres"),
        ("TimeZone", "UTC"), ("integer_datetimes", "on"), ("standard_conforming_strings", "on"), ("in_hot_standby", "off"), ("default_transaction_read_only", "off"),
    ];

    private readonly Dictionary<string, (CannedAnswer Answer, byte[] Types)> _statements = [];
    private readonly MessageBytes _output = new();
    private byte[] _input = new byte[64 * 1024];
    private int _start;
    private int _end;
    private bool _mustSend;
    private CannedAnswer? _bound;
    private long _written;
    private long _copied;
    private long _copiedBytes;

    /// <summary>Serves until the client goes.</summary>
    public void Run()
    {
        if (!Welcome())
            return;
        while (Fill(HeadLength))
        {
            var length = BinaryPrimitives.ReadInt32BigEndian(_input.AsSpan(_start + 1)) + 1;
            if (!Fill(length) || !Answer((char)_input[_start], _input.AsSpan(_start + HeadLength, length - HeadLength)))
                return;
            _start += length;
        }
    }

    private bool Welcome()
    {
        while (Fill(8))
        {
            var length = BinaryPrimitives.ReadInt32BigEndian(_input.AsSpan(_start));
            var code = BinaryPrimitives.ReadInt32BigEndian(_input.AsSpan(_start + 4));
            if (!Fill(length))
                return false;
            _start += length;
            if (code is AskForTls or AskForGss)
            {
                socket.Send("N"u8);
                continue;
            }
            _output.Begin('R').Int32(0).End();
            foreach (var (name, value) in Parameters)
                _output.Begin('S').Text(name).Text(value).End();
            _output.Begin('K').Int32(CannedData.ProcessId).Int32(1).End();
            Ready();
            return true;
        }
        return false;
    }

    // Whether so many bytes are there; false at the end.
    private bool Fill(int count)
    {
        while (_end - _start < count)
        {
            if (_mustSend)
                Send();
            if (_start > 0)
            {
                _input.AsSpan(_start, _end - _start).CopyTo(_input);
                (_start, _end) = (0, _end - _start);
            }
            if (_input.Length < count)
                Array.Resize(ref _input, count * 2);
            var received = socket.Receive(_input.AsSpan(_end));
            if (received == 0)
                return false;
            _end += received;
        }
        return true;
    }

    private bool Answer(char type, ReadOnlySpan<byte> body)
    {
        switch (type)
        {
            case 'P':
                Parse(body);
                break;
            case 'B':
                Bind(body);
                break;
            case 'D':
                Describe(body);
                break;
            case 'E':
                Execute();
                break;
            case 'C':
                _output.Empty('3');
                break;
            case 'Q':
                Query(body);
                break;
            case 'd':
                CountRows(body);
                break;
            case 'c':
                _output.Begin('C').Text($"COPY {_copied}").End();
                Ready();
                break;
            case 'S':
                Ready();
                break;
            case 'H':
                _mustSend = true;
                break;
            default:
                return false;
        }
        return true;
    }

    // All rows are as long as any other.
    private void CountRows(ReadOnlySpan<byte> body)
    {
        _copiedBytes += body.Length;
        _copied = (_copiedBytes - CopyHeader) / CannedData.CopiedRow;
    }

    private void Query(ReadOnlySpan<byte> body)
    {
        var sql = TakeText(ref body);
        if (sql == CannedData.Copy)
        {
            _copiedBytes = 0;
            _output.Begin('G').Byte(1).Int16(4).Int16(1).Int16(1).Int16(1).Int16(1).End();
            _mustSend = true;
            return;
        }
        if (sql.StartsWith("START_REPLICATION", StringComparison.Ordinal))
        {
            _output.Raw(CannedChanges.Bytes);
            _mustSend = true;
            return;
        }
        if (answers.TryGetValue(sql, out var answer))
            _output.Raw(answer.Described).Raw(answer.Rows);
        else
            _output.Begin('C').Text("SET").End();
        Ready();
    }

    private void Parse(ReadOnlySpan<byte> body)
    {
        var name = TakeText(ref body);
        var sql = TakeText(ref body);
        if (!answers.TryGetValue(sql, out var answer))
            throw new InvalidOperationException($"There is no canned answer to: {sql}");
        _statements[name] = (answer, body.ToArray());
        _output.Empty('1');
    }

    private void Bind(ReadOnlySpan<byte> body)
    {
        TakeText(ref body);
        _bound = _statements[TakeText(ref body)].Answer;
        _written = _bound.Rows is null ? Sum(body) : 0;
        _output.Empty('2');
    }

    private void Describe(ReadOnlySpan<byte> body)
    {
        var isStatement = body[0] == 'S';
        body = body[1..];
        if (!isStatement)
        {
            _output.Raw(_bound!.DescribedPortal);
            return;
        }
        // Parse said what the parameters are: a count and types, as in ParameterDescription.
        var (answer, types) = _statements[TakeText(ref body)];
        _output.Begin('t').Raw(types).End().Raw(answer.Described);
    }

    private void Execute()
    {
        if (_bound!.Rows is { } rows)
            _output.Raw(rows);
        else
            _output.Begin('C').Text($"INSERT 0 {_written}").End();
    }

    // Over all bytes of all values, so that whoever wrote the same is told the same.
    private static long Sum(ReadOnlySpan<byte> body)
    {
        body = body[(2 + 2 * BinaryPrimitives.ReadInt16BigEndian(body))..];
        int count = BinaryPrimitives.ReadInt16BigEndian(body);
        body = body[2..];
        long sum = 0;
        for (; count > 0; count--)
        {
            var length = BinaryPrimitives.ReadInt32BigEndian(body);
            foreach (var b in body.Slice(4, length))
                sum += b;
            sum += length;
            body = body[(4 + length)..];
        }
        return sum;
    }

    private static string TakeText(ref ReadOnlySpan<byte> body)
    {
        var end = body.IndexOf((byte)0);
        var text = Encoding.UTF8.GetString(body[..end]);
        body = body[(end + 1)..];
        return text;
    }

    private void Ready()
    {
        _output.Begin('Z').Byte((byte)'I').End();
        _mustSend = true;
    }

    private void Send()
    {
        socket.Send(_output.Span);
        _output.Clear();
        _mustSend = false;
    }
}
