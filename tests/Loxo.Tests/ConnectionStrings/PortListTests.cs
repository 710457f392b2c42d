namespace Loxo.Tests.ConnectionStrings;

/// <summary>A list of ports, one for each host (the manual, 32.1.2, "port").</summary>
public class PortListTests
{
    [TestCase("Host=a;Port=5433", "a:5433")]
    [TestCase("Host='a,b';Port=5433", "a:5433 b:5433")]
    [TestCase("Host='a,b';Port='5433,5434'", "a:5433 b:5434")]
    [TestCase("Host='a, b';Port=' 5433 , 5434 '", "a:5433 b:5434")]
    [TestCase("Host='a,b,c';Port='5433,,5434'", "a:5433 b:5432 c:5434", Description = "An empty place is the default.")]
    [TestCase("Host='a:6000,b';Port='5433,5434'", "a:6000 b:5434", Description = "A host's own port counts.")]
    [TestCase("Host='a,b';Host Address='10.0.0.1,10.0.0.2';Port='5433,5434'", "a:5433 b:5434")]
    [TestCase("Host Address='10.0.0.1,10.0.0.2';Port='5433,5434'", "10.0.0.1:5433 10.0.0.2:5434")]
    [TestCase("postgres://a,b/d?port=5433,5434", "a:5433 b:5434")]
    [TestCase("postgres://a:6000,b/d?port=5433,5434", "a:6000 b:5434")]
    [TestCase("postgres:///d?host=a,b&port=5433,5434", "a:5433 b:5434")]
    public void Each_host_has_its_port(string text, string hosts) => Assert.That(HostsOf(text), Is.EqualTo(hosts));

    [TestCase("Host='a,b'", "5433,5434", "a:5433 b:5434")]
    [TestCase("Host='a,b';Port=5435", "5433,5434", "a:5435 b:5435", Description = "The keyword hides the variable.")]
    public void The_variable_takes_a_list_too(string text, string variable, string hosts) =>
        Assert.That(HostsOf(text, new() { ["PGPORT"] = variable }), Is.EqualTo(hosts));

    [TestCase("Host=a;Port='5433,5434'", "'Port' has 2 ports for 1 host. Give one for all, or one for each, in the same order.")]
    [TestCase("Host='a,b,c';Port='5433,5434'", "'Port' has 2 ports for 3 hosts. Give one for all, or one for each, in the same order.")]
    [TestCase("Port='5433,5434'", "'Port' has 2 ports for 1 host.")]
    [TestCase("Host='a,b';Port='5433,x'", "Couldn't set 'Port' to '5433,x': expected a port from 1 to 65535 for each host, or one for all.")]
    [TestCase("Host='a,b';Port='5433,0'", "expected a port from 1 to 65535 for each host")]
    public void A_list_that_does_not_fit_is_refused(string text, string message) =>
        Assert.That(() => HostsOf(text), Throws.ArgumentException.With.Message.Contains(message));

    [Test]
    public void The_builder_shows_the_first_and_keeps_the_list()
    {
        var builder = new PgConnectionStringBuilder("Host='a,b';Port='5433, 5434'");

        Assert.That((builder.Port, builder["Port"]), Is.EqualTo((5433, (object)"5433,5434")));
        Assert.That(HostsOf(builder.ConnectionString), Is.EqualTo("a:5433 b:5434"));

        builder.Port = 7;
        Assert.That((builder.Port, builder["Port"], HostsOf(builder.ConnectionString)), Is.EqualTo((7, (object)7, "a:7 b:7")));
    }

    private static string HostsOf(string text, Dictionary<string, string>? variables = null) => string.Join(' ',
        Given.Settings(text, variables is null ? null : Given.Environment(variables)).Hosts.Select(host => $"{host.Transport.Host.Host}:{host.Transport.Host.Port}"));
}
