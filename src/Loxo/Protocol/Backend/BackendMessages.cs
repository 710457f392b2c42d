using System.Buffers.Text;

namespace Loxo.Protocol.Backend;

/// <summary>ReadyForQuery ('Z'): the server waits for the next command.</summary>
internal readonly ref struct ReadyForQuery(ReadOnlySpan<byte> body)
{
    private readonly ReadOnlySpan<byte> _body = body;

    public TransactionStatus Status => new ValueReader(_body).ReadByte() switch
    {
        (byte)'I' => TransactionStatus.Idle,
        (byte)'T' => TransactionStatus.InTransaction,
        (byte)'E' => TransactionStatus.Failed,
        var other => throw ProtocolErrors.UnknownTransactionStatus(other),
    };
}

/// <summary>BackendKeyData ('K'): what a CancelRequest must show. Some servers and poolers send none.</summary>
internal readonly ref struct BackendKeyData
{
    public BackendKeyData(ReadOnlySpan<byte> body)
    {
        var reader = new ValueReader(body);
        ProcessId = reader.ReadInt32();
        SecretKey = reader.Rest;
    }

    public int ProcessId { get; }

    /// <summary>4 bytes in protocol 3.0, up to 256 in 3.2.</summary>
    public ReadOnlySpan<byte> SecretKey { get; }
}

/// <summary>
/// NegotiateProtocolVersion ('v'): the server knows only an older minor version, or not all options of the startup message.
/// </summary>
internal readonly ref struct NegotiateProtocolVersion
{
    public NegotiateProtocolVersion(ReadOnlySpan<byte> body)
    {
        var reader = new ValueReader(body);
        var version = reader.ReadInt32();
        // The server sends major and minor version; the manual speaks of the minor version alone.
        Newest = version is >= 0 and < 1 << 16 ? ProtocolVersions.V30 | version : version;
        Options = reader.ReadInt32();
    }

    /// <summary>The newest version that the server speaks.</summary>
    public int Newest { get; }

    /// <summary>The number of options that the server does not know.</summary>
    public int Options { get; }
}

/// <summary>ParameterStatus ('S'): a setting that the server reports, and its value.</summary>
internal readonly ref struct ParameterStatus
{
    public ParameterStatus(ReadOnlySpan<byte> body)
    {
        var reader = new ValueReader(body);
        Name = reader.ReadCString();
        Value = reader.ReadCString();
    }

    public string Name { get; }

    public string Value { get; }
}

/// <summary>ParameterDescription ('t'): the types of a statement's parameters.</summary>
internal readonly ref struct ParameterDescription
{
    public ParameterDescription(ReadOnlySpan<byte> body)
    {
        var reader = new ValueReader(body);
        Types = new uint[reader.ReadCount()];
        for (var i = 0; i < Types.Length; i++)
            Types[i] = reader.ReadUInt32();
    }

    public uint[] Types { get; }
}

/// <summary>NotificationResponse ('A'): a NOTIFY of this or another session.</summary>
internal readonly ref struct NotificationResponse
{
    public NotificationResponse(ReadOnlySpan<byte> body)
    {
        var reader = new ValueReader(body);
        ProcessId = reader.ReadInt32();
        Channel = reader.ReadCString();
        Payload = reader.ReadCString();
    }

    public int ProcessId { get; }

    public string Channel { get; }

    public string Payload { get; }
}

/// <summary>CopyInResponse ('G') and CopyOutResponse ('H'): the server is ready to copy.</summary>
internal readonly ref struct CopyResponse
{
    public CopyResponse(ReadOnlySpan<byte> body)
    {
        var reader = new ValueReader(body);
        IsBinary = reader.ReadByte() != 0;
        Columns = reader.ReadCount();
    }

    public bool IsBinary { get; }

    public int Columns { get; }
}

/// <summary>CommandComplete ('C'): a statement has run; its tag says which kind and how many rows.</summary>
internal readonly ref struct CommandComplete(ReadOnlySpan<byte> body)
{
    /// <summary>The tag without its terminator, as <c>INSERT 0 5</c>.</summary>
    public ReadOnlySpan<byte> Tag { get; } = new ValueReader(body).ReadCStringBytes();

    public ulong Rows => TryGetRows(out var rows) ? rows : 0;

    /// <summary>Rows at the end of the tag; false when it names none, as that of SHOW.</summary>
    public bool TryGetRows(out ulong rows)
    {
        var lastSpace = Tag.LastIndexOf((byte)' ');
        rows = 0;
        return lastSpace >= 0 && Utf8Parser.TryParse(Tag[(lastSpace + 1)..], out rows, out _);
    }

    /// <summary>The object id in <c>INSERT oid rows</c>; 0 in every server since 12.</summary>
    public uint InsertedOid => Tag.StartsWith("INSERT "u8) && Utf8Parser.TryParse(Tag[7..], out uint oid, out _) ? oid : 0;

    /// <summary>The kind of statement, by the tags of the server's cmdtaglist.h.</summary>
    public StatementType Type => Tag switch
    {
        _ when Tag.StartsWith("SELECT "u8) => StatementType.Select,
        _ when Tag.StartsWith("INSERT "u8) => StatementType.Insert,
        _ when Tag.StartsWith("UPDATE "u8) => StatementType.Update,
        _ when Tag.StartsWith("DELETE "u8) => StatementType.Delete,
        _ when Tag.StartsWith("MERGE "u8) => StatementType.Merge,
        _ when Tag.StartsWith("COPY "u8) => StatementType.Copy,
        _ when Tag.StartsWith("MOVE "u8) => StatementType.Move,
        _ when Tag.StartsWith("FETCH "u8) => StatementType.Fetch,
        _ when Tag.StartsWith("CREATE TABLE AS"u8) => StatementType.CreateTableAs,
        _ when Tag.SequenceEqual("CALL"u8) => StatementType.Call,
        _ => StatementType.Other,
    };
}
