using Loxo.Session;
using Loxo.Tests.Wire;
using Loxo.Transport;

namespace Loxo.Tests.Session;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class ExpiringCredentialTests(WaitMode mode)
{
    private static readonly PgCredentialRequest Request = new() { Host = "h", Port = 5432, Database = "d", Username = "u" };

    private readonly SimulatedTime _time = new();
    private readonly List<PgCredentialRequest> _asked = [];

    [SetUp]
    public void Forget() => _asked.Clear();

    [Test]
    public async Task A_credential_is_used_until_it_expires()
    {
        var source = Source(() => Valid(60));
        var first = await Get(source);
        _time.Advance(TimeSpan.FromSeconds(59));
        Assert.That(await Get(source), Is.SameAs(first));
        _time.Advance(TimeSpan.FromSeconds(1));
        Assert.That(await Get(source), Is.Not.SameAs(first));
        Assert.That(_asked, Has.Count.EqualTo(2));
    }

    [Test]
    public async Task One_without_an_expiry_is_asked_for_at_each_login()
    {
        var source = Source(() => new PgCredential("s"));
        Assert.That(await Get(source), Is.Not.SameAs(await Get(source)));
        Assert.That(_asked, Has.Count.EqualTo(2));
    }

    [Test]
    public async Task A_refused_one_is_replaced_although_it_has_not_expired()
    {
        var source = Source(() => Valid(60));
        var first = await Get(source);
        var second = await Get(source, refused: first);
        Assert.That(second, Is.Not.SameAs(first));
        Assert.That(await Get(source, refused: first), Is.SameAs(second), "another login whose credential was refused takes the new one");
        Assert.That(_asked, Has.Count.EqualTo(2));
    }

    [Test]
    public async Task Many_logins_ask_once()
    {
        using var go = new ManualResetEventSlim();
        var source = Source(() =>
        {
            go.Wait();
            return Valid(60);
        });
        var logins = Enumerable.Range(0, 8).Select(_ => Task.Run(() => Get(source))).ToArray();
        go.Set();
        var found = await Task.WhenAll(logins);
        Assert.That(found.Distinct().Count(), Is.EqualTo(1));
        Assert.That(_asked, Has.Count.EqualTo(1));
    }

    [Test]
    public async Task A_failure_is_an_error_of_its_login_and_the_next_login_asks_again()
    {
        var fails = true;
        var source = Source(() => fails ? throw new InvalidOperationException("vault is sealed") : Valid(60));
        var error = await Assert.CatchAsync<PgException>(() => Get(source));
        Assert.That(error!.Code, Is.EqualTo(PgErrorCode.AuthenticationFailed));
        Assert.That(error.Message, Does.Contain("vault is sealed"));
        fails = false;
        Assert.That(await Get(source), Is.Not.Null);
    }

    [Test]
    public async Task A_login_that_waits_for_another_ones_answer_gives_up_in_time()
    {
        using var go = new ManualResetEventSlim();
        using var asked = new ManualResetEventSlim();
        var source = Source(() =>
        {
            asked.Set();
            go.Wait();
            return Valid(60);
        });
        var first = Task.Run(() => Get(source));
        asked.Wait();
        var error = await Assert.CatchAsync<PgException>(() => Get(source, limit: Deadline.EachWait(1)));
        Assert.That(error!.Code, Is.EqualTo(PgErrorCode.Timeout));
        go.Set();
        Assert.That(await first, Is.Not.Null);
    }

    [Test]
    public void A_credential_never_shows_its_secret()
    {
        var credential = new PgCredential("hush", DateTimeOffset.UnixEpoch, "ann");
        Assert.That(credential.ToString(), Is.EqualTo("ann, until 1970-01-01 00:00:00Z"));
        Assert.That((Request with { ClientSecret = "hush" }).ToString(), Does.Not.Contain("hush"));
    }

    private PgCredential Valid(int seconds) => new("s", _time.GetUtcNow().AddSeconds(seconds));

    private ExpiringCredential Source(Func<PgCredential?> answer)
    {
        PgCredential? Ask(PgCredentialRequest request)
        {
            lock (_asked)
                _asked.Add(request);
            return answer();
        }
        return new(new CredentialFunctions(Ask, async (request, _) =>
        {
            await Task.Yield();
            return Ask(request);
        }), _time);
    }

    private Task<PgCredential?> Get(ExpiringCredential source, PgCredential? refused = null, Deadline? limit = null) => mode.Run(
        () => source.Get(Request, refused, limit ?? Deadline.None),
        () => source.GetAsync(Request, refused, limit ?? Deadline.None, CancellationToken.None).AsTask());
}
