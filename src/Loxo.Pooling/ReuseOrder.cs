namespace Loxo.Pooling;

/// <summary>Which of several idle resources is handed out.</summary>
public enum ReuseOrder
{
    /// <summary>The one that was returned last: few resources stay warm, the others reach their idle time. Needs no lock.</summary>
    Lifo,

    /// <summary>The one that was returned first: all are used evenly. Takes a short lock.</summary>
    Fifo,
}
