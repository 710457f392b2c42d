using System.Diagnostics;
using Loxo.IntegrationTests.Poolers;

namespace Loxo.IntegrationTests.Chaos;

/// <summary>Nothing of the driver keeps a process alive that wants to end, and it leaves no session behind.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class ProcessExitTests(WaitMode mode) : DatabaseTest(mode)
{
    // Abort (128 and the signal's number), as after each exception that nobody catches.
    private const int Aborted = 134;
    private const int Longest = 60_000;

    [Test, Pairwise]
    public async Task A_process_ends_at_once(
        [Values] Ending ending, [Values] bool multiplexing,
        [Values("Async Engine=Sockets", "Async Engine=Reactor", "Async Engine=Reactor;Reactor Continuations=ThreadPool")] string engine)
    {
        var name = $"ending {Guid.NewGuid():N}";
        var settings = $"{PoolerOfTheRun.ConnectionString};{engine};Multiplexing={multiplexing};Session Reset=Auto;Maximum Pool Size=6;Application Name={name}";
        var start = new ProcessStartInfo("dotnet", ["exec", typeof(EndingProgram).Assembly.Location, settings, $"{Mode}", $"{ending}"])
        {
            RedirectStandardOutput = true, RedirectStandardError = true, Environment = { ["DOTNET_DbgEnableMiniDump"] = "0" },
        };
        using var process = Process.Start(start)!;
        try
        {
            var errors = process.StandardError.ReadToEndAsync();
            var output = process.StandardOutput.ReadToEndAsync();
            Assert.That(process.WaitForExit(Longest), Is.True, "the process does not end");
            Assert.That(await output, Is.EqualTo("ready" + Environment.NewLine), await errors);
            if (ending == Ending.Throw)
            {
                Assert.That(process.ExitCode, Is.EqualTo(Aborted));
                Assert.That(await errors, Does.StartWith("Unhandled exception. System.InvalidOperationException: Nobody catches this."));
            }
            else
            {
                Assert.That(process.ExitCode, Is.EqualTo(EndingProgram.ExitCode), await errors);
                Assert.That(await errors, Is.Empty);
            }
        }
        finally
        {
            process.Kill();
        }
        // The server notices at once that a client has gone, unless it computes.
        var sessions = $"SELECT count(*) FROM pg_stat_activity WHERE application_name IN ('{name}', 'last') AND query NOT LIKE '%pg_sleep(600)%'";
        for (var tries = 0; await Scalar<long>(sessions) != 0; tries++)
        {
            Assert.That(tries, Is.LessThan(1000), "sessions are left");
            await Task.Delay(10);
        }
        await Execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", name);
    }
}
