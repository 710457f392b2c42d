using System.Data;
using System.Security.Cryptography;
using System.Text;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class HandshakeTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public async Task The_startup_message_carries_what_the_connection_string_says()
    {
        var startup = default(Startup);
        Play(server => startup = server.Login());
        await Open("Application Name=till;Search Path=a,b;Timezone=UTC;Options=-c geqo=off");
        Server.Finish();
        Assert.That(startup!.Parameters, Is.EquivalentTo(new Dictionary<string, string>
        {
            ["user"] = "alice",
            ["database"] = "shop",
            ["client_encoding"] = "UTF8",
            ["application_name"] = "till",
            ["search_path"] = "a,b",
            ["TimeZone"] = "UTC",
            ["options"] = "-c geqo=off",
        }));
    }

    [Test]
    public async Task A_password_in_clear_is_sent_when_asked_for()
    {
        Play(server =>
        {
            server.Expect<Startup>();
            server.Send.Authentication(3, []);
            Assert.That(server.Expect<Password>().Text, Is.EqualTo("secret"));
            server.Send.AuthenticationOk();
            server.Welcome();
        });
        await Open();
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Open));
    }

    [Test]
    public async Task An_md5_password_is_hashed_with_the_servers_salt()
    {
        byte[] salt = [9, 8, 7, 6];
        Play(server =>
        {
            server.Expect<Startup>();
            server.Send.Authentication(5, salt);
            Assert.That(server.Expect<Password>().Text, Is.EqualTo("md5" + Md5([.. Encoding.ASCII.GetBytes(Md5("secretalice"u8.ToArray())), .. salt])));
            server.Send.AuthenticationOk();
            server.Welcome();
        });
        await Open();
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Open));
    }

    [Test]
    public async Task Scram_proves_both_sides([Values] bool byteByByte)
    {
        Play(server =>
        {
            server.Channel.OneByteAtATime = byteByByte;
            server.Expect<Startup>();
            new ScramServer(server).Authenticate();
            server.Send.AuthenticationOk();
            server.Welcome();
        });
        await Open();
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Open));
    }

    [Test]
    public Task A_scram_server_that_does_not_know_the_password_is_refused() => Refused(
        server => new ScramServer(server) { Spoil = static signature => signature[31] ^= 1 }.Authenticate(), PgErrorCode.AuthenticationFailed, "");

    [Test]
    public Task A_scram_server_that_skips_its_proof_is_refused() => Refused(server =>
    {
        server.Send.Authentication(10, [.. Answer.Text("SCRAM-SHA-256"), 0]);
        server.Expect<Password>();
        server.Send.AuthenticationOk();
        server.Welcome();
    }, PgErrorCode.AuthenticationFailed, "without proving that it knows the password");

    [TestCase(true)]
    [TestCase(false)]
    public Task A_server_that_skips_the_end_of_the_login_is_refused(bool afterScramBegan) => Refused(server =>
    {
        if (afterScramBegan)
        {
            server.Send.Authentication(10, [.. Answer.Text("SCRAM-SHA-256"), 0]);
            server.Expect<Password>();
        }
        server.Welcome();
    }, PgErrorCode.ProtocolViolation, "ReadyForQuery", "Require Auth=scram-sha-256");

    [TestCase("scram-sha-256", 0)]
    [TestCase("scram-sha-256", 3)]
    [TestCase("scram-sha-256", 5)]
    [TestCase("password,md5", 10)]
    [TestCase("none", 3)]
    [TestCase("scram-sha-256", 7)]
    [TestCase("gss", 9)]
    [TestCase("gss,sspi", 3)]
    [TestCase("!gss,!sspi", 7)]
    [TestCase("!password", 3)]
    public Task Require_Auth_refuses_what_it_does_not_name_and_sends_no_password(string allowed, int method) => Refused(server =>
    {
        server.Send.Authentication(method, method == 10 ? [.. Answer.Text("SCRAM-SHA-256"), 0] : method == 5 ? [1, 2, 3, 4] : []);
        server.Channel.AwaitShutdown();
        Assert.That(server.Channel.Unread, Is.Zero, "something was sent");
    }, PgErrorCode.AuthenticationNotSupported, "'Require Auth'", "Require Auth=" + allowed);

    [TestCase(2, "Kerberos")]
    [TestCase(8, "GSSAPI without a beginning")]
    [TestCase(99, "99")]
    public Task A_method_that_is_not_supported_is_named(int method, string named) => Refused(
        server => server.Send.Authentication(method, []), PgErrorCode.AuthenticationNotSupported, named);

    [Test]
    public Task A_missing_password_says_where_one_could_be_given() => Refused(
        server => server.Send.Authentication(3, []), PgErrorCode.AuthenticationFailed, "none was given", "Password=");

    [Test]
    public async Task A_refusal_of_the_server_is_its_own_error()
    {
        Play(server =>
        {
            server.Expect<Startup>();
            server.Send.ErrorResponse("28P01", "password authentication failed", "FATAL");
            server.End();
        });
        var error = await Catch<PostgresException>(() => Open());
        Assert.That(error.SqlState, Is.EqualTo("28P01"));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    [Test]
    public async Task A_server_that_shuts_down_after_the_login_began_says_so()
    {
        Play(server =>
        {
            server.Expect<Startup>();
            server.Send.AuthenticationOk().ErrorResponse("57P03", "the database system is shutting down", "FATAL");
            server.Reset();
        });
        var error = await Catch<PostgresException>(() => Open());
        Assert.That(error.SqlState, Is.EqualTo("57P03"));
    }

    [Test]
    public async Task A_server_without_BackendKeyData_and_settings_can_be_used()
    {
        Play(server =>
        {
            server.Expect<Startup>();
            server.Send.AuthenticationOk().ReadyForQuery();
            server.AnswerCommand();
        });
        await Open();
        Assert.That(Connection.ProcessID, Is.Zero);
        Assert.That(Connection.ServerVersion, Is.Empty);
        await AssertUsable();
    }

    [TestCase("18.1 (Debian 18.1-1.pgdg13+2)", "18.1")]
    [TestCase("8.0.2", "8.0.2")]
    [TestCase("19devel", "19.0")]
    [TestCase("17beta2", "17.0")]
    [TestCase("11.2-YB-2.21.0.0-b0", "11.2")]
    [TestCase("cockroach", "0.0")]
    [TestCase("", "0.0")]
    public async Task An_unusual_version_does_not_stop_the_login(string text, string version)
    {
        Play(server =>
        {
            server.Expect<Startup>();
            server.Send.AuthenticationOk().ParameterStatus("server_version", text).ReadyForQuery();
        });
        await Open();
        Assert.That(Connection.ServerVersion, Is.EqualTo(text));
        Assert.That(Connection.PostgreSqlVersion, Is.EqualTo(new Version(version)));
    }

    [Test]
    public async Task Settings_with_odd_names_and_values_are_kept_as_they_are()
    {
        Play(server => server.Login(answer => answer.ParameterStatus("", "").ParameterStatus("is_superuser", "").ParameterStatus("x.y", "ä\n=;")
            .ParameterStatus("server_version", "twice")));
        await Open();
        Assert.That(Connection.PostgresParameters["x.y"], Is.EqualTo("ä\n=;"));
        Assert.That(Connection.ServerVersion, Is.EqualTo("twice"));
    }

    [Test]
    public Task A_message_of_more_than_64_KiB_before_the_login_is_refused() => Refused(
        server => server.Send.Raw([(byte)'S', .. Answer.Int32(70_000)]), PgErrorCode.ProtocolViolation, "ParameterStatus with a length of 70000 bytes");

    [TestCase('D')]
    [TestCase('C')]
    [TestCase('G')]
    public Task A_message_that_has_no_place_in_a_login_is_named(char type) => Refused(
        server => server.Send.Add(type, [0]), PgErrorCode.ProtocolViolation, "an answer to the login");

    [TestCase("HTTP/1.1 400 Bad Request\r\n\r\n", "'HTTP/1.1 400 Bad Request'")]
    [TestCase("SSH-2.0-OpenSSH_9.2\n", "'SSH-2.0-OpenSSH_9.2'")]
    [TestCase("-ERR unknown", "'-ERR unknown'")]
    public Task Something_that_is_no_PostgreSQL_is_named_with_its_first_line(string answer, string named) => Refused(
        server => server.Send.Raw(Encoding.ASCII.GetBytes(answer)), PgErrorCode.ProtocolViolation,
        $"Logging in to scripted:5432 failed: It does not speak PostgreSQL's protocol: it answers {named}. Check 'Host' and 'Port'.");

    [Test]
    public async Task Without_TLS_on_the_server_Prefer_goes_on_in_clear()
    {
        Play(server =>
        {
            server.Expect<SslRequest>();
            server.Write("N"u8);
            server.Login();
            server.AnswerCommand();
        });
        await Open("SSL Mode=Prefer");
        await AssertUsable();
        Assert.That(Server.Connections, Is.EqualTo(1));
    }

    [Test]
    public async Task Without_TLS_on_the_server_Require_refuses()
    {
        Play(server =>
        {
            server.Expect<SslRequest>();
            server.Write("N"u8);
            server.Channel.AwaitShutdown();
            Assert.That(server.Channel.Unread, Is.Zero, "something was sent in clear");
        });
        var error = await Catch<PgException>(() => Open("SSL Mode=Require"));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TlsRefused));
    }

    [TestCase("Sx")]
    [TestCase("S\u0016\u0003\u0001")]
    [TestCase("NR")]
    public async Task Bytes_behind_the_answer_to_SSLRequest_are_refused(string answer)
    {
        Play(server =>
        {
            server.Expect<SslRequest>();
            server.Write(Encoding.ASCII.GetBytes(answer));
            server.Channel.AwaitShutdown();
        });
        var error = await Catch<PgException>(() => Open("SSL Mode=Require"));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ProtocolViolation));
        Assert.That(error.Message, Does.Contain("SSLRequest"));
    }

    [Test]
    public async Task An_error_text_in_answer_to_SSLRequest_is_not_shown()
    {
        Play(server =>
        {
            server.Expect<SslRequest>();
            server.Send.ErrorResponse("08P01", "call this number", "FATAL");
            server.Channel.AwaitShutdown();
        });
        var error = await Catch<PgException>(() => Open("SSL Mode=Require"));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ProtocolViolation));
        Assert.That(error.ToString(), Does.Not.Contain("call this number"));
    }

    [Test]
    public async Task A_server_that_does_not_answer_SSLRequest_is_given_up_in_time()
    {
        Play(server =>
        {
            server.Expect<SslRequest>();
            server.LetTimePass(15.1);
            server.Channel.AwaitShutdown();
        });
        var error = await Catch<PgException>(() => Open("SSL Mode=Require"));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
    }

    [Test]
    public async Task Allow_tries_TLS_when_the_server_refuses_clear_text()
    {
        Play(server =>
        {
            server.Expect<Startup>();
            server.Send.ErrorResponse("28000", "no pg_hba.conf entry, no encryption", "FATAL");
            server.End();
            var second = server.Server.Accept();
            second.Expect<SslRequest>();
            second.Write("N"u8);
            second.Channel.AwaitShutdown();
        });
        var error = await Catch<PgException>(() => Open("SSL Mode=Allow"));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TlsRefused));
        Assert.That(Server.Connections, Is.EqualTo(2));
    }

    [Test]
    public async Task A_wrong_password_is_not_tried_again_with_other_encryption()
    {
        Play(server =>
        {
            server.Expect<Startup>();
            server.Send.ErrorResponse("28P01", "password authentication failed", "FATAL");
            server.End();
        });
        var error = await Catch<PostgresException>(() => Open("SSL Mode=Allow"));
        Assert.That(error.SqlState, Is.EqualTo("28P01"));
        Assert.That(Server.Connections, Is.EqualTo(1));
    }

    [Test]
    public async Task A_dial_that_never_ends_is_given_up_in_time()
    {
        Server.Dialer.Next(Dialing.NeverEnds);
        var opening = Task.Run(() => Open());
        while (!opening.IsCompleted)
        {
            Server.Time.Advance(TimeSpan.FromSeconds(1));
            await Task.Yield();
        }
        var error = await Catch<PgException>(() => opening);
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
    }

    private async Task Refused(Action<ScriptedPeer> script, PgErrorCode code, string named, string more = "")
    {
        Play(server =>
        {
            server.Expect<Startup>();
            script(server);
            server.Channel.AwaitShutdown();
        });
        var error = await Catch<PgException>(() => Open(more));
        Assert.That(error.Code, Is.EqualTo(code), error.Message);
        Assert.That(error.Message, Does.Contain(named));
        Assert.That(error.ToString(), Does.Not.Contain("secret"));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed));
    }

    private static string Md5(byte[] bytes) => Convert.ToHexStringLower(MD5.HashData(bytes));
}
