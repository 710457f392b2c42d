using System.Collections.Concurrent;
using Loxo.Tests.Wire;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

/// <summary>Attempts of which one has to succeed, with a clock that the test moves; each in both forms.</summary>
[TestFixture(true), TestFixture(false)]
public class StaggeredTests(bool blocks)
{
    private readonly SimulatedTime _time = new();

    [Test]
    public async Task The_first_that_succeeds_wins_and_no_other_begins()
    {
        var attempts = new Attempts(3);
        var running = Run(attempts);
        await attempts.Begun(1);
        attempts.Succeed(0);

        Assert.That(await running, Is.EqualTo("0"));
        Assert.That((attempts.Count, attempts.Started, attempts.Slow.Count, attempts.Lost.Count), Is.EqualTo((3, 1, 0, 0)));
    }

    [Test]
    public async Task The_next_begins_at_once_when_one_has_failed()
    {
        var attempts = new Attempts(3);
        var running = Run(attempts);
        await attempts.Begun(1);
        attempts.Fail(0);
        await attempts.Begun(2);
        attempts.Succeed(1);

        Assert.That(await running, Is.EqualTo("1"));
        Assert.That(attempts.Slow, Is.Empty);
    }

    [Test]
    public async Task The_next_begins_after_the_pause_while_one_hangs_and_the_later_result_is_lost()
    {
        var attempts = new Attempts(3);
        var running = Run(attempts);
        await attempts.Begun(1);
        await TimerIsSet();
        _time.Advance(Staggered.Pause - TimeSpan.FromMilliseconds(1));
        Assert.That(attempts.Started, Is.EqualTo(1));
        _time.Advance(TimeSpan.FromMilliseconds(1));
        await attempts.Begun(2);
        attempts.Succeed(1);

        Assert.That(await running, Is.EqualTo("1"));
        Assert.That(attempts.Slow, Is.EqualTo(new[] { 0 }));
        attempts.Succeed(0);
        if (blocks)
            await Until(() => attempts.Lost.Contains("0"));
        else
            Assert.That(attempts.IsCancelled(0), Is.True);
    }

    [Test]
    public async Task The_first_may_still_win()
    {
        var attempts = new Attempts(2);
        var running = Run(attempts);
        await attempts.Begun(1);
        await TimerIsSet();
        _time.Advance(Staggered.Pause);
        await attempts.Begun(2);
        attempts.Succeed(0);

        Assert.That(await running, Is.EqualTo("0"));
    }

    [Test]
    public async Task Nothing_is_found_when_all_have_failed()
    {
        var attempts = new Attempts(2);
        var running = Run(attempts);
        await attempts.Begun(1);
        attempts.Fail(0);
        await attempts.Begun(2);
        attempts.Fail(1);

        Assert.That(await running, Is.Null);
    }

    [Test]
    public async Task An_exception_ends_all()
    {
        var attempts = new Attempts(2);
        var running = Run(attempts);
        await attempts.Begun(1);
        attempts.Throw(0);

        Assert.That(async () => await running, Throws.TypeOf<NotSupportedException>());
        Assert.That(attempts.Started, Is.EqualTo(1));
    }

    [Test]
    public async Task A_cancelled_token_ends_all()
    {
        if (blocks)
            return;
        using var cancellation = new CancellationTokenSource();
        var attempts = new Attempts(2);
        var running = Run(attempts, cancellation.Token);
        await attempts.Begun(1);
        await cancellation.CancelAsync();

        Assert.That(async () => await running, Throws.InstanceOf<OperationCanceledException>());
    }

    private Task<string?> Run(Attempts attempts, CancellationToken token = default) => blocks
        ? Task.Factory.StartNew(() => Staggered.Run(attempts, _time), TaskCreationOptions.LongRunning)
        : Task.Run(() => Staggered.RunAsync(attempts, _time, token).AsTask());

    private Task TimerIsSet() => Until(() => _time.TimersSet > 0);

    private static async Task Until(Func<bool> isTrue)
    {
        for (var i = 0; i < 3000 && !isTrue(); i++)
            await Task.Delay(10);
        Assert.That(isTrue(), Is.True);
    }

    private sealed class Attempts(int count) : IAttempts<string>
    {
        private readonly TaskCompletionSource<string?>[] _results =
            [.. Enumerable.Range(0, count).Select(_ => new TaskCompletionSource<string?>(TaskCreationOptions.RunContinuationsAsynchronously))];
        private readonly CancellationToken[] _tokens = new CancellationToken[count];
        private int _started;

        public int Count => count;

        public int Started => Volatile.Read(ref _started);

        public ConcurrentQueue<int> Slow { get; } = [];

        public ConcurrentQueue<string> Lost { get; } = [];

        public Task Begun(int number) => Until(() => Started >= number);

        public void Succeed(int index) => _results[index].TrySetResult($"{index}");

        public void Fail(int index) => _results[index].SetResult(null);

        public void Throw(int index) => _results[index].SetException(new NotSupportedException());

        public bool IsCancelled(int index) => _tokens[index].IsCancellationRequested;

        public string? Try(int index)
        {
            Interlocked.Increment(ref _started);
            return _results[index].Task.GetAwaiter().GetResult();
        }

        public async ValueTask<string?> TryAsync(int index, CancellationToken token)
        {
            _tokens[index] = token;
            Interlocked.Increment(ref _started);
            return await _results[index].Task.WaitAsync(token);
        }

        public void IsSlow(int index) => Slow.Enqueue(index);

        public void Lose(string late) => Lost.Enqueue(late);
    }
}
