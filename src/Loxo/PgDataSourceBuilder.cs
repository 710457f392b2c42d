namespace Loxo;

/// <summary>Makes a <see cref="PgDataSource"/>. The order of calls does not matter.</summary>
public sealed class PgDataSourceBuilder : PgDataSourceBuilderBase<PgDataSourceBuilder>
{
    /// <summary>A builder.</summary>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI; null for none yet.</param>
    /// <exception cref="ArgumentException">It is malformed.</exception>
    public PgDataSourceBuilder(string? connectionString = null)
        : base(connectionString)
    {
    }
}
