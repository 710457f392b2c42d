using Loxo.Protocol.Authentication;

namespace Loxo.Tests.Protocol.Authentication;

public class ScramKeyCacheTests
{
    private static readonly byte[] Salt = [1, 2, 3];

    [Test]
    public void A_second_login_takes_the_keys_of_the_first()
    {
        var cache = new ScramKeyCache();
        LogIn("secret", cache);
        Assert.That(cache.TryGet("secret", Salt, 2, out var keys), Is.True);

        LogIn("secret", cache);
        cache.TryGet("secret", Salt, 2, out var again);
        Assert.That(again, Is.SameAs(keys));
    }

    [Test]
    public void Keys_are_kept_only_of_a_login_whose_server_was_verified()
    {
        var cache = new ScramKeyCache();
        var scram = new ScramSha256("secret", ScramBinding.Unsupported, cache);
        var server = new ScramServer("secret", Salt, 2);
        scram.ClientFinal(server.First(scram.ClientFirst()));
        Assert.That(() => scram.VerifyServerFinal("v=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="u8), Throws.TypeOf<PgException>());

        Assert.That(cache.TryGet("secret", Salt, 2, out _), Is.False);
    }

    [Test]
    public void Another_password_salt_or_count_has_no_keys()
    {
        var cache = new ScramKeyCache();
        cache.Add("secret", Salt, 2, ScramKeys.Derive("secret", Salt, 2));

        Assert.Multiple(() =>
        {
            Assert.That(cache.TryGet("secret", [1, 2, 3], 2, out _), Is.True);
            Assert.That(cache.TryGet("Secret", Salt, 2, out _), Is.False);
            Assert.That(cache.TryGet("secret", [1, 2, 4], 2, out _), Is.False);
            Assert.That(cache.TryGet("secret", Salt, 3, out _), Is.False);
        });
    }

    [Test]
    public void The_oldest_keys_leave_when_it_is_full()
    {
        var cache = new ScramKeyCache();
        var keys = ScramKeys.Derive("secret", Salt, 1);
        for (var count = 1; count <= 17; count++)
            cache.Add("secret", Salt, count, keys);

        Assert.Multiple(() =>
        {
            Assert.That(cache.TryGet("secret", Salt, 1, out _), Is.False);
            Assert.That(Enumerable.Range(2, 16).All(count => cache.TryGet("secret", Salt, count, out _)), Is.True);
        });
    }

    [Test]
    public void Adding_the_same_again_pushes_nothing_out()
    {
        var cache = new ScramKeyCache();
        var keys = ScramKeys.Derive("secret", Salt, 1);
        cache.Add("secret", Salt, 1, keys);
        for (var i = 0; i < 50; i++)
            cache.Add("secret", Salt, 2, keys);

        Assert.That(cache.TryGet("secret", Salt, 1, out _), Is.True);
    }

    private static void LogIn(string password, ScramKeyCache cache)
    {
        var scram = new ScramSha256(password, ScramBinding.Unsupported, cache);
        var server = new ScramServer(password, Salt, 2);
        scram.VerifyServerFinal(server.Final(scram.ClientFinal(server.First(scram.ClientFirst())))!);
    }
}
