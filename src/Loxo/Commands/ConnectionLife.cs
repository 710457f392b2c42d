namespace Loxo.Commands;

/// <summary>
/// The state of a connection object. Each step is taken by one thread; the others find it taken. It is a part of its connection, never
/// copied.
/// </summary>
internal struct ConnectionLife
{
    private const int Closed = 0;
    private const int Opening = 1;
    private const int Open = 2;
    private const int Closing = 3;
    // Closed while it was being opened: the call that opens it gives its session back.
    private const int Abandoned = 4;

    private int _state;

    public bool IsOpening => Volatile.Read(ref _state) == Opening;

    public bool IsOpen => Volatile.Read(ref _state) == Open;

    /// <summary>The settings of a connection can be changed only while it is closed.</summary>
    /// <exception cref="InvalidOperationException">It is not closed.</exception>
    public void CheckClosed()
    {
        if (Volatile.Read(ref _state) != Closed)
            throw NotClosed();
    }

    /// <summary>The caller opens it: until it ends that, nobody else opens or closes it.</summary>
    /// <exception cref="InvalidOperationException">It is not closed.</exception>
    public void BeginOpening()
    {
        if (!TryStep(Closed, Opening))
            throw NotClosed();
    }

    /// <summary>As <see cref="BeginOpening"/>, for a connection that is open and gets a session.</summary>
    public bool TryBeginBinding() => TryStep(Open, Opening);

    /// <summary>It is open. False if it has been closed meanwhile: then the caller closes it.</summary>
    public bool TryEndOpening() => TryStep(Opening, Open);

    /// <summary>It could not be opened.</summary>
    public void OpeningFailed()
    {
        if (Volatile.Read(ref _state) is Opening or Abandoned)
            EndClosing();
    }

    /// <summary>The caller closes it. False if it is not open; what is being opened is closed by the call that opens it.</summary>
    public bool TryBeginClosing()
    {
        while (!TryStep(Open, Closing))
        {
            // Else it may be open by now.
            if (TryStep(Opening, Abandoned) || !IsOpen)
                return false;
        }
        return true;
    }

    /// <summary>It is closed, and can be opened again.</summary>
    public void EndClosing() => Volatile.Write(ref _state, Closed);

    /// <summary>The error of a call that finds the connection closed by another call.</summary>
    /// <param name="isDisposed">Whether it was disposed.</param>
    /// <param name="what">What the call waited for.</param>
    public static InvalidOperationException ClosedWhile(bool isDisposed, string what) => isDisposed
        ? new ObjectDisposedException(nameof(PgConnection), $"The connection was disposed while it {what}.")
        : new InvalidOperationException($"The connection was closed while it {what}.");

    private static InvalidOperationException NotClosed() => new("The connection is open, being opened or being closed; close it first.");

    private bool TryStep(int from, int to) => Interlocked.CompareExchange(ref _state, to, from) == from;
}
