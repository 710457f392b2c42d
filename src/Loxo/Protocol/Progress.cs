namespace Loxo.Protocol;

/// <summary>How far an <see cref="Exchange"/> got with the messages that have arrived.</summary>
internal enum Progress : byte
{
    /// <summary>Everything buffered is consumed and the exchange is not at a stop.</summary>
    NeedMore,

    /// <summary>The next message is a DataRow; it is left for the reader to take.</summary>
    Row,

    /// <summary>A result with rows has ended; another may follow.</summary>
    ResultEnd,

    /// <summary>ReadyForQuery arrived: the exchange is over.</summary>
    Done,

    /// <summary>ReadyForQuery arrived, and the exchange has written another flight, which stands in the queue.</summary>
    FlightEnd,

    /// <summary>Everything written has been sent, and nothing stops an exchange that <see cref="Exchange.StopsWhenSent"/>.</summary>
    Sent,
}
