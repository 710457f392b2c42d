using System.Collections.Concurrent;
using System.Globalization;
using System.Runtime.CompilerServices;

namespace Loxo.IntegrationTests.Differential;

/// <summary>The same small programs on Npgsql and on Loxo: what they see is the same, but for the differences that are intended.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class DifferentialTests(WaitMode mode)
{
    // Most of a program's time is spent waiting for the server.
    private const int Workers = 3;

    // Npgsql hangs in one program of a thousand or less; a server or machine in trouble must not look like that.
    private const int MostHangs = 20;

    // One program of each kind of failure is reported; after this many kinds the test ends.
    private static readonly int Reported = Setting("LOXO_TEST_DIFFERENCES", 10);

    // Half of them blocking, half of them asynchronous.
    [Test]
    [Category("Slow")]
    public Task Programs_see_the_same()
    {
        var (first, last) = (Setting("LOXO_TEST_FIRST_SEED", 1), Setting("LOXO_TEST_LAST_SEED", 2000));
        return Compare(Enumerable.Range(first, last - first + 1).Where(seed => seed % 2 == (int)mode));
    }

    [Test]
    [Category("Long")]
    public async Task More_programs_see_the_same()
    {
        using var run = LongRun.Begin("programs beside Npgsql", cases: 2);
        await Compare(run.Seeds(1_000_000, "programs"));
    }

    [Test]
    public void The_list_of_intended_differences_is_that_of_the_documentation()
    {
        var page = File.ReadAllText(Path.Combine(Root(), "docs", "npgsql-differences.md"));
        var rows = IntendedDifferences.All.Select(one => one.Row).ToArray();
        var table = page[page.IndexOf("| Subject |", StringComparison.Ordinal)..].Split('\n').Skip(2).TakeWhile(line => line.StartsWith('|'));

        Assert.That(rows.Where(row => !page.Contains($"\n| {row}", StringComparison.Ordinal)), Is.Empty, "not in the documentation");
        Assert.That(table.Select(line => line.Split(" | ")[0]["| ".Length..]).Except(rows), Is.Empty, "no program can show it");
    }

    private async Task Compare(IEnumerable<int> seeds)
    {
        var report = new DifferenceReport(Reported);
        using var work = seeds.GetEnumerator();
        await Task.WhenAll(Enumerable.Range(0, Workers).Select(_ => Task.Run(() => Work(work, report))));
        TestContext.Out.WriteLine(report.Summary);
        Assert.That(report.Kinds, Is.Empty, report.Text);
        Assert.That(report.Hangs, Is.LessThanOrEqualTo(MostHangs), "programs were not compared");
    }

    // The workers take seeds from one list in turn. What a program sees does not depend on its worker.
    private async Task Work(IEnumerator<int> seeds, DifferenceReport report)
    {
        var drivers = await DriverPair.Start(mode);
        try
        {
            while (!report.IsFull && Next(seeds) is { } seed)
            {
                if (await Compare(drivers, ProgramGenerator.Write(seed), report))
                    continue;
                await drivers.DisposeAsync();
                drivers = await DriverPair.Start(mode);
            }
        }
        finally
        {
            await drivers.DisposeAsync();
        }
    }

    private static int? Next(IEnumerator<int> seeds)
    {
        lock (seeds)
            return seeds.MoveNext() ? seeds.Current : null;
    }

    // False if a driver hangs, so that its connections cannot be used any more.
    private static async Task<bool> Compare(DriverPair drivers, GeneratedProgram program, DifferenceReport report)
    {
        IReadOnlyList<Difference> differences;
        try
        {
            differences = await drivers.Run(program, report.Used);
        }
        catch (HangException hang)
        {
            report.Add(hang);
            return false;
        }
        if (differences is not [var difference, ..] || !report.IsNew(difference))
            return true;
        var unused = new ConcurrentBag<IntendedDifference>();
        try
        {
            program = await Shrinker.Shrink(program, async one => (await drivers.Run(one, unused)).Count > 0);
            differences = await drivers.Run(program, unused);
            return true;
        }
        catch (HangException)
        {
            // The difference is shown with what is left of the program.
            return false;
        }
        finally
        {
            report.Add(program, differences);
        }
    }

    private static string Root([CallerFilePath] string file = "") =>
        Path.GetFullPath(Path.Combine(Path.GetDirectoryName(file)!, "..", "..", ".."));

    private static int Setting(string name, int value) =>
        Environment.GetEnvironmentVariable(name) is { Length: > 0 } text ? int.Parse(text, CultureInfo.InvariantCulture) : value;
}
