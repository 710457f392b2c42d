namespace Loxo.Protocol.Frontend;

/// <summary>The type byte of each message that the client sends (manual, "Message Formats").</summary>
internal enum FrontendMessage : byte
{
    Bind = (byte)'B',
    Close = (byte)'C',
    CopyData = (byte)'d',
    CopyDone = (byte)'c',
    CopyFail = (byte)'f',
    Describe = (byte)'D',
    Execute = (byte)'E',
    Flush = (byte)'H',
    Parse = (byte)'P',
    /// <summary>Also SASLInitialResponse, SASLResponse and GSSResponse: the server tells them apart by what it asked.</summary>
    Password = (byte)'p',
    Query = (byte)'Q',
    Sync = (byte)'S',
    Terminate = (byte)'X',
}
