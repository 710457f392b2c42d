namespace Loxo.Protocol.Backend;

/// <summary>One whole message in the input buffer: valid until the buffer is filled again.</summary>
internal readonly ref struct BackendMessage(BackendMessageType type, ReadOnlySpan<byte> body)
{
    public const int HeaderSize = 5;

    public BackendMessageType Type { get; } = type;

    public ReadOnlySpan<byte> Body { get; } = body;
}

/// <summary>The type byte of each message that the server sends (manual, "Message Formats").</summary>
internal enum BackendMessageType : byte
{
    Authentication = (byte)'R',
    BackendKeyData = (byte)'K',
    BindComplete = (byte)'2',
    CloseComplete = (byte)'3',
    CommandComplete = (byte)'C',
    CopyBothResponse = (byte)'W',
    CopyData = (byte)'d',
    CopyDone = (byte)'c',
    CopyInResponse = (byte)'G',
    CopyOutResponse = (byte)'H',
    DataRow = (byte)'D',
    EmptyQueryResponse = (byte)'I',
    ErrorResponse = (byte)'E',
    FunctionCallResponse = (byte)'V',
    NegotiateProtocolVersion = (byte)'v',
    NoData = (byte)'n',
    NoticeResponse = (byte)'N',
    NotificationResponse = (byte)'A',
    ParameterDescription = (byte)'t',
    ParameterStatus = (byte)'S',
    ParseComplete = (byte)'1',
    PortalSuspended = (byte)'s',
    ReadyForQuery = (byte)'Z',
    RowDescription = (byte)'T',
}
