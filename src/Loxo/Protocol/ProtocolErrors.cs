using Loxo.Protocol.Backend;

namespace Loxo.Protocol;

/// <summary>The ways in which a peer can break the protocol, and what a caller can hand us that no message can carry.</summary>
internal static class ProtocolErrors
{
    public static PgException UnexpectedMessage(string expected, BackendMessageType received) => Violation(
        $"Expected {expected} but the server sent {Name(received)}. The connection has been closed.");

    public static PgException ImpossibleLength(byte type, int length, int atMost) => Violation(string.Create(CultureInfo.InvariantCulture,
        $"The server sent {Name((BackendMessageType)type)} with a length of {length} bytes; at most {atMost} are accepted here. The "
        + $"connection has been closed."));

    public static PgException ImpossibleToken(int length, int atMost) => Violation(string.Create(CultureInfo.InvariantCulture,
        $"The server sent a GSSAPI token with a length of {length} bytes; at most {atMost} are accepted here. The connection has been "
        + $"closed."));

    public static PgException RowsMissing(long received, ulong counted) => Violation(string.Create(CultureInfo.InvariantCulture,
        $"The server counted {counted} rows in a result of which {received} arrived. The connection has been closed."));

    public static PgException UnusableNegotiation(string answered, string asked, int options) => Violation(
        $"The server answered version {answered} of the protocol and {options} unknown options to a startup message of version {asked} "
        + "without options. The connection has been closed.");

    public static PgException VersionTooOld(string newest, string oldest) => new(
        $"The server speaks version {newest} of the protocol, and 'min_protocol_version' asks for {oldest} or later, "
        + "which PostgreSQL 18 speaks. The connection has been closed.", PgErrorCode.AuthenticationNotSupported);

    public static PgException Truncated() =>
        Violation("A message from the server ends before its last field. The connection has been closed.");

    public static PgException UnknownTransactionStatus(byte status) => Violation(string.Create(CultureInfo.InvariantCulture,
        $"ReadyForQuery carries the unknown transaction status 0x{status:x2}. The connection has been closed."));

    public static PgException UnexpectedBytes(string after) => Violation(
        $"The server sent more than its answer to {after}: somebody may be between it and this program. The connection has been closed.");

    public static PgException NulInText() => new(
        "A text that goes to the server holds a NUL character (U+0000), which PostgreSQL cannot store; remove it or use bytea.",
        PgErrorCode.ParameterInvalid);

    public static PgException MessageTooLarge(long bytes, int most) => new(string.Create(CultureInfo.InvariantCulture,
        $"The message would have {bytes:N0} bytes or more; PostgreSQL accepts at most {most:N0}. Nothing was sent. Send less at once: "
        + $"several statements, or parts of the value."),
        PgErrorCode.MessageTooLarge);

    public static PgException OutputTooLarge(long bytes) => new(string.Create(CultureInfo.InvariantCulture,
        $"The command's messages would have {bytes:N0} bytes together; at most {Array.MaxLength:N0} can be sent at once. Nothing was sent. "
        + $"Use smaller batches, or streams as values."),
        PgErrorCode.MessageTooLarge);

    private static PgException Violation(string message) => new(message, PgErrorCode.ProtocolViolation);

    private static string Name(BackendMessageType type) => Enum.IsDefined(type)
        ? type.ToString()
        : string.Create(CultureInfo.InvariantCulture, $"a message of unknown type 0x{(byte)type:x2}");
}
