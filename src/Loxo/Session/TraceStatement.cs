using Loxo.Protocol;
using Loxo.Protocol.Frontend;

namespace Loxo.Session;

/// <summary>
/// The statement that tells the server of a trace until the transaction ends; the transaction of a single command ends with the command.
/// The trace is a value, so that the statement is prepared once. docs/decisions/0030 says why it is not a comment.
/// </summary>
/// <param name="value">The <c>traceparent</c>: ASCII, shorter than the 63 bytes that the server keeps.</param>
internal sealed class TraceStatement(string value) : IParameterValues
{
    public const string Sql = "SELECT pg_catalog.set_config('application_name', $1, true)";

    // text
    private const uint TextOid = 25;

    public static uint[] Types { get; } = [TextOid];

    /// <summary>The setting that tells it.</summary>
    public const string Setting = "application_name";

    public int Count => 1;

    public FormatCode Format(int index) => FormatCode.Text;

    public void Write(int index, MessageWriter writer)
    {
        writer.WriteInt32(value.Length);
        writer.WriteBytes(Encoding.ASCII.GetBytes(value));
    }
}
