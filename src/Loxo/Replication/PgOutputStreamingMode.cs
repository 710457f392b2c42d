namespace Loxo;

/// <summary>When a large transaction is sent.</summary>
public enum PgOutputStreamingMode
{
    /// <summary>When it is committed; the server writes it to files before.</summary>
    Off,

    /// <summary>Before it ends: it may yet be rolled back. Version 2 or later.</summary>
    On,

    /// <summary>The same; what is rolled back says where it stands in the log. Version 4 or later.</summary>
    Parallel,
}
