namespace Loxo.IntegrationTests.Differential;

/// <summary>A difference that is intended.</summary>
/// <param name="Row">The first cell of its row in docs/npgsql-differences.md.</param>
/// <param name="EndsComparison">Whether the drivers are in different states afterwards.</param>
/// <param name="Applies">Recognizes the difference.</param>
internal sealed record IntendedDifference(string Row, bool EndsComparison, Func<Difference, bool> Applies);

/// <summary>The list of differences that are intended.</summary>
internal static class IntendedDifferences
{
    public static IReadOnlyList<IntendedDifference> All { get; } =
    [
        .. IntendedReaderDifferences.All, .. IntendedParameterDifferences.All, .. IntendedCommandDifferences.All, .. IntendedConnectionDifferences.All,
    ];

    public static IntendedDifference? Find(Difference difference) => All.FirstOrDefault(one => one.Applies(difference));
}
