using System.Globalization;
using Loxo.Protocol.Backend;

namespace Loxo.Protocol;

/// <summary>The ways in which a peer can break the protocol, and what a caller can hand us that no message can carry.</summary>
internal static class ProtocolErrors
{
    public static PgException UnexpectedMessage(string expected, BackendMessageType received) => Violation(
        $"Expected {expected} but the server sent {Name(received)}. The connection has been closed.");

    public static PgException ImpossibleLength(byte type, int length, int atMost) => Violation(string.Create(CultureInfo.InvariantCulture,
        $"The server sent {Name((BackendMessageType)type)} with a length of {length} bytes; at most {atMost} are accepted here. The connection has been closed."));

    public static PgException RowsMissing(long received, ulong counted) => Violation(string.Create(CultureInfo.InvariantCulture,
        $"The server counted {counted} rows in a result of which {received} arrived. The connection has been closed."));

    public static PgException Truncated() => Violation("A message from the server ends before its last field. The connection has been closed.");

    public static PgException UnknownTransactionStatus(byte status) => Violation(string.Create(CultureInfo.InvariantCulture,
        $"ReadyForQuery carries the unknown transaction status 0x{status:x2}. The connection has been closed."));

    public static PgException UnexpectedBytes(string after) => Violation(
        $"The server sent more than its answer to {after}: somebody may be between it and this program. The connection has been closed.");

    public static PgException NulInText() => new(
        "A text that goes to the server holds a NUL character (U+0000), which PostgreSQL cannot store; remove it or use bytea.",
        PgErrorCode.ParameterInvalid);

    public static PgException MessageTooLarge(long bytes) => new(string.Create(CultureInfo.InvariantCulture,
        $"A message of {bytes} bytes was to be sent; PostgreSQL accepts at most 1 GiB. Send less at once, or use COPY."),
        PgErrorCode.MessageTooLarge);

    private static PgException Violation(string message) => new(message, PgErrorCode.ProtocolViolation);

    private static string Name(BackendMessageType type) => Enum.IsDefined(type)
        ? type.ToString()
        : string.Create(CultureInfo.InvariantCulture, $"a message of unknown type 0x{(byte)type:x2}");
}
