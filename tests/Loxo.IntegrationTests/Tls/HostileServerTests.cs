using System.Net.Security;
using System.Text;

namespace Loxo.IntegrationTests.Tls;

/// <summary>Servers that are none, that stop in the middle, or that send what they should not.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class HostileServerTests(WaitMode mode) : TlsTest(mode)
{
    [TestCase("H", "'H'", "web server")]
    [TestCase("HTTP/1.1 400 Bad Request\r\n\r\n", "'H'", "web server")]
    [TestCase("E\0\0\0\u0020SFATAL\0Mcall this number\0\0", "'E'", "error of the server")]
    [TestCase("\0", "the byte 0", "'Host' and 'Port'")]
    public async Task An_answer_that_is_none_names_the_server(string answer, string shown, string advice)
    {
        await using var server = new FakeServer(async stream =>
        {
            await FakeServer.AnswerRequest(stream, answer);
            await FakeServer.ReadToEnd(stream);
        });
        foreach (var ssl in new[] { SslMode.Prefer, SslMode.Require })
        {
            await using var source = server.Builder($"SSL Mode={ssl}").Build();

            var error = await Refused(source);

            Assert.That(error.Code, Is.EqualTo(PgErrorCode.ProtocolViolation));
            Assert.That(error.Message, Does.Contain(shown).And.Contain(advice).And.Contain(source.Settings.Transport.Host.ToString()));
            Assert.That(error.ToString(), Does.Not.Contain("this number"));
        }
        Assert.That(server.Connections, Is.EqualTo(2), "no second attempt in clear");
    }

    [Test]
    public async Task A_web_server_is_recognised_by_direct_negotiation()
    {
        await using var server = new FakeServer(async stream =>
        {
            await stream.ReadExactlyAsync(new byte[8]);
            await stream.WriteAsync("HTTP/1.1 400 Bad Request\r\n\r\n"u8.ToArray());
            await FakeServer.ReadToEnd(stream);
        });
        await using var source = server.Builder("SSL Mode=Require;SSL Negotiation=Direct").Build();

        Assert.That((await Refused(source)).Message, Does.Contain("not TLS").And.Contain(source.Settings.Transport.Host.ToString()));
    }

    [Test]
    public async Task Bytes_behind_the_answer_are_those_of_somebody_in_between([Values("S", "N")] string answer)
    {
        await using var server = new FakeServer(async stream =>
        {
            await FakeServer.AnswerRequest(stream, answer + "R\0\0\0\b\0\0\0\0");
            await FakeServer.ReadToEnd(stream);
        });
        await using var source = server.Builder("SSL Mode=Prefer").Build();

        Assert.That((await Refused(source)).Message, Does.Contain("somebody may be between"));
        Assert.That(server.Connections, Is.EqualTo(1));
    }

    [Test]
    public async Task Garbage_in_place_of_the_handshake_is_refused([Values(1, 2, 3, 4)] int seed)
    {
        var garbage = new byte[300];
        new Random(seed).NextBytes(garbage);
        // The bytes of a handshake's record first, so that what follows is looked at.
        if (seed % 2 == 0)
            new byte[] { 22, 3, 3, 1, 0 }.CopyTo(garbage, 0);
        await using var server = new FakeServer(async stream =>
        {
            await FakeServer.AnswerRequest(stream, "S");
            await stream.ReadExactlyAsync(new byte[5]);
            await stream.WriteAsync(garbage);
            await FakeServer.ReadToEnd(stream);
        });
        await using var source = server.Builder("SSL Mode=Require").Build();

        var error = await Refused(source);

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.TlsFailed));
        Assert.That(error.Message, Does.Contain("TLS with").And.Contain(source.Settings.Transport.Host.ToString()));
    }

    [Test]
    public async Task A_handshake_may_end_at_every_record()
    {
        var ends = await RecordEnds();
        Assert.That(ends, Has.Count.GreaterThanOrEqualTo(3));
        foreach (var end in ends.SelectMany(static end => new[] { end - 1, end }).Append(0).Append(3))
        {
            await using var server = new FakeServer(stream => Handshake(stream, end, FakeServer.ReadToEnd, ends: true));
            await using var source = server.Builder("SSL Mode=Require").Build();

            var error = await Refused(source);

            Assert.That(error.Code, Is.EqualTo(PgErrorCode.TlsFailed).Or.EqualTo(PgErrorCode.ConnectionClosed), $"after {end} bytes: {error}");
            if (error.Code == PgErrorCode.TlsFailed)
                Assert.That(error.Message, Does.Contain("closed the connection in the middle"), $"after {end} of {ends[^1]} bytes");
        }
    }

    [Test]
    public async Task A_handshake_that_stalls_is_given_up_in_time([Values("answer", "first record", "half a record", "login")] string phase)
    {
        var ends = phase == "answer" ? [] : await RecordEnds();
        await using var server = new FakeServer(phase switch
        {
            "answer" => FakeServer.ReadToEnd,
            "login" => stream => Handshake(stream, int.MaxValue, FakeServer.ReadToEnd, ends: false),
            _ => stream => Handshake(stream, phase == "first record" ? ends[0] : ends[0] + 3, FakeServer.ReadToEnd, ends: false),
        });
        await using var source = server.Builder("SSL Mode=Require;Timeout=1").Build();

        var error = await Refused(source);

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout), error.ToString());
        Assert.That(error.Message, Does.Contain(source.Settings.Transport.Host.ToString()));
    }

    [Test]
    public async Task A_version_of_TLS_that_is_not_shared_is_explained()
    {
        await using var server = new FakeServer(async stream =>
        {
            await FakeServer.AnswerRequest(stream, "S");
            using var tls = new SslStream(stream);
            await tls.AuthenticateAsServerAsync(new SslServerAuthenticationOptions
            {
                ServerCertificate = CertificateServer.Good, EnabledSslProtocols = System.Security.Authentication.SslProtocols.Tls12,
            });
        });
        await using var source = server.Builder("SSL Mode=Require;ssl_min_protocol_version=TLSv1.3").Build();

        Assert.That((await Refused(source)).Message, Does.Contain("versions of TLS").And.Contain("ssl_min_protocol_version"));
    }

    // Plays the handshake of a real server, of which only so many bytes get out.
    private static async Task Handshake(Stream stream, int bytes, Func<Stream, Task> afterwards, bool ends)
    {
        await FakeServer.AnswerRequest(stream, "S");
        var cut = new CutStream(stream, bytes);
        using var tls = new SslStream(cut, leaveInnerStreamOpen: true);
        var handshake = tls.AuthenticateAsServerAsync(new SslServerAuthenticationOptions { ServerCertificate = CertificateServer.Good });
        await Task.WhenAny(handshake, cut.Reached);
        if (ends)
        {
            // A signature may be a byte shorter than the one that was measured: then the handshake is whole.
            stream.Close();
            return;
        }
        await handshake;
        await afterwards(tls);
    }

    // Where the records end that the server sends up to the end of the handshake.
    private async Task<List<int>> RecordEnds()
    {
        var sent = new MemoryStream();
        await using var server = new FakeServer(async stream =>
        {
            await FakeServer.AnswerRequest(stream, "S");
            var cut = new CutStream(stream, int.MaxValue) { Copy = sent };
            using var tls = new SslStream(cut, leaveInnerStreamOpen: true);
            await tls.AuthenticateAsServerAsync(new SslServerAuthenticationOptions { ServerCertificate = CertificateServer.Good });
            stream.Close();
        });
        await using var source = server.Builder("SSL Mode=Require").Build();
        await Refused(source);
        var bytes = sent.ToArray();
        var ends = new List<int>();
        for (var end = 0; end + 5 <= bytes.Length;)
        {
            end += 5 + (bytes[end + 3] << 8) + bytes[end + 4];
            ends.Add(end);
        }
        return ends;
    }

    private sealed class CutStream(Stream inner, int left) : WrappedStream(inner)
    {
        private readonly TaskCompletionSource _reached = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _left = left;

        public Task Reached => _reached.Task;

        public MemoryStream? Copy { get; init; }

        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            Copy?.Write(buffer.Span);
            var count = Math.Min(_left, buffer.Length);
            await base.WriteAsync(buffer[..count], cancellationToken);
            _left -= count;
            if (_left == 0)
                _reached.TrySetResult();
        }
    }
}
