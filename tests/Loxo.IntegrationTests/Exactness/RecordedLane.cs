namespace Loxo.IntegrationTests.Exactness;

/// <summary>What the callers of a lane do, round by round. The calls of one round are under way together.</summary>
/// <param name="Name">A short name, unique.</param>
/// <param name="Rounds">Each call reads or changes something else than its neighbours, so that nobody can take another's answer for his own.</param>
internal sealed record RecordedLane(string Name, params RecordedLane.Call[][] Rounds)
{
    private const string Rows = "SELECT i, 'row ' || i FROM generate_series(1, $1::int) i";

    // By 0 it fails.
    private const string Divide = "SELECT 12 / $1::int, i FROM generate_series(1, $1::int + 1) i";

    private const string Insert = "INSERT INTO m_log SELECT i FROM generate_series(1, $1::int) i";

    // More than two rows fail.
    private const string InsertFew = "INSERT INTO m_small SELECT i FROM generate_series(1, $1::int) i";

    private const string Returning = "INSERT INTO m_log SELECT i FROM generate_series(1, $1::int) i RETURNING id";

    public static readonly RecordedLane[] All =
    [
        new("plain reads", [new(Rows, 1)], [new(Rows, 2)], [new(Rows, 3)], [new(Divide, 2)], [new(Divide, 0)], [new(Divide, 3)]),
        new("plain reads together", [new(Rows, 1), new(Rows, 2), new(Divide, 3)], [new(Divide, 2), new(Divide, 0), new(Rows, 3)]),
        new("plain changes together", [new(Insert, 1), new(Insert, 2), new(Returning, 3)], [new(InsertFew, 1), new(InsertFew, 4), new(Insert, 3)]),
        new("grouped reads", [new(Rows, 1)], [new(Rows, 4), new(Rows, 2), new(Divide, 3), new(Rows, 3)]) { GroupsReads = true },
        new("error in grouped reads", [new(Rows, 1)], [new(Divide, 1)], [new(Rows, 4), new(Rows, 2), new(Divide, 0), new(Rows, 3)]) { GroupsReads = true },
        new("grouped changes", [new(Insert, 1)], [new(Insert, 4), new(Insert, 2), new(Returning, 3), new(Insert, 5)]) { GroupsReads = true, GroupsChanges = true },
        new("error in grouped changes", [new(InsertFew, 1)], [new(Insert, 1)], [new(Insert, 4), new(Insert, 2), new(InsertFew, 3), new(Insert, 5)]) { GroupsReads = true, GroupsChanges = true },
    ];

    /// <summary>Whether queries that are sent together share a transaction.</summary>
    public bool GroupsReads { get; private init; }

    /// <summary>Whether changes do.</summary>
    public bool GroupsChanges { get; private init; }

    /// <summary>Whether the lane is one for commands that change nothing.</summary>
    public bool IsOfReads => GroupsReads && !GroupsChanges;

    /// <summary>Whether commands share a transaction.</summary>
    public bool IsGrouped => GroupsReads || GroupsChanges;

    /// <summary>The next command on the lane, which nobody has spoilt.</summary>
    public Call Canary => GroupsChanges ? new("INSERT INTO m_log SELECT i FROM generate_series(1, $1::int) i -- canary", 7) : new("SELECT 'canary ' || $1::int", 7);

    /// <summary>What <see cref="Canary"/> returns.</summary>
    public string CanaryResult => GroupsChanges ? "7 rows" : "canary 7 |-1";

    public override string ToString() => Name;

    /// <summary>One command with its value.</summary>
    /// <param name="Sql">With one parameter.</param>
    /// <param name="Value">Its value.</param>
    internal sealed record Call(string Sql, int Value)
    {
        /// <summary>Whether it has no rows.</summary>
        public bool IsNonQuery => Sql.StartsWith("INSERT", StringComparison.Ordinal) && !Sql.Contains("RETURNING", StringComparison.Ordinal);
    }
}
