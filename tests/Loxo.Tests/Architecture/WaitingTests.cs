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
        ["Session/StateWord.cs"] = "spins while a session is borrowed, for the time of a send and a receive that do not block",
        ["Session/SessionOpener.cs"] = "dials, upgrades and logs in, one after the other",
        ["Session/PasswordSource.cs"] = "awaits the program's password provider",
        ["Session/ExpiringCredential.cs"] = "waits for the program's credential provider, and for another login that asks it",
        ["Session/OAuthTokens.cs"] = "awaits the program's token provider",
        ["Session/GssLogin.cs"] = "waits for the system's library, which asks the ticket server",
        ["Session/GssEncryption.cs"] = "gets a ticket and pumps a handshake, one after the other",
        ["Session/SessionEncryption.cs"] = "asks for encryption in one way and another, one after the other",
        ["Session/PeriodicPassword.cs"] = "waits for the program's password provider",
        ["Session/CommandQueue.cs"] = "pumps the exchanges of several callers",
        ["Session/CommandQueue.Ending.cs"] = "as above",
        ["Session/CancelRequest.cs"] = "runs beside the command that it cancels",
        ["Session/ServerSession.cs"] = "pumps exchanges, and awaits a claim",
        ["Session/Cancellation.cs"] = "waits for an earlier cancel request, and for the rest of a command that is stopped",
        ["Session/SessionDrain.cs"] = "reads what is left of a command when its connection is closed",
        ["Notifications/ListeningSession.cs"] = "a session that only listens: opened, asked and awaited by the hub",
        ["Notifications/NotificationHub.cs"] = "a task that keeps the listening session open",
        ["Notifications/NotificationReader.cs"] = "where a public enumeration waits for its next item",
        ["Reading/ArrivingColumnStream.cs"] = "public members of a stream that users read",
        ["Reading/BufferedColumnStream.cs"] = "awaits the stream that users copy it to, and nothing of ours",
        ["Commands/CommandRunner.cs"] = "where public members and exchanges meet",
        ["Reading/ReaderMoves.cs"] = "where the public members of a reader and exchanges meet",
        ["Commands/WholeRunner.cs"] = "where public members and exchanges meet",
        ["Commands/LaneOperation.cs"] = "where a public member waits for its answer",
        ["Commands/LaneRunner.cs"] = "where public members and lanes meet",
        ["Commands/LaneSet.cs"] = "rents a session, whose return lets the pool look through the database",
        ["Commands/LaneSet.Opening.cs"] = "rents the sessions of lanes",
        ["Commands/LargeObjectFunctions.cs"] = "where public members and the server's functions meet",
        ["Commands/MessageWait.cs"] = "where public members wait for asynchronous messages of the server",
        ["Commands/OwnCommand.cs"] = "where public members and exchanges meet, for COMMIT and the like",
        ["Commands/PipelineQueue.cs"] = "where public members and the exchanges of a pipeline meet",
        ["Commands/PipelineQueue.Delayed.cs"] = "where public members and the exchanges of a pipeline meet",
        ["Commands/PipelinedResults.cs"] = "where public members and the exchanges of a pipeline meet",
        ["Commands/ReaderRunner.cs"] = "closes the connection where a reader could not be opened",
        ["Commands/ConnectionCopies.cs"] = "awaits the program's password provider",
        ["Commands/PhysicalConnectionInitializer.cs"] = "runs the program's code on new sessions",
        ["Commands/RepeatedRun.cs"] = "pumps the exchange of a command for many rows",
        ["Commands/RepeatedRunner.cs"] = "where public members and that exchange meet; awaits the caller's rows",
        ["Transactions/EndingCommand.cs"] = "where notifications of ambient transactions and exchanges meet",
        ["Transactions/EnlistedSession.cs"] = "awaits an earlier cancel request before ROLLBACK",
        ["Transactions/Enlisting.cs"] = "opens connections within an ambient transaction",
        ["Transactions/PreparedTransaction.cs"] = "ends a prepared transaction on a session of its own",
        ["Transactions/TransactionRunner.cs"] = "runs the program's work, and waits between two attempts",
        ["Schema/DataTypes.cs"] = "where a public member and its queries meet",
        ["Schema/KeyInfoRunner.cs"] = "where public members and the queries in front of a command meet",
        ["Schema/ParameterDerivation.cs"] = "where public members and their queries meet",
        ["Schema/SchemaReader.cs"] = "where public members and their queries meet",
        ["Replication/WalStream.cs"] = "pumps the exchange of a replication",
        ["Replication/ChangeReader.cs"] = "reads one connection of a stream of changes",
        ["Replication/PgChangeStream.cs"] = "where a public enumeration waits for its next item, and for a connection",
        ["Replication/ReplicationConnection.cs"] = "where public members and exchanges meet",
        ["Replication/PhysicalReplicationConnection.cs"] = "public members",
        ["Replication/LogicalReplicationConnection.cs"] = "where public members and exchanges meet",
        ["Replication/PgOutputConnectionExtensions.cs"] = "public members",
        ["Replication/TestDecodingConnectionExtensions.cs"] = "public members",
        ["Replication/PgOutputDecoder.cs"] = "looks types up on a session of its own",
        ["Copy/BulkRun.cs"] = "where a bulk copy, its connection and its source meet",
        ["Copy/BulkRun.Refused.cs"] = "as above",
        ["Copy/BulkCommands.cs"] = "as above",
        ["Copy/BulkTarget.cs"] = "asks the catalogue for the table",
        ["Copy/PgBulkCopy.cs"] = "public members",
        ["Copy/CopyOperation.cs"] = "where public members and the exchange of a COPY meet",
        ["Copy/LongValue.cs"] = "reads the caller's stream, and nothing of ours",
        ["Copy/PgBinaryExporter.cs"] = "public members",
        ["Copy/PgBinaryImporter.cs"] = "public members",
        ["Copy/PgBinaryImporter.Writing.cs"] = "as above; reads the caller's stream",
        ["Copy/PgCopyTextReader.cs"] = "public members",
        ["Copy/PgCopyTextWriter.cs"] = "public members",
        ["Copy/PgRawCopyStream.cs"] = "public members of a stream that users read and write",
        ["Commands/HostChoice.cs"] = "opens on one of several hosts what public members open",
        ["Commands/ConnectionOpener.cs"] = "the public members that open, with the waits of the pool",
        ["Commands/Preparer.cs"] = "where public members and exchanges meet, to prepare",
    };

    /// <summary>Members that take the result of a task without awaiting it, or block on one, each with its reason.</summary>
    private static readonly Dictionary<string, string> _blocking = new()
    {
        ["src/Loxo.Pooling/Core/Answer.cs: Answer.Of"] = "has ended: IsCompletedSuccessfully",
        ["src/Loxo.Pooling/Core/Prefiller.cs: Prefiller.WarmUp"] = "public and blocking: waits for another thread that opens a resource",
        ["src/Loxo/Transactions/EnlistedSession.cs: EnlistedSession.Check"] =
            "blocks for a rollback that waits for a cancel request, within a time limit; asynchronous calls await it",
        ["src/Loxo/Transport/Sleep.cs: Sleep.For"] = "the pause of public calls that block, between two attempts",
        ["src/Loxo/Session/Cancellation.cs: Cancellation.Settle"] =
            "blocks for a cancel request on a connection of its own, within a time limit",
        ["src/Loxo/Session/Cancellation.cs: Cancellation.AwaitDelivery"] = "as above",
        ["src/Loxo/Session/Cancellation.cs: Cancellation.IsDelivered"] = "has ended: IsCompleted",
        ["src/Loxo/Transport/TlsLayer.cs: TlsLayer.Decrypted"] = "has ended: IsCompleted",
        ["src/Loxo/Transport/BufferedChannel.cs: BufferedChannel.FinishReceivingOrSend"] = "as below",
        ["src/Loxo/Transport/BufferedChannel.cs: BufferedChannel.FinishReceiving"] = "blocks for a receive that only the kernel completes, within a time limit",
    };

    [Test]
    public void Protocol_and_types_know_nothing_that_waits() => Assert.That(
        Repository.Driver.Where(file => file.Folder is "Protocol" or "Types" or "Sql").SelectMany(file => file.LinesWith(Banned())),
            Is.Empty);

    [Test]
    public void Only_transport_pool_and_public_members_wait() =>
        Assert.That(Repository.Driver.Where(file => !MayWait(file)).SelectMany(file => file.LinesWith(Waits())), Is.Empty);

    [Test]
    public void Every_exception_is_needed() => Assert.That(
        _filesThatWait.Keys.Where(name => !Repository.Driver.Any(file => file.Name == name && Waits().IsMatch(file.Code))), Is.Empty);

    [Test]
    public void Nobody_waits_for_a_task_by_blocking_but_the_few_who_say_why() =>
        Breach.AssertNone(BlockingRule.Calls(Sources.Own), _blocking);

    [Test]
    public void Nobody_sleeps_but_between_two_attempts_of_a_call() =>
        Assert.That(Repository.Driver.Where(file => file.Name != "Transport/Sleep.cs").SelectMany(file => file.LinesWith(Sleeps())), Is.Empty);

    private static bool MayWait(SourceFile file) => _foldersThatWait.Contains(file.Folder) || _filesThatWait.ContainsKey(file.Name)
        || (file.Folder.Length == 0 && file.Name.StartsWith("Pg", StringComparison.Ordinal));

    [GeneratedRegex(@"\b(Task|ValueTask|Stream|Socket|CancellationToken|await|async|Thread|Monitor|SemaphoreSlim)\b")]
    private static partial Regex Banned();

    [GeneratedRegex(@"\bawait\b|\.Wait\(|\.WaitOne\(|\.GetAwaiter\(\)|\bMonitor\.Wait|new Thread\(|\.SpinOnce\(")]
    private static partial Regex Waits();

    [GeneratedRegex(@"\bThread\.Sleep\(")]
    private static partial Regex Sleeps();
}
