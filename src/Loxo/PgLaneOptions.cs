namespace Loxo;

/// <summary>
/// How the commands of a data source share sessions: see <see cref="PgDataSourceBuilderBase{TBuilder}.UseLanes"/> and docs/multiplexing.md.
/// </summary>
public sealed class PgLaneOptions
{
    private int? _minimum;
    private int? _maximum;

    /// <summary>
    /// The number of lanes that are opened with the first commands, for queries and for other commands each. By default 4, or the number of
    /// processors if that is higher. Fast commands use only as many of them as there are processors.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Less than 1.</exception>
    public int Minimum
    {
        get => _minimum ?? Math.Max(4, Environment.ProcessorCount);
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            _minimum = value;
        }
    }

    /// <summary>
    /// The most lanes, of both kinds together. By default four times <see cref="Minimum"/>, and at most half of 'Maximum Pool Size',
    /// rounded up: what cannot run in a lane needs the other sessions. There are never more than 'Maximum Pool Size' minus one.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Less than 1.</exception>
    public int Maximum
    {
        get => _maximum ?? (int)Math.Min(Minimum * 4L, int.MaxValue);
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            _maximum = value;
        }
    }

    /// <summary>Whether fast queries that are sent together share a read-only transaction. True by default.</summary>
    public bool GroupQueries { get; set; } = true;

    /// <summary>
    /// Whether fast INSERT, UPDATE, DELETE and MERGE statements that are sent together share a transaction, so that the server writes its
    /// log to the disk once for all of them. Those that come while a lane waits for the commit of one transaction share the next. False by
    /// default. Their callers go on when the server has committed. If it has not, because one of them failed, each is run again by itself.
    /// </summary>
    /// <remarks>
    /// A row that one of them has locked stays locked until all are committed, and sequences have gaps when a group fails. Needs
    /// <see cref="GroupQueries"/>, and lanes of both kinds: with <see cref="Maximum"/> 1 or 'Maximum Pool Size' 2, nothing is shared.
    /// </remarks>
    public bool GroupChanges { get; set; }

    /// <summary>The most lanes of a pool of that size.</summary>
    internal int MostIn(int poolSize) => Math.Min(_maximum ?? Math.Min(Maximum, (poolSize + 1) / 2), poolSize - 1);

    /// <summary>What they say now: a data source keeps them.</summary>
    internal PgLaneOptions Copy() => GroupChanges && !GroupQueries
        ? throw new InvalidOperationException("GroupChanges needs GroupQueries: set both, or neither.")
        : (PgLaneOptions)MemberwiseClone();
}
