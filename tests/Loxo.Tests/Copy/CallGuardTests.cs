using Loxo.Copy;

namespace Loxo.Tests.Copy;

public sealed class CallGuardTests
{
    [Test]
    public void A_call_within_a_call_is_refused_on_the_same_thread_and_on_another()
    {
        var guard = new CallGuard();
        var call = guard.Enter();
        Assert.That(guard.IsHeld, Is.True);
        Assert.That(guard.Enter, Throws.InvalidOperationException);
        OnAnotherThread(() => Assert.That(guard.Enter, Throws.InvalidOperationException));
        Assert.That(guard.TryEnter(), Is.Null);
        call.Exit();
        Assert.That(guard.IsHeld, Is.False);
        guard.Enter().Exit();
    }

    [Test]
    public void A_call_may_end_on_another_thread()
    {
        var guard = new CallGuard();
        var call = guard.Enter();
        OnAnotherThread(() =>
        {
            call.Exit();
            guard.Enter().Exit();
        });
        guard.Enter().Exit();
        OnAnotherThread(() => Assert.That(guard.TryEnter(), Is.Not.Null));
        Assert.That(guard.TryEnter(), Is.Null);
    }

    /// <summary>Additions that are no atomic operation are lost if two calls are ever inside.</summary>
    [Test]
    public void Two_calls_are_never_inside([Values(2, 4)] int threads)
    {
        var guard = new CallGuard();
        var (sum, entered, refused) = (0L, 0L, 0L);
        using var start = new Barrier(threads);
        var all = Enumerable.Range(0, threads).Select(_ => new Thread(() =>
        {
            var (own, others) = (0, 0);
            start.SignalAndWait();
            for (var i = 0; i < 1_000_000; i++)
            {
                CallGuard.Visit call;
                try
                {
                    call = guard.Enter();
                }
                catch (InvalidOperationException)
                {
                    // An exception takes as long as many calls.
                    others++;
                    i += 200;
                    continue;
                }
                sum++;
                call.Exit();
                own++;
            }
            Interlocked.Add(ref entered, own);
            Interlocked.Add(ref refused, others);
        })).ToList();
        all.ForEach(thread => thread.Start());
        all.ForEach(thread => thread.Join());
        TestContext.Out.WriteLine($"{entered} entered, {refused} were refused");
        Assert.That(sum, Is.EqualTo(entered));
    }

    private static void OnAnotherThread(Action action)
    {
        Exception? failure = null;
        var thread = new Thread(() =>
        {
            try
            {
                action();
            }
            catch (Exception e)
            {
                failure = e;
            }
        });
        thread.Start();
        thread.Join();
        Assert.That(failure, Is.Null);
    }
}
