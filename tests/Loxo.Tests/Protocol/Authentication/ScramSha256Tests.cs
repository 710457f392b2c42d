using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Loxo.Protocol.Authentication;

namespace Loxo.Tests.Protocol.Authentication;

public class ScramSha256Tests
{
    private static readonly byte[] Salt = [.. Enumerable.Range(0, 16).Select(i => (byte)i)];
    private static readonly byte[] EndPointHash = [.. Enumerable.Range(0, 32).Select(i => (byte)i)];

    [Test]
    public void The_example_of_RFC_7677_is_reproduced()
    {
        var scram = new ScramSha256("pencil", ScramBinding.Unsupported, new ScramKeyCache()) { Nonce = "rOprNGfwEbeRWgbNEkqO", User = "user" };

        Assert.That(Text(scram.ClientFirst()), Is.EqualTo("n,,n=user,r=rOprNGfwEbeRWgbNEkqO"));
        Assert.That(
            Text(scram.ClientFinal("r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"u8)),
            Is.EqualTo("c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="));
        scram.VerifyServerFinal("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="u8);
        Assert.That(scram.IsVerified, Is.True);
    }

    // The keys of its password, computed with Python's hashlib.
    [Test]
    public void The_example_of_RFC_7677_is_reproduced_from_its_keys()
    {
        const string clientKey = "pg/JI9Z+hkSpLRa5btpe9GVrDHJcSEN0viVTVXaZbos=", serverKey = "wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=";
        var cache = new ScramKeyCache();
        var scram = new ScramSha256("", ScramBinding.Unsupported, cache)
        {
            Keys = ScramKeys.Parse(new ScramKeySettings(clientKey, serverKey)), Nonce = "rOprNGfwEbeRWgbNEkqO", User = "user",
        };

        Assert.That(
            Text(scram.ClientFinal("r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"u8)),
            Does.EndWith(",p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="));
        scram.VerifyServerFinal("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="u8);
        Assert.That(scram.IsVerified, Is.True);
        Assert.That(cache.TryGet("", Convert.FromBase64String("W22ZaJ0SNY7soEsUEjb6gQ=="), 4096, out _), Is.False);
    }

    // Computed with Python's hashlib.
    private static IEnumerable<object[]> BindingVectors() =>
    [
        [
            ScramBinding.ToCertificate(EndPointHash), "p=tls-server-end-point,,n=,r=clientnonce",
            "c=cD10bHMtc2VydmVyLWVuZC1wb2ludCwsAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=,r=clientnonceservernonce,p=BcYYdc/ulePGD1h+pWDGFsHIkdjHxLHrRORVxPk6Yis=",
            "v=2Z9IZ+Rk4fuAV8LVoMUUeS2j3Q7E30zEWDy5SpR+S6s=",
        ],
        [
            ScramBinding.NotOffered, "y,,n=,r=clientnonce",
            "c=eSws,r=clientnonceservernonce,p=243a+gbf4jIS/GYMWAVCq2y2obWMy8bF67n0r8xgUVs=",
            "v=OBtKN9nu0Pu/zBBdDe7qGi8TK7Fqfj+jEG+EV9/MDCY=",
        ],
    ];

    [TestCaseSource(nameof(BindingVectors))]
    public void Each_kind_of_channel_binding_gives_its_golden_messages(object binding, string first, string final, string serverFinal)
    {
        var scram = Client("secret", (ScramBinding)binding);

        Assert.That(Text(scram.ClientFirst()), Is.EqualTo(first));
        Assert.That(Text(scram.ClientFinal("r=clientnonceservernonce,s=AAECAwQFBgcICQoLDA0ODw==,i=4096"u8)), Is.EqualTo(final));
        scram.VerifyServerFinal(Encoding.ASCII.GetBytes(serverFinal));
    }

    [Test]
    public void The_password_is_prepared_before_it_is_hashed()
    {
        var server = new ScramServer("IX", Salt, iterations: 3);
        var scram = Client("I\u00ADX");

        scram.VerifyServerFinal(server.Final(scram.ClientFinal(server.First(scram.ClientFirst())))!);
        Assert.That(scram.IsVerified, Is.True);
    }

    [Test]
    public void Any_password_salt_and_iteration_count_logs_in_with_and_without_binding()
    {
        var cases = from password in ArbMap.Default.GeneratorFor<NonEmptyString>()
                    from salt in ArbMap.Default.GeneratorFor<byte[]>()
                    from iterations in Gen.Choose(1, 50)
                    from isBound in ArbMap.Default.GeneratorFor<bool>()
                    let text = password.Get
                    where !text.Contains('\0') && text.EnumerateRunes().All(rune => rune != Rune.ReplacementChar)
                    select (text, salt: (byte[])[1, .. salt], iterations, isBound);

        Prop.ForAll(cases.ToArbitrary(), login =>
        {
            var server = new ScramServer(SaslPrep.Prepare(login.text), login.salt, login.iterations) { EndPointHash = EndPointHash };
            var scram = new ScramSha256(login.text, login.isBound ? ScramBinding.ToCertificate(EndPointHash) : ScramBinding.NotOffered, new ScramKeyCache());
            var final = server.Final(scram.ClientFinal(server.First(scram.ClientFirst())));
            scram.VerifyServerFinal(final!);
            return scram.IsVerified;
        }).QuickCheckThrowOnFailure();
    }

    [Test]
    public void A_certificate_that_the_server_does_not_have_fails_the_login_at_the_server()
    {
        var server = new ScramServer("secret", Salt, iterations: 5) { EndPointHash = EndPointHash };
        var scram = Client("secret", ScramBinding.ToCertificate(new byte[32]));

        Assert.That(server.Final(scram.ClientFinal(server.First(scram.ClientFirst()))), Is.Null);
    }

    [Test]
    public void Each_login_has_a_nonce_of_its_own()
    {
        var nonces = Enumerable.Range(0, 50).Select(_ => new ScramSha256("secret", ScramBinding.Unsupported, new ScramKeyCache()).Nonce).ToList();

        Assert.That(nonces, Is.Unique);
        Assert.That(nonces, Is.All.Matches("^[A-Za-z0-9+/]{24}$"));
    }

    [TestCase("r=other,s=AAEC,i=4096", "somebody may be replaying")]
    [TestCase("r=clientnonc,s=AAEC,i=4096", "somebody may be replaying")]
    [TestCase("r=clientnonce,s=AAEC,i=4096", "somebody may be replaying")]
    [TestCase("r=CLIENTNONCEserver,s=AAEC,i=4096", "somebody may be replaying")]
    [TestCase("", "expected 'r=' (nonce) but it ends")]
    [TestCase("s=AAEC,i=4096", "expected 'r=' (nonce) but found 's'")]
    [TestCase("r=clientnonce1,i=4096", "expected 's=' (salt) but found 'i'")]
    [TestCase("r=clientnonce1,s=AAEC", "expected 'i=' (iteration count) but it ends")]
    [TestCase("r=clientnonce1,s=AAEC,", "expected 'i=' (iteration count) but it ends")]
    [TestCase("r=clientnonce1,s=,i=4096", "the salt ('s=') is empty or not base64")]
    [TestCase("r=clientnonce1,s=AAE,i=4096", "the salt ('s=') is empty or not base64")]
    [TestCase("r=clientnonce1,s=A*EC,i=4096", "the salt ('s=') is empty or not base64")]
    [TestCase("r=clientnonce1,s=AAEC,i=", "is not a positive number")]
    [TestCase("r=clientnonce1,s=AAEC,i=0", "is not a positive number")]
    [TestCase("r=clientnonce1,s=AAEC,i=007", "is not a positive number")]
    [TestCase("r=clientnonce1,s=AAEC,i=-1", "is not a positive number")]
    [TestCase("r=clientnonce1,s=AAEC,i=+1", "is not a positive number")]
    [TestCase("r=clientnonce1,s=AAEC,i=1e3", "is not a positive number")]
    [TestCase("r=clientnonce1,s=AAEC,i=1000001", "asks for 1000001 iterations; at most 1000000")]
    [TestCase("r=clientnonce1,s=AAEC,i=999999999", "asks for 999999999 iterations")]
    [TestCase("r=clientnonce1,s=AAEC,i=4294967297", "asks for a billion or more iterations")]
    [TestCase("r=clientnonce1,s=AAEC,i=99999999999999999999999", "asks for a billion or more iterations")]
    [TestCase("m=must,r=clientnonce1,s=AAEC,i=1", "extension ('m=')")]
    [TestCase("r=clientnonce1,s=AAEC,i=1,m=must", "extension ('m=')")]
    [TestCase("r=clientnonce1,s=AAEC,i=1,", "an attribute without a name")]
    [TestCase("r=clientnonce1,s=AAEC,i=1,x", "expected '=' after 'x'")]
    [TestCase("r=client nonce1,s=AAEC,i=1", "printable ASCII")]
    [TestCase("r=clientnoncé1,s=AAEC,i=1", "printable ASCII")]
    [TestCase("e=other-error", "ended the login with the error 'other-error'")]
    public void A_bad_first_message_of_the_server_is_refused_with_its_reason(string serverFirst, string reason)
    {
        var error = Assert.Throws<PgException>(() => Client("secret").ClientFinal(Encoding.UTF8.GetBytes(serverFirst)))!;

        AssertFailure(error, reason);
    }

    [Test]
    public void An_optional_extension_is_ignored()
    {
        var scram = Client("secret");

        Assert.That(Text(scram.ClientFinal("r=clientnonce1,s=AAEC,i=1,x=y,z=1"u8)), Does.StartWith("c=biws,r=clientnonce1,p="));
    }

    [Test]
    public void A_message_that_is_too_long_is_refused_before_it_is_read()
    {
        var message = "r=clientnonce" + new string('x', 5_000) + ",s=AAEC,i=1";

        AssertFailure(Assert.Throws<PgException>(() => Client("secret").ClientFinal(Encoding.ASCII.GetBytes(message)))!, "it is too long");
    }

    [Test]
    public void The_largest_iteration_count_that_is_accepted_is_a_million()
    {
        var accepted = ScramServerFirst.Parse("r=nonce1,s=AAEC,i=1000000"u8, "nonce");

        Assert.That(accepted.Iterations, Is.EqualTo(1_000_000));
    }

    [Test]
    public void No_prefix_of_the_servers_first_message_logs_in()
    {
        var whole = Encoding.ASCII.GetBytes("r=clientnonce1,s=AAECAwQFBgcICQoLDA0ODw==,i=4096");
        for (var length = 0; length < whole.Length; length++)
        {
            var prefix = whole[..length];
            // "i=4", "i=40" and "i=409" are messages of their own; the proofs that they give are for other keys.
            var isMessage = Text(prefix).Contains(",i=4", StringComparison.Ordinal);
            if (isMessage)
                Assert.That(Text(Client("secret").ClientFinal(prefix)), Is.Not.EqualTo(Text(Client("secret").ClientFinal(whole))));
            else
                Assert.That(() => Client("secret").ClientFinal(prefix), Throws.TypeOf<PgException>(), $"length {length}");
        }
    }

    [Test]
    public void No_prefix_of_the_servers_final_message_is_believed()
    {
        var (scram, whole) = UpToServerFinal();
        for (var length = 0; length < whole.Length; length++)
        {
            var prefix = whole[..length];
            Assert.That(() => scram.VerifyServerFinal(prefix), Throws.TypeOf<PgException>(), $"length {length}");
            Assert.That(scram.IsVerified, Is.False);
        }
        scram.VerifyServerFinal(whole);
    }

    [Test]
    public void A_signature_with_any_bit_changed_is_not_believed()
    {
        var (scram, whole) = UpToServerFinal();
        var signature = Convert.FromBase64String(Text(whole)[2..]);
        for (var bit = 0; bit < signature.Length * 8; bit++)
        {
            signature[bit / 8] ^= (byte)(1 << (bit % 8));
            var changed = Encoding.ASCII.GetBytes("v=" + Convert.ToBase64String(signature));
            AssertFailure(Assert.Throws<PgException>(() => scram.VerifyServerFinal(changed))!, "could not prove that it knows the password");
            signature[bit / 8] ^= (byte)(1 << (bit % 8));
        }
    }

    [TestCase("", "expected 'v=' (server signature) but it ends")]
    [TestCase("x=1", "expected 'v=' (server signature) but found 'x'")]
    [TestCase("v=AAEC", "not base64 of 32 bytes")]
    [TestCase("v=****", "not base64 of 32 bytes")]
    [TestCase("v=", "not base64 of 32 bytes")]
    [TestCase("v=SsZ1rDNoj5EEuWVAo+LyHc+6nd+jrIXyQcyg2VZFErw=,m=x", "extension ('m=')")]
    [TestCase("e=invalid-proof", "with the error 'invalid-proof'")]
    [TestCase("e=channel-bindings-dont-match", "with the error 'channel-bindings-dont-match'")]
    public void A_bad_final_message_of_the_server_is_refused_with_its_reason(string serverFinal, string reason)
    {
        var (scram, _) = UpToServerFinal();

        AssertFailure(Assert.Throws<PgException>(() => scram.VerifyServerFinal(Encoding.ASCII.GetBytes(serverFinal)))!, reason);
        Assert.That(scram.IsVerified, Is.False);
    }

    [Test]
    public void Random_bytes_from_the_server_give_a_PgException_or_are_a_message()
    {
        var attributes = Gen.Elements<byte[]>([.. "r=clientnonce1,s=AAEC,i=1,e=x,v=m=,,==\0\xff0"u8.ToArray().Select(b => new[] { b }), .. Pieces()]);
        var messages = attributes.ArrayOf().Select(pieces => pieces.SelectMany(piece => piece).ToArray());

        Prop.ForAll(messages.ToArbitrary(), message =>
        {
            var (scram, _) = UpToServerFinal();
            return ThrowsOnlyPgException(() => Client("secret").ClientFinal(message)) && ThrowsOnlyPgException(() => scram.VerifyServerFinal(message));
        }).QuickCheckThrowOnFailure();

        static IEnumerable<byte[]> Pieces() => [.. new[] { "r=clientnonce1,", "s=AAEC,", "i=1", "v=", "e=", "m=" }.Select(Encoding.ASCII.GetBytes)];
    }

    [Test]
    public void A_message_out_of_order_is_a_protocol_violation()
    {
        var early = Client("secret");
        var (late, final) = UpToServerFinal();
        late.VerifyServerFinal(final);

        Assert.Multiple(() =>
        {
            AssertViolation(() => early.VerifyServerFinal(final), "Expected AuthenticationSASLContinue but the server sent AuthenticationSASLFinal");
            AssertViolation(() => late.VerifyServerFinal(final), "Expected AuthenticationOk but the server sent AuthenticationSASLFinal");
            AssertViolation(() => late.ClientFinal("r=clientnonce1,s=AAEC,i=1"u8), "the server sent AuthenticationSASLContinue again");
        });
    }

    [Test]
    public void A_failed_first_message_does_not_open_the_way_to_the_final_one()
    {
        var scram = Client("secret");
        Assert.That(() => scram.ClientFinal("r=other,s=AAEC,i=1"u8), Throws.TypeOf<PgException>());

        AssertViolation(() => scram.VerifyServerFinal("v=SsZ1rDNoj5EEuWVAo+LyHc+6nd+jrIXyQcyg2VZFErw="u8), "Expected AuthenticationSASLContinue");
    }

    // Neither attributes nor names of tests can hold half of a surrogate pair: both are stored as UTF-8.
    private static TestCaseData[] ImpossiblePasswords() =>
    [
        new TestCaseData("", "there is none").SetArgDisplayNames("empty"),
        new TestCaseData("a\0b", "NUL").SetArgDisplayNames("NUL"),
        new TestCaseData("a\ud800b", "surrogate").SetArgDisplayNames("half a surrogate pair"),
    ];

    [TestCaseSource(nameof(ImpossiblePasswords))]
    public void A_password_that_no_server_can_have_is_refused_without_showing_it(string password, string reason)
    {
        var error = Assert.Throws<PgException>(() => Client(password).ClientFinal("r=clientnonce1,s=AAEC,i=1"u8))!;

        AssertFailure(error, reason);
        Assert.That(error.ToString(), Does.Not.Contain("a\0b").And.Not.Contain("D800").IgnoreCase);
    }

    [Test]
    public void No_error_shows_a_secret()
    {
        const string password = "correct-horse";
        string[] serverFirsts =
        [
            "r=other,s=U0FMVA==,i=1", "r=clientnonce1,s=U0FMVA=,i=1", "r=clientnonce1,s=U0FMVA==,i=9999999", "r=clientnonce1,s=U0FMVA==,i=1,m=1",
        ];

        foreach (var serverFirst in serverFirsts)
        {
            var error = Assert.Throws<PgException>(() => Client(password).ClientFinal(Encoding.ASCII.GetBytes(serverFirst)))!;
            Assert.That(error.ToString(), Does.Not.Contain(password).And.Not.Contain("clientnonce").And.Not.Contain("U0FMVA"));
        }
    }

    /// <summary>A client that waits for the server's final message, and that message.</summary>
    private static (ScramSha256 Client, byte[] ServerFinal) UpToServerFinal()
    {
        var server = new ScramServer("secret", Salt, iterations: 2);
        var scram = Client("secret");
        return (scram, server.Final(scram.ClientFinal(server.First(scram.ClientFirst())))!);
    }

    private static ScramSha256 Client(string password, ScramBinding? binding = null) =>
        new(password, binding ?? ScramBinding.Unsupported, new ScramKeyCache()) { Nonce = "clientnonce" };

    private static void AssertFailure(PgException error, string reason)
    {
        Assert.That(error.Message, Does.Contain(reason).And.EndWith("The connection has been closed."));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.AuthenticationFailed));
    }

    private static void AssertViolation(Action action, string reason)
    {
        var error = Assert.Throws<PgException>(action)!;
        Assert.That(error.Message, Does.Contain(reason));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ProtocolViolation));
    }

    private static bool ThrowsOnlyPgException(Action action)
    {
        try
        {
            action();
        }
        catch (PgException)
        {
        }
        return true;
    }

    private static string Text(byte[] ascii) => Encoding.ASCII.GetString(ascii);
}
