namespace Loxo.Embedded.Tests;

public class OptionsTests
{
    private static IEnumerable<TestCaseData> Unusable()
    {
        yield return new TestCaseData(new PgEmbeddedServerOptions { Version = 0 }, "Version");
        yield return new TestCaseData(new PgEmbeddedServerOptions { Acquire = (PgAcquire)64 }, "Acquire");
        yield return new TestCaseData(new PgEmbeddedServerOptions { Port = 65536 }, "Port");
        yield return new TestCaseData(new PgEmbeddedServerOptions { MaxPreparedTransactions = -1 }, "MaxPreparedTransactions");
        yield return new TestCaseData(new PgEmbeddedServerOptions { StartTimeout = TimeSpan.Zero }, "StartTimeout");
        yield return new TestCaseData(new PgEmbeddedServerOptions { Superuser = "" }, "Superuser");
        yield return new TestCaseData(new PgEmbeddedServerOptions { Password = "two\nlines" }, "Password");
        yield return new TestCaseData(new PgEmbeddedServerOptions { Settings = { ["port"] = "1" } }, "Settings must be settings that the embedded server does not choose itself");
        yield return new TestCaseData(new PgEmbeddedServerOptions { Settings = { ["work mem"] = "1" } }, "Settings must be names of server settings");
        yield return new TestCaseData(new PgEmbeddedServerOptions { Settings = { ["work_mem"] = "1\nfsync = on" } }, "on one line for work_mem");
        yield return new TestCaseData(new PgEmbeddedServerOptions { HbaLines = ["host all\nall"] }, "HbaLines");
        yield return new TestCaseData(new PgEmbeddedServerOptions { InitialStatements = ["SELECT 1;\n\nSELECT 2"] }, "InitialStatements");
        yield return new TestCaseData(new PgEmbeddedServerOptions { InitialStatements = [" "] }, "InitialStatements");
        yield return new TestCaseData(new PgEmbeddedServerOptions { Tls = new() { HostNames = { "" } } }, "HostNames");
    }

    [TestCaseSource(nameof(Unusable))]
    public void An_unusable_option_is_named(PgEmbeddedServerOptions options, string expected)
    {
        var error = Assert.Throws<ArgumentException>(() => PgEmbeddedServer.Start(options));

        Assert.That(error!.Message, Does.StartWith("PgEmbeddedServerOptions.").And.Contain(expected));
    }

    [Test]
    public void Passwords_are_not_in_messages()
    {
        var error = Assert.Throws<ArgumentException>(() => PgEmbeddedServer.Start(new() { Password = "sec\nret" }));

        Assert.That(error!.Message, Does.Not.Contain("sec"));
    }
}
