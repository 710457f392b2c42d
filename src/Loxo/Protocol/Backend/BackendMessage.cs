namespace Loxo.Protocol.Backend;

/// <summary>One whole message in the input buffer: valid until the buffer is filled again.</summary>
internal readonly ref struct BackendMessage(BackendMessageType type, ReadOnlySpan<byte> body)
{
    public const int HeaderSize = 5;

    public BackendMessageType Type { get; } = type;

    public ReadOnlySpan<byte> Body { get; } = body;
}
