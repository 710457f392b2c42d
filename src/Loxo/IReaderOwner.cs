using Loxo.Session;

namespace Loxo;

/// <summary>The command or batch that a reader reads the results of.</summary>
internal interface IReaderOwner
{
    /// <summary>How long each wait may last; <see cref="Timeout.Infinite"/> for no limit.</summary>
    int TimeoutMilliseconds { get; }

    /// <summary>The server is ready again: the session is released, and an error that the server reported is returned.</summary>
    Exception? End(ServerSession session, CancellationToken token);

    /// <summary>The reader stands in front of the first result's rows.</summary>
    void Entered(PgDataReader reader);

    /// <summary>For CommandBehavior.CloseConnection.</summary>
    void CloseConnection();

    /// <summary>For CommandBehavior.CloseConnection.</summary>
    Task CloseConnectionAsync();
}
