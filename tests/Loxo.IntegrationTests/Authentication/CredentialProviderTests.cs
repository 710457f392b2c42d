using Loxo.IntegrationTests.Server;

namespace Loxo.IntegrationTests.Authentication;

/// <summary>Credentials that expire and are replaced, against roles whose passwords change.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class CredentialProviderTests(WaitMode mode)
{
    private readonly List<PgCredentialRequest> _asked = [];

    [SetUp]
    public void Forget() => _asked.Clear();

    [Test]
    public async Task User_and_password_come_from_the_provider()
    {
        await using var source = Source(_ => new(TestServer.Password, username: TestServer.ScramUser), "Username=nobody");
        Assert.That(await UserOf(source), Is.EqualTo(TestServer.ScramUser));
        Assert.That(_asked.Single().Username, Is.EqualTo("nobody"));
    }

    [Test]
    public async Task Two_roles_can_take_turns()
    {
        var users = new[] { TestServer.ScramUser, TestServer.Md5User };
        await using var source = Source(_ => new(TestServer.Password, username: users[_asked.Count % 2]), "Pooling=false");
        Assert.That(await UserOf(source), Is.EqualTo(TestServer.Md5User));
        Assert.That(await UserOf(source), Is.EqualTo(TestServer.ScramUser));
    }

    [Test]
    public async Task A_refused_password_is_asked_for_once_more_before_it_has_expired()
    {
        await using var source = Source(
            request => new(request.MustBeNew ? TestServer.Password : "rotated away", DateTimeOffset.UtcNow.AddHours(1), TestServer.ScramUser), "Pooling=false");
        Assert.That(await UserOf(source), Is.EqualTo(TestServer.ScramUser));
        Assert.That(await UserOf(source), Is.EqualTo(TestServer.ScramUser));
        Assert.That(_asked.ConvertAll(request => request.MustBeNew), Is.EqualTo(new[] { false, true }), "the third login takes the second answer");
    }

    [Test]
    public async Task The_same_password_again_is_not_tried_again()
    {
        await using var source = Source(_ => new("wrong", username: TestServer.ScramUser), "");
        var error = Assert.ThrowsAsync<PostgresException>(() => UserOf(source));
        Assert.That((await error)!.SqlState, Is.EqualTo("28P01"));
        Assert.That(_asked, Has.Count.EqualTo(2));
    }

    [Test]
    public async Task Without_a_credential_the_connection_strings_user_and_password_count()
    {
        // The superuser is trusted.
        await using var source = Source(_ => null, "");
        Assert.That(await UserOf(source), Is.EqualTo(new PgConnectionStringBuilder(TestServer.Passwords.ConnectionString).Username));
    }

    [Test]
    public void A_provider_beside_a_password_of_the_connection_string_is_refused() =>
        Assert.That(() => Source(_ => null, "Password=x"), Throws.TypeOf<NotSupportedException>());

    [Test]
    public async Task Connections_of_the_former_role_go_on_until_Clear_and_those_in_use_until_they_are_closed()
    {
        var role = TestServer.ScramUser;
        await using var source = Source(_ => new(TestServer.Password, username: role), "");
        await using var inUse = source.CreateConnection();
        await mode.Open(inUse);
        Assert.That(await UserOf(source), Is.EqualTo(TestServer.ScramUser));

        role = TestServer.Md5User;
        Assert.That(await UserOf(source), Is.EqualTo(TestServer.ScramUser), "a session that is logged in stays so");
        source.Clear();

        Assert.That(await UserOf(source), Is.EqualTo(TestServer.Md5User));
        await using (var command = new PgCommand("SELECT current_user::text", inUse))
            Assert.That(await mode.ExecuteScalar(command), Is.EqualTo(TestServer.ScramUser));
        await mode.Close(inUse);
        Assert.That(source.GetPoolStatistics(), Has.Property("Total").EqualTo(1).And.Property("Busy").EqualTo(0));
        Assert.That(await UserOf(source), Is.EqualTo(TestServer.Md5User));
    }

    private PgDataSource Source(Func<PgCredentialRequest, PgCredential?> provider, string more)
    {
        var builder = new PgDataSourceBuilder($"{TestServer.Passwords.ConnectionString};{more}");
        PgCredential? Ask(PgCredentialRequest request)
        {
            _asked.Add(request);
            return provider(request);
        }
        builder.UseCredentialProvider(Ask, async (request, _) =>
        {
            await Task.Yield();
            return Ask(request);
        });
        return builder.Build();
    }

    private async Task<string> UserOf(PgDataSource source)
    {
        await using var command = source.CreateCommand("SELECT current_user::text");
        return (string)(await mode.ExecuteScalar(command))!;
    }
}
