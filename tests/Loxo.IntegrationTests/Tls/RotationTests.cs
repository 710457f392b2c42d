namespace Loxo.IntegrationTests.Tls;

/// <summary>Certificates are read once, and again when their files have changed: no connection pays for it, and no restart is needed.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class RotationTests(WaitMode mode) : TlsTest(mode)
{
    [Test]
    public async Task No_file_is_read_for_another_connection()
    {
        var own = Authority.Client(CertificateServer.ByCertificate);
        string[] files = [Write(Authority.Pem), Write(own.ExportCertificatePem()), Write(TestAuthority.KeyPem(own)), Write(Authority.RevocationList([]))];
        var clock = new ShiftedTime();
        await using var source = Source($"SSL Mode=VerifyFull;Root Certificate={files[0]};SSL Certificate={files[1]};SSL Key={files[2]};"
            + $"sslcrl={files[3]};Username={CertificateServer.ByCertificate}", clock);
        Assert.That(await Encrypts(source), Is.True);

        foreach (var file in files)
            File.Delete(file);

        Assert.That(await Encrypts(source), Is.True);
        clock.Advance(TimeSpan.FromMinutes(2));
        Assert.That(await Encrypts(source), Is.True, "what was read holds while the files cannot be");
    }

    [Test]
    public async Task A_replaced_root_certificate_counts_after_a_minute()
    {
        var other = TestAuthority.Root("next authority");
        var root = Write(Authority.Pem);
        var clock = new ShiftedTime();
        await using var source = Source($"SSL Mode=VerifyFull;Root Certificate={root}", clock);
        Assert.That(await Encrypts(source), Is.True);
        await File.WriteAllTextAsync(root, other.Pem);
        Show(other.Server("localhost"), other);
        Assert.That((await Refused(source)).Message, Does.Contain("not trusted"));

        clock.Advance(TimeSpan.FromSeconds(61));

        Assert.That(await Encrypts(source), Is.True);
    }

    [Test]
    public async Task A_replaced_client_certificate_counts_when_its_key_fits()
    {
        var (old, next) = (Authority.Client("somebody else"), Authority.Client(CertificateServer.ByCertificate));
        var (certificate, key) = (Write(old.ExportCertificatePem()), Write(TestAuthority.KeyPem(old)));
        var clock = new ShiftedTime();
        await using var source = Source($"SSL Mode=Require;SSL Certificate={certificate};SSL Key={key};Username={CertificateServer.ByCertificate}", clock);
        Assert.That(await Refused(source), Is.InstanceOf<PostgresException>(), "the certificate is somebody else's");

        await File.WriteAllTextAsync(certificate, next.ExportCertificatePem());
        clock.Advance(TimeSpan.FromSeconds(61));
        Assert.That(await Refused(source), Is.InstanceOf<PostgresException>(), "the new certificate does not count before its key is there");
        await File.WriteAllTextAsync(key, TestAuthority.KeyPem(next));
        clock.Advance(TimeSpan.FromSeconds(61));

        Assert.That(await Encrypts(source), Is.True);
    }

    [Test]
    public async Task A_link_that_leads_to_another_file_is_noticed()
    {
        var other = TestAuthority.Root("next authority");
        var folder = Folder();
        var (link, first, second) = (Path.Combine(folder, "root.crt"), Write(Authority.Pem), Write(other.Pem));
        File.SetLastWriteTimeUtc(second, File.GetLastWriteTimeUtc(first).AddHours(-1));
        File.CreateSymbolicLink(link, first);
        var clock = new ShiftedTime();
        await using var source = Source($"SSL Mode=VerifyFull;Root Certificate={link}", clock);
        Assert.That(await Encrypts(source), Is.True);
        File.Delete(link);
        File.CreateSymbolicLink(link, second);
        Show(other.Server("localhost"), other);
        clock.Advance(TimeSpan.FromSeconds(61));

        Assert.That(await Encrypts(source), Is.True);
    }

    [Test]
    public async Task A_file_that_was_missing_at_first_is_read_as_soon_as_it_is_there()
    {
        var path = Path.Combine(Folder(), "root.crt");
        await using var source = Source($"SSL Mode=VerifyFull;Root Certificate={path}", new ShiftedTime());
        await Refused(source);

        await File.WriteAllTextAsync(path, Authority.Pem);

        Assert.That(await Encrypts(source), Is.True);
    }

    private static PgDataSource Source(string settings, TimeProvider clock) =>
        new(Builder(settings).ConnectionStringBuilder.ToSettings(), time: clock);

    // The machine's clock, put forward.
    private sealed class ShiftedTime : TimeProvider
    {
        private long _shift;

        public void Advance(TimeSpan by) => _shift += (long)(by.TotalSeconds * TimestampFrequency);

        public override long GetTimestamp() => System.GetTimestamp() + _shift;
    }
}
