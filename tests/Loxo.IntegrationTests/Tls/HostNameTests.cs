using System.Globalization;

namespace Loxo.IntegrationTests.Tls;

/// <summary>Which names of a certificate fit which host: as libpq finds, beside which each case is tried.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class HostNameTests(WaitMode mode) : TlsTest(mode)
{
    private const string Both = "both", None = "none", OnlyOurs = "only ours";

    private static readonly LibpqLibrary? _libpq = LibpqLibrary.Load(Server.BinaryDirectory);

    // The host, the common name, the alternative names, and whom they fit.
    [TestCase("localhost", "LocalHost", "", Both)]
    [TestCase("localhost", "localhost", "db.example", None)]
    [TestCase("localhost", "localhost", "10.0.0.1", Both)]
    [TestCase("localhost", "other", "db.example LOCALHOST", Both)]
    [TestCase("localhost", "other", "localhost.", None)]
    [TestCase("localhost.", "other", "localhost", OnlyOurs)]
    [TestCase("127.0.0.1", "127.0.0.1", "", Both)]
    [TestCase("127.0.0.1", "127.0.0.1", "localhost", Both)]
    [TestCase("127.0.0.1", "127.0.0.1", "10.0.0.1", None, Description = "There is an address, so that the common name does not count.")]
    [TestCase("127.0.0.1", "127.0.0.1", "10.0.0.1 localhost", None)]
    [TestCase("127.0.0.1", "other", "127.0.0.1", Both)]
    [TestCase("127.0.0.1", "other", "10.0.0.1 dns:127.0.0.1", Both)]
    [TestCase("::1", "other", "::1", Both)]
    [TestCase("db.internal", "other", "*.internal", Both)]
    [TestCase("db_1.shop.example", "other", "*.shop.example", Both)]
    [TestCase("db.shop.example", "*.Shop.Example", "", Both)]
    [TestCase("a.db.shop.example", "other", "*.shop.example", None)]
    [TestCase("shop.example", "other", "*.shop.example", None)]
    [TestCase("db.shop.example", "other", "d*.shop.example", None)]
    [TestCase("db.shop.example", "other", "*.*.example", None)]
    [TestCase("db.shop.example", "other", "db.*.example", None)]
    [TestCase("localhost", "other", "*", None)]
    [TestCase("_db", "other", "_db", Both)]
    [TestCase("xn--bcher-kva.example", "other", "xn--bcher-kva.example", Both)]
    [TestCase("b\u00FCcher.example", "other", "xn--bcher-kva.example", OnlyOurs)]
    public async Task The_names_of_a_certificate_fit_the_hosts_that_they_fit_for_libpq(string host, string common, string alternatives, string whom)
    {
        Show(Authority.Issue(common, alternatives.Split(' ', StringSplitOptions.RemoveEmptyEntries)), Authority);
        var (root, address) = (Write(Authority.Pem), host.Contains(':') ? host : "127.0.0.1");
        var theirs = _libpq?.Try(new Dictionary<string, string>
        {
            ["host"] = host, ["hostaddr"] = address, ["port"] = Server.Port.ToString(CultureInfo.InvariantCulture), ["user"] = "postgres",
            ["dbname"] = "postgres", ["gssencmode"] = "disable", ["sslmode"] = "verify-full", ["sslrootcert"] = root,
        }).Outcome;
        foreach (var sni in new[] { 1, 0 })
        {
            var settings = $"SSL Mode=VerifyFull;Root Certificate={root};Host Address={address};Host={host};sslsni={sni}";
            if (whom != None)
                Assert.That(await Encrypts(settings), Is.True);
            else
                Assert.That((await Refused(settings)).Message, Does.Contain($"it is not for the host name '{host}'"));
        }
        Assert.That(theirs, Is.Null.Or.EqualTo(whom == Both ? "encrypted" : "refused"));
    }
}
