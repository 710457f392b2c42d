namespace Loxo;

/// <summary>How a value of a row was sent (manual, "Logical Replication Message Formats").</summary>
public enum TupleDataKind : byte
{
    /// <summary>NULL.</summary>
    Null = (byte)'n',

    /// <summary>A large value that was not changed, and that the server does not send for that reason.</summary>
    UnchangedToastedValue = (byte)'u',

    /// <summary>In text format.</summary>
    TextValue = (byte)'t',

    /// <summary>In binary format.</summary>
    BinaryValue = (byte)'b',
}
