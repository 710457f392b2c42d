namespace Loxo.IntegrationTests.Authentication;

/// <summary>Logins with bearer tokens, against a real server with a validator of the tests.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class OAuthTests(WaitMode mode)
{
    private const string Good = "good-" + OAuthServer.User;

    private readonly List<PgCredentialRequest> _asked = [];

    [SetUp]
    public void Forget() => _asked.Clear();

    [Test]
    public async Task A_token_lets_in_and_is_asked_for_once_until_it_expires()
    {
        await using var source = Source(_ => new(Good, DateTimeOffset.UtcNow.AddHours(1)), ";Pooling=false");
        for (var i = 0; i < 3; i++)
            Assert.That(await Identity(source), Is.EqualTo("oauth:" + OAuthServer.User));
        Assert.That(_asked, Has.Count.EqualTo(1));
        Assert.That(_asked[0], Is.EqualTo(new PgCredentialRequest
        {
            Host = "localhost", Port = _asked[0].Port, Database = "postgres", Username = OAuthServer.User,
        }));
    }

    [Test]
    public async Task Without_a_token_the_server_says_where_tokens_come_from_and_the_program_is_asked_again()
    {
        await using var source = Source(request => request.DiscoveryUri is null ? null : new(Good), ";oauth_client_id=shop;oauth_client_secret=hush");
        Assert.That(await Identity(source), Is.EqualTo("oauth:" + OAuthServer.User));
        Assert.That(_asked, Has.Count.EqualTo(2));
        Assert.That(_asked[1], Is.EqualTo(_asked[0] with
        {
            DiscoveryUri = new Uri(OAuthServer.Issuer + "/.well-known/openid-configuration"), Scope = OAuthServer.Scope, ClientId = "shop", ClientSecret = "hush",
        }));
    }

    [Test]
    public async Task A_refused_token_is_replaced_once_although_it_has_not_expired()
    {
        await using var source = Source(request => new(request.MustBeNew ? Good : "stale", DateTimeOffset.UtcNow.AddHours(1)), ";Pooling=false");
        Assert.That(await Identity(source), Is.EqualTo("oauth:" + OAuthServer.User));
        Assert.That(await Identity(source), Is.EqualTo("oauth:" + OAuthServer.User));
        Assert.That(_asked.ConvertAll(request => request.MustBeNew), Is.EqualTo(new[] { false, true }));
    }

    [Test]
    public async Task A_token_that_stays_wrong_is_the_servers_error_and_is_not_shown()
    {
        await using var source = Source(_ => new("wrong-token"));
        var error = await Refused<PostgresException>(source);
        Assert.That(error.SqlState, Is.EqualTo("28000"));
        Assert.That(error.ToString(), Does.Not.Contain("wrong-token"));
        Assert.That(_asked, Has.Count.EqualTo(2));
    }

    [Test]
    public async Task A_program_that_never_has_a_token_gets_an_error_that_says_so()
    {
        await using var source = Source(_ => null);
        Assert.That((await Refused<PgException>(source)).Message, Does.Contain("the token provider has supplied none"));
    }

    [TestCase("SSL Mode=Require")]
    [TestCase("SSL Mode=Prefer")]
    public async Task A_server_whose_certificate_is_not_checked_gets_no_token(string tls)
    {
        // With a root certificate 'Require' checks it, as in libpq.
        var text = OAuthServer.Shared.ConnectionString;
        await using var source = Source(_ => new(Good), "", text[..text.IndexOf("SSL Mode", StringComparison.Ordinal)] + tls);
        Assert.That((await Refused<PgException>(source)).Message, Does.Contain("'SSL Mode=VerifyFull'"));
        Assert.That(_asked, Is.Empty);
    }

    [Test]
    public async Task Over_a_Unix_socket_no_TLS_is_needed()
    {
        await using var source = Source(_ => new(Good), "", OAuthServer.Shared.SocketConnectionString);
        Assert.That(await Identity(source), Is.EqualTo("oauth:" + OAuthServer.User));
    }

    [Test]
    public async Task Another_issuer_than_the_expected_one_is_not_shown_to_the_program()
    {
        await using var source = Source(_ => null, ";oauth_issuer=https://id.example/other");
        Assert.That((await Refused<PgException>(source)).Message, Does.Contain(OAuthServer.Issuer).And.Contain("'https://id.example/other'"));
        Assert.That(_asked, Has.Count.EqualTo(1));
        await using var right = Source(request => request.DiscoveryUri is null ? null : new(Good), ";oauth_issuer=" + OAuthServer.Issuer);
        Assert.That(await Identity(right), Is.EqualTo("oauth:" + OAuthServer.User));
    }

    [Test]
    public async Task A_provider_that_fails_is_an_error_of_the_login()
    {
        await using var source = Source(_ => throw new InvalidOperationException("no network"));
        var error = await Refused<PgException>(source);
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.AuthenticationFailed));
        Assert.That(error.InnerException, Is.TypeOf<InvalidOperationException>());
    }

    [Test]
    public async Task A_provider_that_never_answers_ends_with_the_time_for_opening()
    {
        if (mode == WaitMode.Blocking)
            return; // a blocking function of the program cannot be ended
        var builder = new PgDataSourceBuilder(OAuthServer.Shared.ConnectionString + ";Timeout=2");
        builder.UseOAuthTokenProvider(_ => null, static (_, _) => new ValueTask<PgCredential?>(new TaskCompletionSource<PgCredential?>().Task));
        await using var source = builder.Build();
        Assert.That((await Refused<PgException>(source)).Code, Is.EqualTo(PgErrorCode.Timeout));
    }

    [Test]
    public async Task Require_Auth_can_ask_for_a_token()
    {
        await using var source = Source(_ => new(Good), ";Require Auth=oauth");
        Assert.That(await Identity(source), Is.EqualTo("oauth:" + OAuthServer.User));
    }

    private PgDataSource Source(Func<PgCredentialRequest, PgCredential?> provider, string more = "", string? text = null)
    {
        var builder = new PgDataSourceBuilder((text ?? OAuthServer.Shared.ConnectionString) + more);
        PgCredential? Ask(PgCredentialRequest request)
        {
            _asked.Add(request);
            return provider(request);
        }
        builder.UseOAuthTokenProvider(Ask, async (request, _) =>
        {
            await Task.Yield();
            return Ask(request);
        });
        return builder.Build();
    }

    private async Task<object?> Identity(PgDataSource source)
    {
        await using var command = source.CreateCommand("SELECT system_user");
        return await mode.ExecuteScalar(command);
    }

    private async Task<T> Refused<T>(PgDataSource source)
        where T : PgException
    {
        await using var connection = source.CreateConnection();
        try
        {
            await mode.Open(connection);
        }
        catch (PgException e) when (e.GetType() == typeof(T))
        {
            return (T)e;
        }
        throw new AssertionException("The login was not refused.");
    }
}
