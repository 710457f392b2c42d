namespace Loxo;

/// <summary>What waits for the server while an asynchronous call is awaited.</summary>
public enum AsyncEngine
{
    /// <summary>The sockets of .NET. The default.</summary>
    Auto,

    /// <summary>The sockets of .NET: each answer is handed from one of the runtime's threads to the thread pool.</summary>
    Sockets,

    /// <summary>
    /// Loops of the driver, which wait for many connections at once with epoll and go on with whatever has arrived. Only on Linux;
    /// elsewhere the sockets of .NET are used.
    /// </summary>
    Reactor,
}
