using Loxo.Transport;

namespace Loxo.Tests.Transport;

public sealed class TlsAlertTests
{
    private static readonly HostAddress _host = new("db", 5432);

    // Messages of OpenSSL 3 and 1.1.
    [TestCase("error:0A000418:SSL routines::tlsv1 alert unknown ca", 48)]
    [TestCase("error:14094418:SSL routines:ssl3_read_bytes:tlsv1 alert unknown ca", 48)]
    [TestCase("error:0A00045C:SSL routines::tlsv13 alert certificate required", 116)]
    [TestCase("error:0A000410:SSL routines::sslv3 alert handshake failure", 40)]
    [TestCase("error:0A00042E:SSL routines::tlsv1 alert protocol version", 70)]
    [TestCase("error:0A000086:SSL routines::certificate verify failed", null)]
    [TestCase("No route to host", null)]
    public void The_number_of_an_alert_is_found_at_any_depth(string message, int? expected)
    {
        var error = new IOException("The decryption operation failed.", new InvalidOperationException("SSL_ERROR_SSL", new InvalidDataException(message)));

        Assert.That(TlsAlert.Find(error)?.Number, Is.EqualTo(expected));
        Assert.That(TlsAlert.Find(null), Is.Null);
    }

    [Test]
    public void Every_alert_is_a_sentence_with_the_server_and_a_keyword_where_there_is_one()
    {
        for (var number = 0; number < 256; number++)
        {
            foreach (var has in new[] { false, true })
            {
                var alert = new TlsAlert(number);
                var error = TlsErrors.FromAlert(_host, alert, has, new IOException());

                Assert.That(error.Message, Does.Contain("db:5432").And.EndsWith($"(TLS alert {number})."));
                Assert.That(error.Code, Is.EqualTo(alert.IsAboutClientCertificate ? PgErrorCode.CertificateUnusable : PgErrorCode.TlsFailed));
                if (alert.IsAboutClientCertificate)
                    Assert.That(error.Message, Does.Contain("SSL Certificate"));
            }
        }
    }
}
