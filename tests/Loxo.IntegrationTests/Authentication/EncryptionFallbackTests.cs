namespace Loxo.IntegrationTests.Authentication;

/// <summary>
/// GSSAPI, then TLS, then no encryption: against servers that refuse each step in each way, only those are tried that the settings allow, in the
/// order of libpq's documentation ("gssencmode", "sslmode"; select_next_encryption_method in fe-connect.c).
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[NonParallelizable]
public class EncryptionFallbackTests(WaitMode mode)
{
    [Test]
    public async Task A_refused_step_leads_to_the_next_one_that_is_allowed_and_to_no_other(
        [Values] GssEncryptionMode gss, [Values(SslMode.Disable, SslMode.Allow, SslMode.Prefer, SslMode.Require, SslMode.VerifyFull)] SslMode ssl)
    {
        _ = KerberosRealm.Shared;
        var differences = new List<string>();
        foreach (var gssAnswer in Enum.GetValues<EncryptionAnswer>().Where(static answer => answer != EncryptionAnswer.Accepts))
        {
            foreach (var tlsAnswer in Enum.GetValues<EncryptionAnswer>())
            {
                foreach (var refusesClear in new[] { false, true })
                {
                    var expected = Expected(gss, ssl, gssAnswer, tlsAnswer, refusesClear);
                    var actual = await Open(gss, ssl, gssAnswer, tlsAnswer, refusesClear);
                    if (actual != expected)
                        differences.Add($"GSSAPI {gssAnswer}, TLS {tlsAnswer}, clear {!refusesClear}: {actual} instead of {expected}");
                }
            }
        }
        Assert.That(differences, Is.Empty);
    }

    // What libpq does, step by step.
    private static string Expected(GssEncryptionMode gss, SslMode ssl, EncryptionAnswer gssAnswer, EncryptionAnswer tlsAnswer, bool refusesClear)
    {
        string[] steps = ssl switch
        {
            SslMode.Disable => ["login"],
            SslMode.Allow => ["login", "tls"],
            SslMode.Prefer => ["tls", "login"],
            _ => ["tls"],
        };
        if (gss == GssEncryptionMode.Require)
            steps = ["gss"];
        else if (gss == GssEncryptionMode.Prefer)
            steps = ["gss", .. steps];
        var talk = "";
        var isConnected = false;
        foreach (var step in steps)
        {
            talk += (isConnected ? " " : "| ") + step;
            var answer = step == "gss" ? gssAnswer : tlsAnswer;
            if (step == "login" && !refusesClear)
                return talk + ": open in clear";
            if (step == "tls" && answer == EncryptionAnswer.Accepts)
                return talk + " encrypted login: open with TLS";
            // An answer to SSLRequest that is none is no refusal: somebody may be in between. Those to GSSENCRequest lead to a new connection.
            if (step == "tls" && answer != EncryptionAnswer.Refuses)
                break;
            isConnected = step != "login" && answer == EncryptionAnswer.Refuses;
        }
        return talk + ": refused";
    }

    private async Task<string> Open(GssEncryptionMode gss, SslMode ssl, EncryptionAnswer gssAnswer, EncryptionAnswer tlsAnswer, bool refusesClear)
    {
        await using var server = new RefusingServer(gssAnswer, tlsAnswer, refusesClear);
        var builder = server.Builder($"GSS Encryption Mode={gss};SSL Mode={ssl};Timeout=60");
        if (ssl == SslMode.VerifyFull)
            builder.UseRootCertificate(Tls.CertificateServer.Authority.Certificate);
        await using var source = builder.Build();
        await using var connection = source.CreateConnection();
        try
        {
            await mode.Open(connection);
            return $"{server.Talk}: open {(connection.IsSslEncrypted ? "with TLS" : "in clear")}";
        }
        catch (PgException e) when (e.Code != PgErrorCode.Timeout)
        {
            return $"{server.Talk}: refused";
        }
    }
}
