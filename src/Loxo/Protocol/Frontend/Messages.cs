namespace Loxo.Protocol.Frontend;

/// <summary>The messages a client sends, each written in one pass (manual, "Message Formats").</summary>
internal static class Messages
{
    private const int SslRequestCode = (1234 << 16) | 5679;
    private const int GssEncryptionRequestCode = (1234 << 16) | 5680;
    private const int CancelRequestCode = (1234 << 16) | 5678;

    public enum Target : byte
    {
        Portal = (byte)'P',
        Statement = (byte)'S',
    }

    public static void WriteStartup(
        this MessageWriter writer, int protocolVersion, ReadOnlySpan<KeyValuePair<string, string>> parameters)
    {
        writer.BeginUntyped();
        writer.WriteInt32(protocolVersion);
        foreach (var (name, value) in parameters)
        {
            writer.WriteCString(name);
            writer.WriteCString(value);
        }
        writer.WriteByte(0);
        writer.End();
    }

    public static void WriteCString(this MessageWriter writer, ReadOnlySpan<char> text)
    {
        if (text.Contains('\0'))
            throw ProtocolErrors.NulInText();
        writer.WriteText(text);
        writer.WriteByte(0);
    }

    public static void WriteSslRequest(this MessageWriter writer)
    {
        writer.BeginUntyped();
        writer.WriteInt32(SslRequestCode);
        writer.End();
    }

    public static void WriteGssEncryptionRequest(this MessageWriter writer)
    {
        writer.BeginUntyped();
        writer.WriteInt32(GssEncryptionRequestCode);
        writer.End();
    }

    /// <summary>A token of the GSSAPI handshake behind its length, which does not count itself.</summary>
    public static void WriteGssToken(this MessageWriter writer, ReadOnlySpan<byte> token)
    {
        writer.WriteInt32(token.Length);
        writer.WriteBytes(token);
    }

    public static void WriteCancelRequest(this MessageWriter writer, int processId, ReadOnlySpan<byte> secretKey)
    {
        writer.BeginUntyped();
        writer.WriteInt32(CancelRequestCode);
        writer.WriteInt32(processId);
        writer.WriteBytes(secretKey);
        writer.End();
    }

    public static void WritePassword(this MessageWriter writer, ReadOnlySpan<char> password) =>
        WriteWithText(writer, FrontendMessage.Password, password);

    public static void WriteSaslInitialResponse(this MessageWriter writer, string mechanism, ReadOnlySpan<byte> response)
    {
        writer.Begin(FrontendMessage.Password);
        writer.WriteCString(mechanism);
        writer.WriteInt32(response.Length);
        writer.WriteBytes(response);
        writer.End();
    }

    public static void WriteSaslResponse(this MessageWriter writer, ReadOnlySpan<byte> response)
    {
        writer.Begin(FrontendMessage.Password);
        writer.WriteBytes(response);
        writer.End();
    }

    public static void WriteQuery(this MessageWriter writer, ReadOnlySpan<char> sql) =>
        WriteWithText(writer, FrontendMessage.Query, sql);

    public static void WriteParse(this MessageWriter writer, ReadOnlySpan<char> statement, ReadOnlySpan<char> sql,
        ReadOnlySpan<uint> parameterTypes)
    {
        writer.Begin(FrontendMessage.Parse);
        writer.WriteCString(statement);
        writer.WriteCString(sql);
        writer.WriteCount(parameterTypes.Length);
        foreach (var oid in parameterTypes)
            writer.WriteUInt32(oid);
        writer.End();
    }

    /// <summary>Bind to the unnamed portal; formats, the count of parameters and their values follow, then <c>EndBind</c>.</summary>
    public static void BeginBind(this MessageWriter writer, ReadOnlySpan<char> statement)
    {
        writer.Begin(FrontendMessage.Bind);
        writer.WriteByte(0);
        writer.WriteCString(statement);
    }

    public static void WriteFormat(this MessageWriter writer, FormatCode all)
    {
        writer.WriteCount(1);
        writer.WriteInt16((short)all);
    }

    public static void WriteFormats(this MessageWriter writer, ReadOnlySpan<FormatCode> formats)
    {
        writer.WriteCount(formats.Length);
        foreach (var format in formats)
            writer.WriteInt16((short)format);
    }

    /// <summary>Ends Bind with the formats of the results; binary for all when none are given.</summary>
    public static void EndBind(this MessageWriter writer, ReadOnlySpan<FormatCode> results)
    {
        if (results.IsEmpty)
            writer.WriteFormat(FormatCode.Binary);
        else
            writer.WriteFormats(results);
        writer.End();
    }

    public static void WriteDescribe(this MessageWriter writer, Target target, ReadOnlySpan<char> name) =>
        WriteTarget(writer, FrontendMessage.Describe, target, name);

    public static void WriteClose(this MessageWriter writer, Target target, ReadOnlySpan<char> name) =>
        WriteTarget(writer, FrontendMessage.Close, target, name);

    public static void WriteUnnamed(this MessageWriter writer, string sql)
    {
        writer.WriteParse("", sql, []);
        writer.BeginBind("");
        writer.WriteFormat(FormatCode.Binary);
        writer.WriteCount(0);
        writer.EndBind([]);
        writer.WriteExecute();
    }

    /// <summary>Execute of the unnamed portal.</summary>
    /// <param name="writer">Where it is written.</param>
    /// <param name="mostRows">How many rows it returns at most; 0 for all.</param>
    public static void WriteExecute(this MessageWriter writer, int mostRows = 0)
    {
        writer.Begin(FrontendMessage.Execute);
        writer.WriteByte(0);
        writer.WriteInt32(mostRows);
        writer.End();
    }

    public static void WriteCopyDone(this MessageWriter writer) => WriteEmpty(writer, FrontendMessage.CopyDone);

    public static void WriteCopyFail(this MessageWriter writer, string reason) => WriteWithText(writer, FrontendMessage.CopyFail, reason);

    public static void WriteSync(this MessageWriter writer) => WriteEmpty(writer, FrontendMessage.Sync);

    public static void WriteFlush(this MessageWriter writer) => WriteEmpty(writer, FrontendMessage.Flush);

    public static void WriteTerminate(this MessageWriter writer) => WriteEmpty(writer, FrontendMessage.Terminate);

    private static void WriteEmpty(MessageWriter writer, FrontendMessage type)
    {
        writer.Begin(type);
        writer.End();
    }

    private static void WriteWithText(MessageWriter writer, FrontendMessage type, ReadOnlySpan<char> text)
    {
        writer.Begin(type);
        writer.WriteCString(text);
        writer.End();
    }

    private static void WriteTarget(MessageWriter writer, FrontendMessage type, Target target, ReadOnlySpan<char> name)
    {
        writer.Begin(type);
        writer.WriteByte((byte)target);
        writer.WriteCString(name);
        writer.End();
    }
}

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
