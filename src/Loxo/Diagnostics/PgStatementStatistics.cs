namespace Loxo;

/// <summary>
/// The statements that a data source has run, and their errors, since it was built: see
/// <see cref="PgDataSourceBuilderBase{TBuilder}.UseStatementStatistics"/> and docs/dashboard.md.
/// </summary>
public sealed record PgStatementStatistics
{
    /// <summary>The most statements that are told apart.</summary>
    public required int Capacity { get; init; }

    /// <summary>The statements, those with the longest total time first.</summary>
    public required IReadOnlyList<PgStatementCounts> Statements { get; init; }

    /// <summary>The counts of the evicted statements together. Its text is empty.</summary>
    public required PgStatementCounts Others { get; init; }

    /// <summary>
    /// How often a statement was evicted. When there is room for no more, the tenth of the statements that has not run for the longest time
    /// is evicted.
    /// </summary>
    public required long Evicted { get; init; }

    /// <summary>
    /// The errors, by SQLSTATE; errors that are not the server's, by the class of the exception. From the hundredth kind on, the others
    /// are counted together under <c>others</c>.
    /// </summary>
    public required IReadOnlyDictionary<string, long> Errors { get; init; }
}

/// <summary>The executions of one statement.</summary>
public sealed record PgStatementCounts
{
    /// <summary>The statement with <c>?</c> for each literal, cut after 2,048 characters.</summary>
    public required string Text { get; init; }

    /// <summary>The object ids of its parameters' types, one for each parameter; 0 where the server has chosen the type.</summary>
    public required IReadOnlyList<uint> ParameterTypes { get; init; }

    /// <summary>Whether the server plans it, so that EXPLAIN can show its plan.</summary>
    public required bool IsPlannable { get; init; }

    /// <summary>The executions that have ended, with or without an error. An ExecuteMany is one.</summary>
    public required long Calls { get; init; }

    /// <summary>The executions that have ended with an error.</summary>
    public required long Errors { get; init; }

    /// <summary>The rows that it has returned or changed.</summary>
    public required long Rows { get; init; }

    /// <summary>
    /// The time of all executions, from their first byte to the end of their results. Statements that run together, such as those of a
    /// batch, have equal shares of their time.
    /// </summary>
    public required TimeSpan TotalTime { get; init; }

    /// <summary>The time of an execution on average; zero if there was none.</summary>
    public TimeSpan MeanTime => Calls == 0 ? TimeSpan.Zero : TotalTime / Calls;

    /// <summary>The time of the slowest execution.</summary>
    public required TimeSpan MaxTime { get; init; }

    /// <summary>The time that half of the executions did not exceed, to within an eighth.</summary>
    public required TimeSpan MedianTime { get; init; }

    /// <summary>The time that 99 of 100 executions did not exceed, to within an eighth.</summary>
    public required TimeSpan Percentile99Time { get; init; }

    /// <summary>When the latest execution ended.</summary>
    public required DateTimeOffset LastUsed { get; init; }

    internal string? Executable { get; init; }

    /// <summary>
    /// The text of the latest execution as the server got it, with its literals, which may be secret, and with <c>$1</c> for parameters;
    /// null if it is longer than 2,048 characters.
    /// </summary>
    public string? GetExecutableText() => Executable;
}
