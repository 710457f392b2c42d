using System.Buffers.Binary;

namespace Loxo.IntegrationTests.Chaos;

/// <summary>
/// As much of the protocol as it takes to find where messages end: lengths, the startup packet that has no type, and the one byte that
/// answers an SSLRequest. Once TLS is agreed on there is nothing more to be seen.
/// </summary>
internal sealed class Framing
{
    private const int SslRequestCode = 80877103;

    private readonly Side _client = new() { IsTyped = false };
    private readonly Side _server = new() { IsTyped = true };
    private volatile bool _expectsTlsAnswer;
    private volatile bool _isEncrypted;

    /// <summary>Whether the server has agreed to TLS.</summary>
    public bool IsEncrypted => _isEncrypted;

    /// <summary>Goes over what has come; <paramref name="ended"/> gets the type and the end (an offset in the whole stream) of each message.</summary>
    public void Scan(bool fromClient, ReadOnlySpan<byte> bytes, Action<byte, long> ended)
    {
        var side = fromClient ? _client : _server;
        while (!bytes.IsEmpty)
        {
            if (_isEncrypted)
            {
                side.Offset += bytes.Length;
                return;
            }
            if (!fromClient && _expectsTlsAnswer)
            {
                _isEncrypted = bytes[0] == 'S';
                _expectsTlsAnswer = false;
                side.Offset++;
                bytes = bytes[1..];
                continue;
            }
            var taken = side.Take(bytes);
            bytes = bytes[taken..];
            if (side.IsComplete)
                End(side, ended);
        }
    }

    private void End(Side side, Action<byte, long> ended)
    {
        if (side.IsTyped)
        {
            ended(side.Header[0], side.Offset);
        }
        else if (BinaryPrimitives.ReadInt32BigEndian(side.Header.AsSpan(4)) == SslRequestCode)
        {
            _expectsTlsAnswer = true;
        }
        else
        {
            side.IsTyped = true;
        }
        side.Restart();
    }

    private sealed class Side
    {
        private int _header;
        private long _bodyLeft;

        public bool IsTyped { get; set; }

        public long Offset { get; set; }

        // Type and length; or the length and code of a packet without a type.
        public byte[] Header { get; } = new byte[8];

        public bool IsComplete => _header == HeaderSize && _bodyLeft == 0;

        private int HeaderSize => IsTyped ? 5 : 8;

        public int Take(ReadOnlySpan<byte> bytes)
        {
            if (_header < HeaderSize)
            {
                Header[_header++] = bytes[0];
                Offset++;
                if (_header == HeaderSize)
                    _bodyLeft = BinaryPrimitives.ReadInt32BigEndian(Header.AsSpan(IsTyped ? 1 : 0)) - (IsTyped ? 4 : 8);
                return 1;
            }
            var taken = (int)Math.Min(bytes.Length, _bodyLeft);
            _bodyLeft -= taken;
            Offset += taken;
            return taken;
        }

        public void Restart() => _header = 0;
    }
}
