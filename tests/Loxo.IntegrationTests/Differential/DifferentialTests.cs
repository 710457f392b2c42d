using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;

namespace Loxo.IntegrationTests.Differential;

/// <summary>The same small programs on Npgsql and on Loxo: what they see is the same, but for the differences that are meant.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("Slow")]
public sealed class DifferentialTests(WaitMode mode)
{
    // A program of each kind of failure is reported; after so many kinds the test ends.
    private static readonly int Reported = Setting("LOXO_TEST_DIFFERENCES", 10);

    [Test]
    public Task Programs_see_the_same() => Compare(Setting("LOXO_TEST_FIRST_SEED", 1), Setting("LOXO_TEST_LAST_SEED", 250));

    [Test]
    public void Every_intended_difference_is_a_row_of_the_documentation()
    {
        var page = File.ReadAllText(Path.Combine(Root(), "docs", "npgsql-differences.md"));

        Assert.That(IntendedDifferences.All.Select(one => one.Row).Where(row => !page.Contains($"\n| {row}", StringComparison.Ordinal)), Is.Empty);
    }

    private async Task Compare(int first, int last)
    {
        await using var drivers = new DriverPair(mode);
        await drivers.SetUp();
        var report = new StringBuilder();
        var used = new HashSet<IntendedDifference>();
        var kinds = new HashSet<string>();
        for (var seed = first; seed <= last && kinds.Count < Reported; seed++)
        {
            var program = ProgramGenerator.Write(seed);
            if (await drivers.Run(program, used) is [var difference, ..] && kinds.Add(difference.Kind))
                report.Append(await Describe(drivers, program));
        }
        Assert.That(kinds, Is.Empty, report.ToString());
    }

    private static async Task<string> Describe(DriverPair drivers, GeneratedProgram program)
    {
        var unused = new List<IntendedDifference>();
        var smaller = await Shrinker.Shrink(program, async one => (await drivers.Run(one, unused)).Count > 0);
        var differences = await drivers.Run(smaller, unused);
        return string.Create(CultureInfo.InvariantCulture, $"{smaller}\n{string.Join("\n", differences.Take(5))}\n\n");
    }

    private static string Root([CallerFilePath] string file = "") =>
        Path.GetFullPath(Path.Combine(Path.GetDirectoryName(file)!, "..", "..", ".."));

    private static int Setting(string name, int value) =>
        Environment.GetEnvironmentVariable(name) is { Length: > 0 } text ? int.Parse(text, CultureInfo.InvariantCulture) : value;
}
