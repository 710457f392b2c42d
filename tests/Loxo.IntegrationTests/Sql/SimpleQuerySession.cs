using System.Buffers.Binary;
using System.Globalization;
using System.Net.Sockets;
using System.Text;

namespace Loxo.IntegrationTests.Sql;

/// <summary>
/// What became of a text: its result sets, one line for the columns of each and one for each of its rows, and the error that ended it.
/// </summary>
/// <param name="Lines">Columns and rows.</param>
/// <param name="SqlState">The error's code; null if there was none.</param>
/// <param name="Position">The character that the error is about; 0 for none.</param>
internal sealed record TextOutcome(List<string> Lines, string? SqlState = null, int Position = 0)
{
    public override string ToString() => string.Join("\n", Lines) + (SqlState is null ? "" : $"\nerror {SqlState} at {Position}");
}

/// <summary>
/// A session without a driver: a text goes to the server as it is, in one Query message, so that only the server's own scanner reads it.
/// </summary>
internal sealed class SimpleQuerySession : IDisposable
{
    private const int ProtocolVersion = 196608;

    private readonly TcpClient _client;
    private readonly NetworkStream _stream;

    public SimpleQuerySession(string connectionString)
    {
        var settings = new PgConnectionStringBuilder(connectionString);
        _client = new TcpClient(settings.Host!, settings.Port) { NoDelay = true };
        _stream = _client.GetStream();
        var parameters = Encoding.UTF8.GetBytes($"user\0{settings.Username}\0database\0{settings.Database}\0client_encoding\0UTF8\0\0");
        Span<byte> head = stackalloc byte[8];
        BinaryPrimitives.WriteInt32BigEndian(head, head.Length + parameters.Length);
        BinaryPrimitives.WriteInt32BigEndian(head[4..], ProtocolVersion);
        _stream.Write([.. head, .. parameters]);
        ReadAnswer();
    }

    /// <summary>Runs a text of any number of statements.</summary>
    public TextOutcome Run(string text)
    {
        var bytes = Encoding.UTF8.GetBytes(text + "\0");
        Span<byte> head = stackalloc byte[5];
        head[0] = (byte)'Q';
        BinaryPrimitives.WriteInt32BigEndian(head[1..], bytes.Length + 4);
        _stream.Write([.. head, .. bytes]);
        return ReadAnswer();
    }

    public void Dispose() => _client.Dispose();

    private TextOutcome ReadAnswer()
    {
        var outcome = new TextOutcome([]);
        var head = new byte[5];
        while (true)
        {
            _stream.ReadExactly(head);
            var body = new byte[BinaryPrimitives.ReadInt32BigEndian(head.AsSpan(1)) - 4];
            _stream.ReadExactly(body);
            switch ((char)head[0])
            {
                case 'Z':
                    return outcome;
                case 'E':
                    outcome = outcome with { SqlState = Field(body, 'C'), Position = int.Parse(Field(body, 'P') ?? "0", CultureInfo.InvariantCulture) };
                    break;
                // A row may have no columns.
                case 'T' when Columns(body) is { Count: > 0 } columns:
                    outcome.Lines.Add("columns " + string.Join(" | ", columns));
                    break;
                case 'D' when Values(body) is { Count: > 0 } values:
                    outcome.Lines.Add(string.Join(" | ", values));
                    break;
            }
        }
    }

    private static string? Field(byte[] body, char type) =>
        Encoding.UTF8.GetString(body).Split('\0').FirstOrDefault(field => field.StartsWith(type))?[1..];

    private static List<string> Columns(byte[] body)
    {
        const int fixedPart = 18;
        var names = new List<string>();
        for (var at = 2; at < body.Length; at += fixedPart)
        {
            var end = Array.IndexOf(body, (byte)0, at);
            names.Add(Encoding.UTF8.GetString(body, at, end - at));
            at = end + 1;
        }
        return names;
    }

    private static List<string> Values(byte[] body)
    {
        var values = new List<string>();
        for (var at = 2; at < body.Length;)
        {
            var length = BinaryPrimitives.ReadInt32BigEndian(body.AsSpan(at));
            at += 4;
            values.Add(length < 0 ? "null" : $"'{Encoding.UTF8.GetString(body, at, length)}'");
            at += Math.Max(0, length);
        }
        return values;
    }
}
