using System.Collections.Concurrent;
using Loxo.Pool;
using Loxo.Protocol.Backend;
using Loxo.Session;
using Loxo.Transport;
using NUnit.Framework.Interfaces;

[assembly: Loxo.IntegrationTests.Exactness.SyncWatch]

namespace Loxo.IntegrationTests.Exactness;

/// <summary>
/// Compares, whenever a session goes back to its pool, the requests without an answer that the bytes show with those that the session knows of.
/// <c>LOXO_TEST_COUNT_SYNCS=1</c> switches it on for the whole run; encrypted sessions are not seen.
/// </summary>
internal sealed class SyncWatch
{
    private readonly ConcurrentQueue<string> _wrong = [];

    /// <summary>Watches every session of data sources made from now on, if the environment asks for it; else null.</summary>
    public static SyncWatch? Start()
    {
        if (Environment.GetEnvironmentVariable("LOXO_TEST_COUNT_SYNCS") is not { Length: > 0 })
            return null;
        var watch = new SyncWatch();
        var former = Dialer.Wrapper;
        Dialer.Wrapper = dialer => new CountingDialer(former?.Invoke(dialer) ?? dialer);
        SessionPolicy.GivenBack = watch.OnGivenBack;
        return watch;
    }

    /// <summary>Fails if a session was kept, since the last call, that did not agree with its server.</summary>
    public void AssertExact()
    {
        var wrong = new List<string>();
        while (_wrong.TryDequeue(out var problem))
            wrong.Add(problem);
        if (wrong.Count > 0)
            Assert.Fail($"{wrong.Count} sessions were given back that do not agree with their server, such as:\n{string.Join('\n', wrong.Distinct().Take(5))}");
    }

    /// <summary>What is wrong with a session that nobody uses; null if nothing is.</summary>
    public static string? Problem(ServerSession session)
    {
        if (session.Wire.Channel is not CountingChannel { Count: { IsEncrypted: false } count })
            return null;
        var due = count.Due;
        var unread = UnreadReady(session.Wire.Input);
        if (count.Surplus is { } surplus)
            return surplus;
        // Unless it asks for a sign of life.
        if (due.Contains('S', StringComparison.Ordinal) && session.Context.Settings.KeepAlive == TimeSpan.Zero)
            return $"'{due}' are due, but a Sync is never left unanswered";
        if (!session.Deferred.IsDue && (due.Length > 0 || unread > 0))
            return $"nothing is said to be due, but '{due}' are, and {unread} have come unread";
        return session.Deferred.IsDue && due.Length + unread == 0 ? "an answer is said to be due, but none is" : null;
    }

    private void OnGivenBack(ServerSession session)
    {
        if (Problem(session) is { } problem)
            _wrong.Enqueue(problem);
    }

    // Answers that were received together with something else, and not looked at.
    private static int UnreadReady(MessageReader input)
    {
        var count = 0;
        var unread = input.Buffer.AsSpan(input.RowPosition, input.Buffered);
        new MessageSplitter(isTyped: true).Take(unread, (type, _) => count += type == 'Z' ? 1 : 0);
        return count;
    }
}

/// <summary>Lets each test answer for the sessions that were given back while it ran.</summary>
[AttributeUsage(AttributeTargets.Assembly)]
internal sealed class SyncWatchAttribute : TestActionAttribute
{
    private readonly SyncWatch? _watch = SyncWatch.Start();

    public override ActionTargets Targets => ActionTargets.Test;

    public override void AfterTest(ITest test) => _watch?.AssertExact();
}
