using System.Net;
using Loxo.Transport;

namespace Loxo.IntegrationTests.Hosts;

/// <summary>The system's name lookup takes no time limit: opening ends by its deadline, or by its token, all the same.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class NameLookupTests(WaitMode mode)
{
    private readonly TransportSettings _settings = new PgConnectionStringBuilder("Host=name.example;Username=u").ToSettings().Transport;

    private ManualResetEventSlim _answered = null!;

    [SetUp]
    public void SetUp() => _answered = new ManualResetEventSlim();

    [TearDown]
    public void TearDown()
    {
        _answered.Set();
        WaitModeCalls.AssertNoneUsedItsContext();
    }

    [Test]
    public async Task A_lookup_that_gets_no_answer_is_given_up_when_the_time_is_over()
    {
        var error = await Catch<PgException>(() => Dial(Deadline.In(TimeSpan.FromSeconds(1), TimeProvider.System)));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
        Assert.That(error.Message, Does.Contain("resolving the host name 'name.example'"));
        Assert.That(error.InnerException, Is.InstanceOf<TimeoutException>());
    }

    [Test]
    public async Task A_cancelled_token_ends_a_lookup_at_once()
    {
        if (mode == WaitMode.Blocking)
            Assert.Ignore("Blocking calls take no token.");
        using var cancellation = new CancellationTokenSource();
        var dialing = Dial(Deadline.None, cancellation.Token);
        await cancellation.CancelAsync();

        Assert.That((await Catch<OperationCanceledException>(() => dialing)).CancellationToken, Is.EqualTo(cancellation.Token));
    }

    [Test]
    public async Task A_name_that_is_not_found_is_reported_within_a_time_limit_too()
    {
        _answered.Set();

        var error = await Catch<PgException>(() => Dial(Deadline.In(TimeSpan.FromMinutes(1), TimeProvider.System)));

        Assert.That(error.InnerException, Is.InstanceOf<System.Net.Sockets.SocketException>());
        Assert.That(error.Message, Does.Contain("name.example"));
    }

    // As getaddrinfo does, it ignores the token.
    private Task<ByteChannel> Dial(Deadline deadline, CancellationToken token = default)
    {
        var dialer = new SocketDialer(TimeProvider.System) { Names = Find, NamesAsync = (name, _) => Task.Run(() => Find(name)) };
        return mode.Run(() => dialer.Dial(_settings, deadline), () => dialer.DialAsync(_settings, deadline, token).AsTask());
    }

    private IPAddress[] Find(string name)
    {
        _answered.Wait();
        throw new System.Net.Sockets.SocketException((int)System.Net.Sockets.SocketError.HostNotFound);
    }

    private static Task<T> Catch<T>(Func<Task> action)
        where T : Exception => DatabaseTest.Catch<T>(action);
}
