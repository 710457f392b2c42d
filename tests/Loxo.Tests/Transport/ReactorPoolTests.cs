using System.Net;
using System.Net.Sockets;
using Loxo.Transport;

namespace Loxo.Tests.Transport;

/// <summary>Callers that a reactor resumes in the thread pool share work items.</summary>
[Platform("Linux"), NonParallelizable] // counts the work items of the process
public sealed class ReactorPoolTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    private readonly List<IDisposable> _opened = [];
    private Thread? _leader;

    [TearDown]
    public void Close()
    {
        foreach (var opened in _opened)
            opened.Dispose();
        _opened.Clear();
    }

    // A worker ends when no caller is left, so there are hardly more of them than can run at once.
    [Test]
    public async Task Quick_callers_that_come_together_share_a_few_work_items()
    {
        const int Callers = 200;
        var pairs = await Connect(Callers);
        using var ended = new CountdownEvent(Callers);
        Receive(pairs, () => ended.Signal());
        var before = ThreadPool.CompletedWorkItemCount;
        _leader!.UnsafeStart();
        Assert.That(ended.Wait(Patience), Is.True);
        Assert.That(SpinWait.SpinUntil(() => ThreadPool.PendingWorkItemCount == 0, Patience), Is.True);
        var items = ThreadPool.CompletedWorkItemCount - before;
        TestContext.Out.WriteLine($"{items} work items for {Callers} callers");
        Assert.That(items, Is.InRange(1, Callers / 2));
    }

    [Test]
    public async Task Callers_that_keep_their_workers_each_get_one()
    {
        const int Callers = 5;
        var pairs = await Connect(Callers);
        using var begun = new CountdownEvent(Callers);
        using var ended = new CountdownEvent(Callers);
        Receive(pairs, () =>
        {
            begun.Signal();
            if (begun.Wait(Patience))
                ended.Signal();
        });
        _leader!.UnsafeStart();
        Assert.That(await Task.Run(() => ended.Wait(Patience)), Is.True);
    }

    // The loop does not begin to wait until all have something to receive: one report tells of all.
    private void Receive((ByteChannel Channel, Socket Peer)[] pairs, Action resumed)
    {
        foreach (var (channel, peer) in pairs)
        {
            var awaiter = channel.ReceiveAsync(new byte[8]).AsTask().ConfigureAwait(false).GetAwaiter();
            awaiter.UnsafeOnCompleted(() =>
            {
                awaiter.GetResult();
                resumed();
            });
            peer.Send([1]);
        }
    }

    private async Task<(ByteChannel Channel, Socket Peer)[]> Connect(int count)
    {
        var crew = new LoopCrew(looks: false) { StartThread = thread => _leader = thread };
        var loop = new ReactorLoop(crew, ReactorContinuations.ThreadPool);
        using var listener = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        listener.Bind(new UnixDomainSocketEndPoint(Path.Combine(Path.GetTempPath(), "loxo-" + Guid.NewGuid().ToString("N")[..12])));
        listener.Listen(1);
        var pairs = new (ByteChannel, Socket)[count];
        for (var i = 0; i < count; i++)
        {
            var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            var channel = await ReactorChannel.ConnectAsync(socket, listener.LocalEndPoint!, loop, receiveSpin: 0, CancellationToken.None);
            var peer = await listener.AcceptAsync();
            pairs[i] = (channel, peer);
            _opened.AddRange([channel, peer]);
        }
        return pairs;
    }
}
