using System.Buffers.Binary;
using System.Text;

namespace Loxo.Tests.Wire;

/// <summary>Messages of the server, written by the test's own rules, one after the other.</summary>
internal sealed class Answer(Action<byte[]>? send = null)
{
    private readonly List<byte> _bytes = [];
    private readonly List<int> _ends = [0];

    /// <summary>All of them.</summary>
    public byte[] Bytes => [.. _bytes];

    /// <summary>Where messages begin and end: 0, the end of the first, and so on.</summary>
    public IReadOnlyList<int> Boundaries => _ends;

    /// <summary>Each message by itself.</summary>
    public IEnumerable<byte[]> Messages => _ends.Skip(1).Zip(_ends, (end, start) => Bytes[start..end]);

    /// <summary>Everything that answers an unprepared SELECT of one int4 column, ReadyForQuery included.</summary>
    public static Answer Select(params int[] values) => new Answer().Result(values).ReadyForQuery();

    public Answer AuthenticationOk() => Authentication(0, []);

    public Answer Authentication(int code, byte[] data) => Add('R', [.. Int32(code), .. data]);

    public Answer BackendKeyData(int processId, byte[] key) => Add('K', [.. Int32(processId), .. key]);

    public Answer ParameterStatus(string name, string value) => Add('S', [.. Text(name), .. Text(value)]);

    public Answer ReadyForQuery(char status = 'I') => Add('Z', [(byte)status]);

    public Answer ParseComplete() => Add('1', []);

    public Answer BindComplete() => Add('2', []);

    public Answer CloseComplete() => Add('3', []);

    public Answer NoData() => Add('n', []);

    public Answer EmptyQueryResponse() => Add('I', []);

    public Answer CommandComplete(string tag) => Add('C', Text(tag));

    /// <summary>Columns of type int4 in binary, unless another OID is named.</summary>
    public Answer RowDescription(params (string Name, int Oid)[] columns) => Add('T',
    [
        .. Int16(columns.Length),
        .. columns.SelectMany(column => (byte[])
            [.. Text(column.Name), .. Int32(0), .. Int16(0), .. Int32(column.Oid), .. Int16(4), .. Int32(-1), .. Int16(1)]),
    ]);

    public Answer DataRow(params byte[]?[] values) => Add('D',
    [
        .. Int16(values.Length),
        .. values.SelectMany(value => value is null ? Int32(-1) : [.. Int32(value.Length), .. value]),
    ]);

    public Answer DataRow(int value) => DataRow(Int32(value));

    public Answer ErrorResponse(string sqlState, string message = "refused", string severity = "ERROR", string? routine = null) =>
        Add('E', [.. routine is null ? [] : (byte[])[(byte)'R', .. Text(routine)], .. Fields(sqlState, message, severity)]);

    public Answer NoticeResponse(string message) => Add('N', Fields("00000", message, "NOTICE"));

    public Answer NotificationResponse(string channel, string payload) => Add('A', [.. Int32(7), .. Text(channel), .. Text(payload)]);

    public Answer CopyInResponse() => Add('G', [0, 0, 0]);

    public Answer CopyOutResponse() => Add('H', [0, 0, 0]);

    public Answer CopyData(string text) => Add('d', Encoding.UTF8.GetBytes(text));

    public Answer CopyDone() => Add('c', []);

    /// <summary>A statement that returns nothing: Parse, Bind, Describe, Execute are answered.</summary>
    public Answer Command(string tag) => ParseComplete().BindComplete().NoData().CommandComplete(tag);

    /// <summary>A SELECT of one int4 column, as <see cref="Select"/>, without ReadyForQuery.</summary>
    public Answer Result(params int[] values)
    {
        ParseComplete().BindComplete().RowDescription(("value", 23));
        foreach (var value in values)
            DataRow(value);
        return CommandComplete($"SELECT {values.Length}");
    }

    /// <summary>Everything that answers the reset of a session, without ReadyForQuery.</summary>
    public Answer Reset() => CommandComplete("SET").CommandComplete("RESET").CommandComplete("CLOSE CURSOR ALL").CommandComplete("UNLISTEN")
        .RowDescription(("pg_advisory_unlock_all", 2278)).DataRow([]).CommandComplete("SELECT 1").CommandComplete("DISCARD SEQUENCES").CommandComplete("DISCARD TEMP");

    public Answer Add(char type, byte[] body) => Raw([(byte)type, .. Int32(body.Length + 4), .. body]);

    /// <summary>Bytes that need not be a message.</summary>
    public Answer Raw(byte[] bytes)
    {
        _bytes.AddRange(bytes);
        _ends.Add(_bytes.Count);
        send?.Invoke(bytes);
        return this;
    }

    public Answer Raw(Answer other) => Raw(other.Bytes);

    public static byte[] Int32(int value)
    {
        var bytes = new byte[4];
        BinaryPrimitives.WriteInt32BigEndian(bytes, value);
        return bytes;
    }

    public static byte[] Int16(int value) => [(byte)(value >> 8), (byte)value];

    public static byte[] Text(string text) => [.. Encoding.UTF8.GetBytes(text), 0];

    private static byte[] Fields(string sqlState, string message, string severity) =>
    [
        (byte)'S', .. Text(severity), (byte)'V', .. Text(severity), (byte)'C', .. Text(sqlState), (byte)'M', .. Text(message), 0,
    ];
}
