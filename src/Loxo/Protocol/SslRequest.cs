using Loxo.Protocol.Backend;
using Loxo.Protocol.Frontend;

namespace Loxo.Protocol;

/// <summary>
/// Asks whether the server speaks TLS. Its answer is one byte, 'S' or 'N', and nothing may follow it: whatever came in clear text behind it
/// would be taken for the server's words inside TLS (CVE-2021-23222).
/// </summary>
internal sealed class SslRequest : MessageExchange
{
    public SslRequest(IUnsolicitedMessages unsolicited, MessageWriter output)
        : base(unsolicited) => output.WriteSslRequest();

    public bool Accepted { get; private set; }

    public override Progress Advance(MessageReader messages)
    {
        if (!messages.TryTakeByte(out var answer))
            return Progress.NeedMore;
        if (messages.Buffered > 0 && answer is (byte)'S' or (byte)'N')
            throw ProtocolErrors.UnexpectedBytes("SSLRequest");
        Accepted = answer switch
        {
            (byte)'S' => true,
            (byte)'N' => false,
            // An error text at this point is not authenticated, so it is not shown (CVE-2024-10977).
            _ => throw ProtocolErrors.UnexpectedMessage("'S' or 'N' in answer to SSLRequest", (BackendMessageType)answer),
        };
        return Progress.Done;
    }

    protected override Progress On(BackendMessage message) =>
        throw new InvalidOperationException("The answer to SSLRequest is not a message.");
}
