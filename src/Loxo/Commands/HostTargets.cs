namespace Loxo.Commands;

/// <summary>What single commands of a data source of several hosts ask of the host that they run on.</summary>
internal static class HostTargets
{
    public static TargetSessionAttributes TargetOf(PgDataSource? source) => source?.Hosts?.Target ?? TargetSessionAttributes.Any;

    public static PgFreshness FreshnessOf(PgDataSource? source) => source?.Hosts?.Freshness ?? default;

    /// <summary>The same hosts with another target.</summary>
    public static PgDataSource With(PgDataSource? source, TargetSessionAttributes target) =>
        AllOf(source, nameof(PgCommand.TargetSession)).WithTargetSession(target, FreshnessOf(source));

    /// <summary>The same hosts with another freshness.</summary>
    public static PgDataSource With(PgDataSource? source, PgFreshness freshness) =>
        AllOf(source, nameof(PgCommand.Freshness)).WithTargetSession(TargetOf(source), freshness);

    private static PgMultiHostDataSource AllOf(PgDataSource? source, string property) => source?.AllHosts
        ?? throw new InvalidOperationException(
            $"{property} chooses the host of a command that was made by a PgMultiHostDataSource. This one runs where its connection is "
            + "opened: make the data source with BuildMultiHost, or choose the host when the connection is opened.");
}
