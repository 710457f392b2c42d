using System.Collections.Frozen;
using Loxo.Session;

namespace Loxo.Pool;

internal enum DatabaseAuditState
{
    /// <summary>It was not asked, has not answered, or the answer is too old.</summary>
    Unknown,
    /// <summary>It hides nothing: a plain statement leaves nothing.</summary>
    Clean,
    /// <summary>It hides something: any statement may leave something.</summary>
    Offending,
}

/// <summary>The result of <see cref="DatabaseAudit"/>, with the first finding and why it counts: "contains EXECUTE".</summary>
internal sealed record DatabaseAuditVerdict(DatabaseAuditState State, string? Name, string? Reason)
{
    public static DatabaseAuditVerdict Unknown { get; } = new(DatabaseAuditState.Unknown, null, null);

    public static DatabaseAuditVerdict Clean { get; } = new(DatabaseAuditState.Clean, null, null) { KeepsStatements = true };

    public bool IsClean => State == DatabaseAuditState.Clean;

    /// <summary>Whether no function of the database can make or forget prepared statements.</summary>
    public bool KeepsStatements { get; init; }

    /// <summary>Names of functions that may leave something when attribute notation calls them; null for none.</summary>
    public FrozenSet<string>? Functions { get; init; }

    /// <summary>Names of functions that may change the meaning of names; null for none.</summary>
    public FrozenSet<string>? NameChangers { get; init; }

    /// <inheritdoc cref="ReachableFunctions.UnseenNameChanges"/>
    public UnseenNameChanges UnseenNameChanges { get; init; }

    /// <inheritdoc cref="ReachableFunctions.HidesChanges"/>
    public bool HidesChanges { get; init; }

    /// <inheritdoc cref="ReachableFunctions.ActsOutside"/>
    public bool ActsOutside { get; init; }

    /// <inheritdoc cref="ReachableFunctions.EscapesReadOnly"/>
    public bool EscapesReadOnly { get; init; }

    public static DatabaseAuditVerdict Offending(string name, string reason) => new(DatabaseAuditState.Offending, name, reason);

    public static DatabaseAuditVerdict Of(ReadOnlySpan<string?> row)
    {
        // The name is null if the object was dropped while the server looked for its name.
        var verdict = row is [var name, { } reason, ..] ? Offending(name ?? "an object that has just been dropped", reason) : Clean;
        verdict = verdict with
        {
            KeepsStatements = row is [_, _, "f", ..],
            Functions = row is [_, _, _, { } names, ..] ? SetOf(names) : null,
            NameChangers = row is [_, _, _, _, { } changers, ..] ? SetOf(changers) : null,
            HidesChanges = row is [_, _, _, _, _, not "f", ..],
            ActsOutside = row is [_, _, _, _, _, _, not "f", ..],
            UnseenNameChanges = row is [_, _, _, _, _, _, _, { } unseen, ..]
                ? Enum.Parse<UnseenNameChanges>(unseen) : UnseenNameChanges.None,
            EscapesReadOnly = row is [_, _, _, _, _, _, _, _, not "f", ..],
        };
        return verdict == Clean ? Clean : verdict;
    }

    /// <summary>The verdict, with the sets of the other one: the same names are the same object, by which callers compare them.</summary>
    public DatabaseAuditVerdict WithSetsOf(DatabaseAuditVerdict other) =>
        this with { Functions = other.Functions, NameChangers = other.NameChangers };

    /// <summary>Whether the two say the same but for what was found.</summary>
    public bool MeansTheSameAs(DatabaseAuditVerdict other) => State == other.State && KeepsStatements == other.KeepsStatements
        && UnseenNameChanges == other.UnseenNameChanges && HidesChanges == other.HidesChanges && ActsOutside == other.ActsOutside
        && EscapesReadOnly == other.EscapesReadOnly
        && AreSame(Functions, other.Functions) && AreSame(NameChangers, other.NameChangers);

    private static bool AreSame(FrozenSet<string>? one, FrozenSet<string>? other) =>
        ReferenceEquals(one, other) || one is not null && other is not null && one.SetEquals(other);

    private static FrozenSet<string> SetOf(string names) => names.Split('\n').ToFrozenSet(StringComparer.Ordinal);
}
