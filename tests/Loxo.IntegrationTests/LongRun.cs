using System.Diagnostics;
using System.Globalization;

namespace Loxo.IntegrationTests;

/// <summary>
/// The time of a test of the category Long that could go on for hours. The test ends when its work is done or its time is over, and says how much it
/// has done. What comes first is chosen by a seed, by default the date, so that the run of another day does another part.
/// </summary>
internal sealed class LongRun : IDisposable
{
    /// <summary>The minutes of each test, and on how many servers it runs. LOXO_TEST_LONG_MINUTES sets their sum; each gets its part of it.</summary>
    public static readonly IReadOnlyDictionary<string, (double Minutes, int Servers)> Shares = new Dictionary<string, (double, int)>
    {
        ["functions"] = (4, 2),
        ["texts of types"] = (3, 2),
        ["programs beside Npgsql"] = (5, 1),
        ["failing statements"] = (8, 1),
        ["failing copies"] = (2, 1),
        ["statements at random"] = (2, 2),
        ["tricky texts"] = (1, 2),
        ["notations at random"] = (0.5, 2),
        ["changed names"] = (5, 1),
        ["lanes"] = (3, 1),
        ["orders of lanes"] = (4, 1),
        ["promotions"] = (3, 1),
        ["late cancels"] = (3, 1),
        ["pipelines"] = (2, 1),
        ["pipelines beside libpq"] = (2, 1),
        ["queued commands"] = (2, 1),
    };

    // Tests run one after the other.
    private static readonly Dictionary<string, Job> Jobs = [];

    private readonly Job _job;
    private readonly TimeSpan _time;
    private readonly Stopwatch _clock = Stopwatch.StartNew();
    private readonly List<string> _done = [];

    private LongRun(Job job, int cases)
    {
        _job = job;
        _time = job.Begin(cases);
    }

    /// <summary>The minutes of all these tests together if nothing else is set.</summary>
    public static double UsualMinutes => Shares.Values.Sum(share => share.Minutes * share.Servers);

    /// <summary>The number that the work is chosen by.</summary>
    public static int Seed { get; } = (int)Setting("LOXO_TEST_LONG_SEED", int.Parse($"{DateTime.UtcNow:yyyyMMdd}", CultureInfo.InvariantCulture));

    /// <summary>Random numbers of the seed.</summary>
    public Random Random { get; } = new(Seed);

    /// <summary>Whether there is time left.</summary>
    public bool GoesOn => _clock.Elapsed < _time;

    /// <summary>What was done, as far as it has been said: "31,200 of 220,113 texts".</summary>
    public string Done => string.Join("; ", _done);

    /// <summary>Begins a test.</summary>
    /// <param name="job">Its name in the table above.</param>
    /// <param name="cases">The number of tests that share this time. What one leaves, the next ones get.</param>
    public static LongRun Begin(string job, int cases)
    {
        if (!Jobs.TryGetValue(job, out var begun))
        {
            var scale = Setting("LOXO_TEST_LONG_MINUTES", UsualMinutes) / UsualMinutes;
            Jobs.Add(job, begun = new Job(TimeSpan.FromMinutes(Shares[job].Minutes * scale)));
        }
        return new LongRun(begun, cases);
    }

    /// <summary>These in an order of the seed, as long as there is time.</summary>
    /// <param name="what">What they are, for the report: "texts".</param>
    public IEnumerable<T> Of<T>(IEnumerable<T> all, string what)
    {
        T[] work = [.. all];
        Random.Shuffle(work);
        return Times(work.Length, what).Select(i => work[i]);
    }

    /// <summary>So many seeds, as long as there is time.</summary>
    public IEnumerable<int> Seeds(int most, string what) => Times(most, what).Select(_ => Random.Next());

    /// <summary>The numbers from 0, as long as there is time; one at least.</summary>
    public IEnumerable<int> Times(int most, string what)
    {
        var done = 0;
        try
        {
            do
                yield return done++;
            while (done < most && GoesOn);
        }
        finally
        {
            Report(done, most, what);
        }
    }

    /// <summary>Says how much was done.</summary>
    public void Report(long done, long most, string what) => _done.Add(done < most ? $"{done:N0} of {most:N0} {what}" : $"all {most:N0} {what}");

    /// <summary>Ends the test. What it has done goes to its output and to the file that LOXO_TEST_LONG_REPORT names.</summary>
    public void Dispose()
    {
        _job.End(_clock.Elapsed);
        var line = $"{TestContext.CurrentContext.Test.FullName}: {Done}; seed {Seed}, {_clock.Elapsed.TotalMinutes:N1} of {_time.TotalMinutes:N1} minutes";
        TestContext.Out.WriteLine(line);
        if (Environment.GetEnvironmentVariable("LOXO_TEST_LONG_REPORT") is { Length: > 0 } file)
            File.AppendAllLines(file, [line]);
    }

    private static double Setting(string name, double otherwise) =>
        Environment.GetEnvironmentVariable(name) is { Length: > 0 } text ? double.Parse(text, CultureInfo.InvariantCulture) : otherwise;

    /// <summary>The time that is left for the tests of a job.</summary>
    private sealed class Job(TimeSpan left)
    {
        private TimeSpan _left = left;
        private int _begun;

        public TimeSpan Begin(int cases) => _left / Math.Max(1, cases - _begun++);

        public void End(TimeSpan used) => _left = used < _left ? _left - used : TimeSpan.Zero;
    }
}
