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

    /// <summary>The server's answer: 'S' for yes, 'N' for no; anything else is none.</summary>
    public byte Answer { get; private set; }

    public override Progress Advance(MessageReader messages)
    {
        if (!messages.TryTakeByte(out var answer))
            return Progress.NeedMore;
        if (messages.Buffered > 0 && answer is (byte)'S' or (byte)'N')
            throw ProtocolErrors.UnexpectedBytes("SSLRequest");
        Answer = answer;
        return Progress.Done;
    }

    protected override Progress On(BackendMessage message) =>
        throw new InvalidOperationException("The answer to SSLRequest is not a message.");
}
