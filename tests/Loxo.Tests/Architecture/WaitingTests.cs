using System.Text.RegularExpressions;

namespace Loxo.Tests.Architecture;

/// <summary>Bytes never wait, and one place waits: docs/ARCHITECTURE.md.</summary>
public sealed partial class WaitingTests
{
    private static readonly string[] _foldersThatWait = ["Transport", "Pool", "Pipelining"];

    /// <summary>Files elsewhere that wait, each with its reason. Everything else is a state machine that somebody here runs.</summary>
    private static readonly Dictionary<string, string> _filesThatWait = new()
    {
        ["Session/SpareSession.cs"] = "looks types up on a session of its own",
        ["Session/SessionOpener.cs"] = "dials, upgrades and logs in, one after the other",
        ["Session/CommandQueue.cs"] = "pumps the exchanges of several callers",
        ["Session/CancelRequest.cs"] = "runs beside the command that it cancels",
        ["Session/ServerSession.cs"] = "pumps exchanges, and awaits a claim",
        ["Session/Cancellation.cs"] = "waits for an earlier cancel request, and for the rest of a command that is stopped",
        ["Session/SessionUpkeep.cs"] = "reads what is left of a command when its connection is closed",
        ["Reading/ArrivingColumnStream.cs"] = "public members of a stream that users read",
        ["Reading/BufferedColumnStream.cs"] = "awaits the stream that users copy it to, and nothing of ours",
        ["Commands/CommandRunner.cs"] = "where public members and exchanges meet",
        ["Commands/Preparer.cs"] = "where public members and exchanges meet, to prepare",
    };

    [Test]
    public void Protocol_and_types_know_nothing_that_waits() => Assert.That(
        Repository.Driver.Where(file => file.Folder is "Protocol" or "Types" or "Sql").SelectMany(file => file.LinesWith(Banned())), Is.Empty);

    [Test]
    public void Only_transport_pool_and_public_members_wait() =>
        Assert.That(Repository.Driver.Where(file => !MayWait(file)).SelectMany(file => file.LinesWith(Waits())), Is.Empty);

    [Test]
    public void Every_exception_is_needed() => Assert.That(
        _filesThatWait.Keys.Where(name => !Repository.Driver.Any(file => file.Name == name && Waits().IsMatch(file.Code))), Is.Empty);

    [Test]
    public void Nobody_waits_for_a_task_by_blocking_but_the_few_who_say_why()
    {
        // Transport: a receive or handshake of the session's own that is complete or completed by the kernel alone.
        string[] may = ["Transport/TlsLayer.cs", "Transport/BufferedChannel.cs", "Session/Cancellation.cs"];
        Assert.That(Repository.Driver.Where(file => !may.Contains(file.Name)).SelectMany(file => file.LinesWith(BlocksOnTask())), Is.Empty);
    }

    [Test]
    public void Nobody_sleeps() => Assert.That(Repository.Driver.SelectMany(file => file.LinesWith(Sleeps())), Is.Empty);

    private static bool MayWait(SourceFile file) => _foldersThatWait.Contains(file.Folder) || _filesThatWait.ContainsKey(file.Name)
        || (file.Folder.Length == 0 && file.Name.StartsWith("Pg", StringComparison.Ordinal));

    [GeneratedRegex(@"\b(Task|ValueTask|Stream|Socket|CancellationToken|await|async|Thread|Monitor|SemaphoreSlim)\b")]
    private static partial Regex Banned();

    [GeneratedRegex(@"\bawait\b|\.Wait\(|\.WaitOne\(|\.GetAwaiter\(\)|\bMonitor\.Wait|new Thread\(|\.SpinOnce\(")]
    private static partial Regex Waits();

    [GeneratedRegex(@"\.GetAwaiter\(\)\.GetResult\(\)|\bTask\.Wait(All|Any)\(|\.Ended\.Wait\(|Task\)?\.Wait\(")]
    private static partial Regex BlocksOnTask();

    [GeneratedRegex(@"\bThread\.Sleep\(")]
    private static partial Regex Sleeps();
}
