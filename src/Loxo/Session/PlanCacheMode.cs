namespace Loxo;

/// <summary>How the server plans prepared statements (its setting <c>plan_cache_mode</c>).</summary>
public enum PlanCacheMode
{
    /// <summary>
    /// As the server is configured: by itself it plans the first five runs with their values, then compares. The default.
    /// </summary>
    Auto,

    /// <summary>Each run is planned with its own values: for columns whose values are very unevenly spread.</summary>
    Custom,

    /// <summary>One plan for all values.</summary>
    Generic,
}
