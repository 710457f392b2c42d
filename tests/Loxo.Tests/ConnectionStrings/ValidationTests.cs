namespace Loxo.Tests.ConnectionStrings;

/// <summary>A value that its keyword does not take: the error names the keyword, the value, and what would have been right.</summary>
public class ValidationTests
{
    [TestCase("Command Timeout", "abc",
        "Couldn't set 'Command Timeout' to 'abc': expected a number of seconds from 0 to 2147483, 0 for no limit.")]
    [TestCase("Timeout", "1025", "Couldn't set 'Timeout' to '1025': expected a number of seconds from 0 to 1024, 0 for no limit.")]
    [TestCase("Cancellation Timeout", "-2",
        "Couldn't set 'Cancellation Timeout' to '-2': expected a number of milliseconds from -1 to 2147483647, 0 to wait without limit, -1 not to wait.")]
    [TestCase("Port", "0", "Couldn't set 'Port' to '0': expected a port from 1 to 65535.")]
    [TestCase("Port", "65536", "Couldn't set 'Port' to '65536': expected a port from 1 to 65535.")]
    [TestCase("Port", "1e3", "Couldn't set 'Port' to '1e3': expected a port from 1 to 65535.")]
    [TestCase("Pooling", "maybe", "Couldn't set 'Pooling' to 'maybe': expected True or False.")]
    [TestCase("Load Balance Hosts", "maybe", "Couldn't set 'Load Balance Hosts' to 'maybe': expected True, False, Random or LeastOutstanding.")]
    [TestCase("SSL Mode", "strict",
        "Couldn't set 'SSL Mode' to 'strict': expected one of Disable, Allow, Prefer, Require, VerifyCA, VerifyFull.")]
    [TestCase("SSL Mode", "3", "Couldn't set 'SSL Mode' to '3': expected one of Disable, Allow, Prefer, Require, VerifyCA, VerifyFull.")]
    [TestCase("SSL Negotiation", "tls", "Couldn't set 'SSL Negotiation' to 'tls': expected one of Postgres, Direct.")]
    [TestCase("GSS Encryption Mode", "x", "Couldn't set 'GSS Encryption Mode' to 'x': expected one of Disable, Prefer, Require.")]
    [TestCase("Channel Binding", "x", "Couldn't set 'Channel Binding' to 'x': expected one of Disable, Prefer, Require.")]
    [TestCase("Target Session Attributes", "leader",
        "Couldn't set 'Target Session Attributes' to 'leader': expected one of any, read-write, read-only, primary, standby, prefer-primary, prefer-standby.")]
    [TestCase("Array Nullability Mode", "x", "Couldn't set 'Array Nullability Mode' to 'x': expected one of Never, Always, PerInstance.")]
    [TestCase("Server Compatibility Mode", "x",
        "Couldn't set 'Server Compatibility Mode' to 'x': expected one of None, Redshift, NoTypeLoading.")]
    [TestCase("Session Reset", "x", "Couldn't set 'Session Reset' to 'x': expected one of Auto, Always, Never, Verify.")]
    [TestCase("Minimum Pool Size", "-1",
        "Couldn't set 'Minimum Pool Size' to '-1': expected a number of connections from 0 to 2147483647.")]
    [TestCase("Maximum Pool Size", "0", "Couldn't set 'Maximum Pool Size' to '0': expected a number of connections from 1 to 2147483647.")]
    [TestCase("Connection Pruning Interval", "0",
        "Couldn't set 'Connection Pruning Interval' to '0': expected a number of seconds from 1 to 2147483.")]
    [TestCase("Connection Idle Lifetime", "-1",
        "Couldn't set 'Connection Idle Lifetime' to '-1': expected a number of seconds from 0 to 2147483, 0 for no limit.")]
    [TestCase("Connection Lifetime", "x",
        "Couldn't set 'Connection Lifetime' to 'x': expected a number of seconds from 0 to 2147483, 0 for no limit.")]
    [TestCase("Host Recheck Seconds", "x", "Couldn't set 'Host Recheck Seconds' to 'x': expected a number of seconds from 0 to 2147483.")]
    [TestCase("Keepalive", "x", "Couldn't set 'Keepalive' to 'x': expected a number of seconds from 0 to 2147483, 0 for none.")]
    [TestCase("TCP Keepalive Time", "x",
        "Couldn't set 'TCP Keepalive Time' to 'x': expected a number of seconds from 0 to 2147483, 0 for the system's default.")]
    [TestCase("Read Buffer Size", "4095", "Couldn't set 'Read Buffer Size' to '4095': expected a number of bytes from 4096 to 1073741824.")]
    [TestCase("Write Buffer Size", "x", "Couldn't set 'Write Buffer Size' to 'x': expected a number of bytes from 4096 to 1073741824.")]
    [TestCase("Socket Send Buffer Size", "-1",
        "Couldn't set 'Socket Send Buffer Size' to '-1': expected a number of bytes from 0 to 1073741824, 0 for the system's default.")]
    [TestCase("Max Auto Prepare", "-1",
        "Couldn't set 'Max Auto Prepare' to '-1': expected a number of statements from 0 to 2147483647, 0 for none.")]
    [TestCase("Auto Prepare Min Usages", "0",
        "Couldn't set 'Auto Prepare Min Usages' to '0': expected a number of uses from 1 to 2147483647.")]
    [TestCase("Internal Command Timeout", "-2",
        "Couldn't set 'Internal Command Timeout' to '-2': expected a number of seconds from -1 to 2147483.")]
    [TestCase("Host", "a,,b", "Couldn't set 'Host' to 'a,,b': expected a host before and after every comma.")]
    [TestCase("Host", "a:x", "Couldn't set 'Host' to 'a:x': expected a port from 1 to 65535 after the colon of a host.")]
    [TestCase("Host", ":5432", "Couldn't set 'Host' to ':5432': expected a host before the colon.")]
    [TestCase("Host", "a b",
        "Couldn't set 'Host' to 'a b': expected a host without spaces, '@', '/' and '=' (keywords are separated by ';').")]
    [TestCase("Host", "a:1:2", "Couldn't set 'Host' to 'a:1:2': expected host:port, or an IPv6 address.")]
    [TestCase("Host", "[a]:1", "Couldn't set 'Host' to '[a]:1': expected an IPv6 address between '[' and ']'.")]
    [TestCase("Host", "[::1", "Couldn't set 'Host' to '[::1': expected an IPv6 address between '[' and ']'.")]
    [TestCase("Host", "[::1]5", "Couldn't set 'Host' to '[::1]5': expected nothing or ':port' after ']'.")]
    [TestCase("Require Auth", "Password,!MD5",
        "Couldn't set 'Require Auth' to 'Password,!MD5': expected either only methods to allow or only methods to refuse, each with '!'.")]
    [TestCase("Require Auth", "Password,ident",
        "Couldn't set 'Require Auth' to 'Password,ident': expected a comma list of Password, MD5, GSS, SSPI, ScramSHA256, OAuth, None; 'ident' is none of them.")]
    [TestCase("Require Auth", "md5,",
        "Couldn't set 'Require Auth' to 'md5,': expected a comma list of Password, MD5, GSS, SSPI, ScramSHA256, OAuth, None; '' is none of them.")]
    public void The_error_names_the_keyword_the_value_and_what_was_expected(string keyword, string value, string message)
    {
        var builder = new PgConnectionStringBuilder();

        Assert.That(() => builder[keyword] = value, Throws.ArgumentException.With.Message.EqualTo(message));
        Assert.That(Given.ErrorOf($"{keyword}='{value}'"), Is.EqualTo(message));
        Assert.That(builder.Count, Is.Zero);
    }

    [Test]
    public void A_property_refuses_what_its_keyword_refuses()
    {
        var builder = new PgConnectionStringBuilder();

        Assert.That(() => builder.Port = 70000, Throws.ArgumentException.With.Message.Contains("'Port' to '70000'"));
        Assert.That(() => builder.SslMode = (SslMode)17, Throws.ArgumentException.With.Message.Contains("'SSL Mode' to '17'"));
        Assert.That(() => builder.TargetSessionAttributes = "x", Throws.ArgumentException.With.Message.Contains("'Target Session Attributes' to 'x'"));
        Assert.That(() => builder.Host = "a b", Throws.ArgumentException.With.Message.Contains("'Host' to 'a b'"));
    }

    [Test]
    public void A_long_or_unprintable_value_does_not_flood_the_message()
    {
        var message = Given.ErrorOf("Port='" + new string('9', 5000) + "'");
        Assert.That(message, Has.Length.LessThan(200).And.Contain("999..."));

        Assert.That(Given.ErrorOf("Port='1\u0007\r\n2'"), Does.Contain("'1???2'"));
    }

    [Test]
    public void NUL_is_refused_in_every_text(
        [Values("Host", "Database", "Username", "Password", "Application Name", "Search Path", "Timezone", "Options", "Passfile")] string keyword)
    {
        var builder = new PgConnectionStringBuilder();
        var expected = $"Couldn't set '{keyword}': character 3 of the value is NUL, which PostgreSQL cannot take.";

        Assert.That(() => builder[keyword] = "ab\0cd", Throws.ArgumentException.With.Message.EqualTo(expected));
        Assert.That(Given.ErrorOf($"{keyword}=ab\0cd"), Is.EqualTo(expected));
        Assert.That(Given.ErrorOf($"{keyword}='ab\0cd'"), Is.EqualTo(expected));
        Assert.That(Given.ErrorOf($"Port=1;{keyword}=ab\0"), Is.EqualTo(expected));
    }

    [TestCase("Hots", "Host")]
    [TestCase("Databse", "Database")]
    [TestCase("Pasword", "Password")]
    [TestCase("User Nmae", "Username")]
    [TestCase("Aplication Name", "Application Name")]
    [TestCase("connect_timeout", "Timeout")]
    [TestCase("dbname", "Database")]
    public void An_unknown_keyword_is_named_with_the_one_probably_meant(string typed, string meant)
    {
        var builder = new PgConnectionStringBuilder();

        Assert.That(() => builder[typed] = "1", Throws.ArgumentException.With.Message.EqualTo($"Unknown keyword '{typed}'. Did you mean '{meant}'?"));
        Assert.That(Given.ErrorOf($"Port=1;{typed}=1"),
            Is.EqualTo($"The connection string has the unknown keyword '{typed}' at character 8. Did you mean '{meant}'?"));
    }

    [TestCase("Elephant"), TestCase("x"), TestCase("Dialect")]
    public void An_unknown_keyword_like_no_other_is_named_without_a_guess(string typed)
    {
        var builder = new PgConnectionStringBuilder();

        Assert.That(() => _ = builder[typed], Throws.ArgumentException.With.Message.EqualTo($"Unknown keyword '{typed}'."));
        Assert.That(() => builder[typed] = null, Throws.ArgumentException);
        Assert.That(Given.ErrorOf($"{typed}=1"), Is.EqualTo($"The connection string has the unknown keyword '{typed}' at character 1."));
    }
}
