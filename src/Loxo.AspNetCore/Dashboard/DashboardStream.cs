namespace Loxo.Dashboard;

/// <summary>
/// A change stream that the dashboard shows. The server is asked now and then how far it is behind: a stream that its program does not
/// read knows nothing of what piles up.
/// </summary>
/// <param name="stream">The change stream.</param>
/// <param name="interval">The time from one question to the next.</param>
internal sealed class DashboardStream(PgChangeStream stream, TimeSpan interval)
{
    private const long Unknown = -1;

    private long _answer = Unknown;
    private long _due;
    private Task _asking = Task.CompletedTask;

    public PgChangeStream Stream => stream;

    /// <summary>How many bytes it is behind, as the server has said; or as the stream knows, if the server does not answer.</summary>
    public long Behind => Volatile.Read(ref _answer) is not Unknown and var answer ? answer : stream.BytesBehind;

    /// <summary>Asks the server, if it is time, and does not wait for the answer. One thread at a time.</summary>
    /// <param name="stopping">Cancelled when the application ends.</param>
    public void Ask(CancellationToken stopping)
    {
        var now = Environment.TickCount64;
        if (!_asking.IsCompleted || now < _due)
            return;
        _due = now + (long)interval.TotalMilliseconds;
        _asking = AskAsync(stopping);
    }

    private async Task AskAsync(CancellationToken stopping)
    {
        long? answer = null;
        try
        {
            answer = await stream.GetBytesBehindAsync(stopping).ConfigureAwait(false);
        }
        catch (Exception)
        {
            // The data source has logged it.
        }
        Volatile.Write(ref _answer, answer ?? Unknown);
    }
}
