namespace Loxo.Embedded;

/// <summary>How a server stops: the modes of <c>pg_ctl stop</c>.</summary>
public enum PgStopMode
{
    /// <summary>Wait until every client has gone by itself.</summary>
    Smart,

    /// <summary>Roll back what runs, disconnect everyone, write everything out.</summary>
    Fast,

    /// <summary>Leave at once; the next start recovers as after a crash.</summary>
    Immediate,
}
