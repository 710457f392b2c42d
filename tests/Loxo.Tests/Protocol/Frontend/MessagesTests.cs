using Loxo.Protocol;
using Loxo.Protocol.Frontend;

namespace Loxo.Tests.Protocol.Frontend;

/// <summary>Every message of the client against the bytes that the manual prescribes ("Message Formats").</summary>
public sealed class MessagesTests
{
    private const short Binary = 1;
    private const short Text = 0;

    [Test]
    public void Startup() => AssertBytes(writer => writer.WriteStartup(ProtocolVersions.V30, [new("user", "ann"), new("database", "x")]),
        29, 196608, "user", "ann", "database", "x", (byte)0);

    [Test]
    public void SslRequest() => AssertBytes(writer => writer.WriteSslRequest(), 8, 80877103);

    [Test]
    public void CancelRequest() => AssertBytes(writer => writer.WriteCancelRequest(4711, [1, 2, 3, 4]), 16, 80877102, 4711, new byte[] { 1, 2, 3, 4 });

    [Test]
    public void CancelRequest_with_a_long_key() => AssertBytes(writer => writer.WriteCancelRequest(1, new byte[32]), 44, 80877102, 1, new byte[32]);

    [Test]
    public void Password() => AssertBytes(writer => writer.WritePassword("pä"), 'p', 8, "pä");

    [Test]
    public void SASLInitialResponse() => AssertBytes(writer => writer.WriteSaslInitialResponse("SCRAM-SHA-256", "n,,"u8),
        'p', 25, "SCRAM-SHA-256", 3, "n,,"u8.ToArray());

    [Test]
    public void SASLResponse() => AssertBytes(writer => writer.WriteSaslResponse("c=biws"u8), 'p', 10, "c=biws"u8.ToArray());

    [Test]
    public void Query() => AssertBytes(writer => writer.WriteQuery("SELECT 1"), 'Q', 13, "SELECT 1");

    [Test]
    public void Parse() => AssertBytes(writer => writer.WriteParse("s", "x", [23, 0, uint.MaxValue]),
        'P', 22, "s", "x", (short)3, 23, 0, -1);

    [Test]
    public void Parse_without_name_and_types() => AssertBytes(writer => writer.WriteParse("", "x", []), 'P', 9, "", "x", (short)0);

    [Test]
    public void Bind_with_one_format_for_all() => AssertBytes(writer =>
        {
            writer.BeginBind("s");
            writer.WriteFormat(FormatCode.Binary);
            writer.WriteCount(2);
            var value = writer.BeginValue();
            writer.WriteInt32(42);
            writer.EndValue(value);
            writer.WriteNullValue();
            writer.EndBind([]);
        },
        'B', 4 + 1 + 2 + 4 + 2 + 8 + 4 + 4, "", "s", (short)1, Binary, (short)2, 4, 42, -1, (short)1, Binary);

    [Test]
    public void Bind_with_a_format_for_each() => AssertBytes(writer =>
        {
            writer.BeginBind("");
            writer.WriteFormats([FormatCode.Text, FormatCode.Binary]);
            writer.WriteCount(0);
            writer.EndBind([FormatCode.Binary, FormatCode.Text]);
        },
        'B', 4 + 1 + 1 + 6 + 2 + 6, "", "", (short)2, Text, Binary, (short)0, (short)2, Binary, Text);

    [Test]
    public void Describe() => AssertBytes(writer => writer.WriteDescribe(Messages.Target.Statement, "s"), 'D', 7, 'S', "s");

    [Test]
    public void Describe_of_the_portal() => AssertBytes(writer => writer.WriteDescribe(Messages.Target.Portal, ""), 'D', 6, 'P', "");

    [Test]
    public void Close() => AssertBytes(writer => writer.WriteClose(Messages.Target.Statement, "s"), 'C', 7, 'S', "s");

    [Test]
    public void Execute() => AssertBytes(writer => writer.WriteExecute(), 'E', 9, "", 0);

    [Test]
    public void CopyFail() => AssertBytes(writer => writer.WriteCopyFail("no"), 'f', 7, "no");

    [Test]
    public void Sync() => AssertBytes(writer => writer.WriteSync(), 'S', 4);

    [Test]
    public void Terminate() => AssertBytes(writer => writer.WriteTerminate(), 'X', 4);

    [TestCase("a\0b")]
    [TestCase("\0")]
    public void A_text_with_NUL_is_refused(string text)
    {
        var error = Assert.Throws<PgException>(() => new MessageWriter().WriteQuery(text))!;
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ParameterInvalid));
    }

    // Into a writer that must grow at every turn, too.
    private static void AssertBytes(Action<MessageWriter> write, params object[] expected)
    {
        foreach (var size in new[] { MessageWriter.InitialSize, 1 })
        {
            var writer = new MessageWriter(size);
            write(writer);
            write(writer);
            var once = Golden.Bytes(expected);
            Assert.That(Convert.ToHexString(writer.Pending), Is.EqualTo(Convert.ToHexString([.. once, .. once])));
        }
    }
}
