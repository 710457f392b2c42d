using System.Buffers.Binary;
using System.Text;

namespace Loxo.IntegrationTests.Exactness;

/// <summary>
/// Which requests of a session have no ReadyForQuery yet, found out from the bytes in both directions and from nothing else: a Query and a
/// Sync are answered by one each, except a Sync that arrives while the server copies in (manual, "COPY Operations").
/// </summary>
/// <remarks>
/// A Sync that is under way when CopyInResponse comes was ignored if the server then read it in copy mode, and is answered if the server
/// raised an error before it read anything. Only the error tells: CopyFail's own, from the routine that reads it, says that copy mode was
/// read to its end. Any other leaves the number unknown until as many ReadyForQuery have come as could be due.
/// </remarks>
internal sealed class SyncCount
{
    // Behind it the words of the CopyFail (CopyGetData, copyfromparse.c); not translated with lc_messages=C.
    private const string CopyFailed = "COPY from stdin failed: ";

    private readonly Lock _lock = new();
    private readonly MessageSplitter _sent = new(isTyped: false);
    private readonly MessageSplitter _received = new(isTyped: true);
    // Q or S; the startup packet is answered like a Query.
    private readonly List<char> _due = [];
    private string? _copyFail;
    private int _syncsAtCopy;
    private bool _inCopy;
    private bool _tlsAsked;

    /// <summary>Requests without an answer, in order: Q for Query, S for Sync.</summary>
    public string Due
    {
        get
        {
            lock (_lock)
                return string.Concat(_due);
        }
    }

    /// <summary>Whether the bytes do not tell how many answers are due.</summary>
    public bool IsUncertain { get; private set; }

    /// <summary>The words of the latest CopyFail.</summary>
    public string? CopyFail => _copyFail;

    /// <summary>What the server sent beyond its due, or null.</summary>
    public string? Surplus { get; private set; }

    /// <summary>Nothing can be seen from here on, since it is encrypted.</summary>
    public bool IsEncrypted { get; private set; }

    /// <summary>How many requests were sent, and how many were answered.</summary>
    public (int Requests, int Answers) Totals { get; private set; }

    public void Sent(ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            if (!IsEncrypted)
                _sent.Take(bytes, OnSent);
        }
    }

    public void Received(ReadOnlySpan<byte> bytes)
    {
        lock (_lock)
        {
            if (_tlsAsked && bytes.Length > 0)
            {
                _tlsAsked = false;
                IsEncrypted = bytes[0] == 'S';
                bytes = bytes[1..];
            }
            if (!IsEncrypted)
                _received.Take(bytes, OnReceived);
        }
    }

    private void OnSent(char type, ReadOnlySpan<byte> body)
    {
        switch (type)
        {
            case MessageSplitter.Untyped when BinaryPrimitives.ReadInt32BigEndian(body) == 80877103:
                _tlsAsked = true;
                break;
            case MessageSplitter.Untyped:
                _sent.IsTyped = true;
                Add('Q');
                break;
            case 'Q' or 'S':
                Add(type);
                break;
            case 'f':
                _copyFail = Encoding.UTF8.GetString(body[..^1]);
                break;
        }
    }

    private void Add(char request)
    {
        _due.Add(request);
        Totals = (Totals.Requests + 1, Totals.Answers);
    }

    private void OnReceived(char type, ReadOnlySpan<byte> body)
    {
        switch (type)
        {
            case 'G':
                _inCopy = true;
                _syncsAtCopy = _due.Count(request => request == 'S');
                break;
            case 'E' when _inCopy:
                EndCopy(Encoding.UTF8.GetString(body));
                break;
            case 'C':
                _inCopy = false;
                break;
            case 'Z':
                OnReady();
                break;
        }
    }

    private void EndCopy(string error)
    {
        _inCopy = false;
        if (_syncsAtCopy == 0)
            return;
        var isCopyFails = _copyFail is not null && error.Contains($"\0M{CopyFailed}{_copyFail}\0", StringComparison.Ordinal)
            && error.Contains("\0RCopyGetData\0", StringComparison.Ordinal);
        if (isCopyFails)
            _due.RemoveRange(_due.IndexOf('S'), _syncsAtCopy);
        else
            IsUncertain = true;
    }

    private void OnReady()
    {
        if (_due.Count == 0)
            Surplus = "a ReadyForQuery that nothing asked for";
        else
            _due.RemoveAt(0);
        if (_due.Count == 0)
            IsUncertain = false;
        Totals = (Totals.Requests, Totals.Answers + 1);
    }
}

/// <summary>Cuts a stream into messages, however its bytes arrive.</summary>
internal sealed class MessageSplitter(bool isTyped)
{
    /// <summary>The type of a packet that has none: a startup packet, an SSLRequest, a CancelRequest.</summary>
    public const char Untyped = '\0';

    private const int LongestBody = 1 << 13;

    private readonly byte[] _header = new byte[5];
    private byte[] _body = new byte[64];
    private int _headerLength;
    private int _bodyLength;
    private long _left;

    public delegate void Handler(char type, ReadOnlySpan<byte> body);

    /// <summary>Whether a message starts with its type.</summary>
    public bool IsTyped { get; set; } = isTyped;

    private int HeaderSize => IsTyped ? 5 : 4;

    /// <summary>Of a body, at most the first 8 KiB are kept.</summary>
    public void Take(ReadOnlySpan<byte> bytes, Handler handler)
    {
        while (!bytes.IsEmpty)
        {
            if (_headerLength < HeaderSize)
            {
                _header[_headerLength++] = bytes[0];
                bytes = bytes[1..];
                if (_headerLength == HeaderSize)
                    _left = BinaryPrimitives.ReadInt32BigEndian(_header.AsSpan(HeaderSize - 4)) - 4;
            }
            else
            {
                var taken = (int)Math.Min(bytes.Length, _left);
                var kept = Math.Min(taken, LongestBody - _bodyLength);
                if (_bodyLength + kept > _body.Length)
                    Array.Resize(ref _body, Math.Min(LongestBody, 2 * (_bodyLength + kept)));
                bytes[..kept].CopyTo(_body.AsSpan(_bodyLength));
                _bodyLength += kept;
                _left -= taken;
                bytes = bytes[taken..];
            }
            if (_headerLength == HeaderSize && _left == 0)
                End(handler);
        }
    }

    private void End(Handler handler)
    {
        var type = IsTyped ? (char)_header[0] : Untyped;
        var body = _body.AsSpan(0, _bodyLength);
        _headerLength = _bodyLength = 0;
        handler(type, body);
    }
}
