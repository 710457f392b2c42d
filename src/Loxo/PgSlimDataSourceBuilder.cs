namespace Loxo;

/// <summary>
/// The same as <see cref="PgDataSourceBuilder"/>, for programs written for a builder that starts with few types. Here nothing has to be
/// enabled: what a trimmed program does not use is left out of it.
/// </summary>
public sealed class PgSlimDataSourceBuilder : PgDataSourceBuilderBase<PgSlimDataSourceBuilder>
{
    /// <summary>A builder.</summary>
    /// <param name="connectionString">Keywords and values, or a <c>postgres://</c> URI; null for none yet.</param>
    /// <exception cref="ArgumentException">It is malformed.</exception>
    public PgSlimDataSourceBuilder(string? connectionString = null)
        : base(connectionString)
    {
    }

    /// <summary>Nothing: what it enabled is there. It is here for programs that called it before.</summary>
    public PgSlimDataSourceBuilder EnableArrays() => this;

    /// <inheritdoc cref="EnableArrays"/>
    public PgSlimDataSourceBuilder EnableRanges() => this;

    /// <inheritdoc cref="EnableArrays"/>
    public PgSlimDataSourceBuilder EnableMultiranges() => this;

    /// <inheritdoc cref="EnableArrays"/>
    public PgSlimDataSourceBuilder EnableExtraConversions() => this;

    /// <inheritdoc cref="EnableArrays"/>
    public PgSlimDataSourceBuilder EnableJsonTypes() => this;

    /// <inheritdoc cref="EnableArrays"/>
    public PgSlimDataSourceBuilder EnableRecords() => this;

    /// <inheritdoc cref="EnableArrays"/>
    public PgSlimDataSourceBuilder EnableFullTextSearch() => this;

    /// <inheritdoc cref="EnableArrays"/>
    public PgSlimDataSourceBuilder EnableNetworkTypes() => this;

    /// <inheritdoc cref="EnableArrays"/>
    public PgSlimDataSourceBuilder EnableGeometricTypes() => this;

    /// <inheritdoc cref="EnableArrays"/>
    public PgSlimDataSourceBuilder EnableLTree() => this;

    /// <inheritdoc cref="EnableArrays"/>
    public PgSlimDataSourceBuilder EnableCube() => this;

    /// <inheritdoc cref="EnableArrays"/>
    public PgSlimDataSourceBuilder EnableTransportSecurity() => this;

    /// <inheritdoc cref="EnableArrays"/>
    public PgSlimDataSourceBuilder EnableIntegratedSecurity() => this;
}
