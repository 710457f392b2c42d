using Loxo.Benchmarks;
using Loxo.Benchmarks.Peers.Floor;

namespace Loxo.Fortunes;

/// <summary>
/// The least that the rows can cost: a request encoded beforehand over an idle socket, and the values where they are known to lie. A
/// socket is opened if none is idle, so there are as many as requests at once, like the connections of a driver's pool.
/// </summary>
internal sealed class FloorFortunes(Target target, FloorWait wait) : FortuneSource
{
    private const string Statement = "fortunes";

    // A DataRow's head and its number of columns.
    private const int RowStart = 7;

    private static readonly byte[] Prepare = new FloorMessages().Parse(Statement, FortuneData.Query, 0).Sync().ToArray();
    private static readonly byte[] Request = new FloorMessages().Bind(Statement, 0).Execute().Sync().ToArray();

    private readonly Lock _lock = new();
    private readonly Stack<FloorConnection> _idle = new();

    public override async ValueTask<List<Fortune>> ReadAsync()
    {
        var fortunes = new List<Fortune>();
        var connection = Rent();
        Read(connection.Buffer.AsSpan(0, await connection.RoundTripAsync(Request)), fortunes);
        Return(connection);
        return fortunes;
    }

    private static void Read(ReadOnlySpan<byte> answer, List<Fortune> fortunes)
    {
        while (!answer.IsEmpty)
        {
            var length = FloorAnswers.Length(answer);
            if (answer[0] == 'D')
            {
                var row = answer[RowStart..length];
                fortunes.Add(new Fortune(FloorAnswers.TakeInt32(ref row), FloorAnswers.TakeText(ref row)));
            }
            answer = answer[length..];
        }
    }

    private FloorConnection Rent()
    {
        lock (_lock)
        {
            if (_idle.TryPop(out var idle))
                return idle;
        }
        var connection = new FloorConnection(target, wait);
        connection.RoundTrip(Prepare);
        return connection;
    }

    private void Return(FloorConnection connection)
    {
        lock (_lock)
            _idle.Push(connection);
    }
}
