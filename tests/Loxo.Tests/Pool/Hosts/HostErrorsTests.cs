using Loxo.Pool.Hosts;
using Loxo.Session;
using Loxo.Tests.Wire;
using Loxo.Transport;

namespace Loxo.Tests.Pool.Hosts;

/// <summary>The code and the text of the error of a search in which no host serves.</summary>
public class HostErrorsTests
{
    private readonly SimulatedTime _time = new();
    private readonly HostState[] _states;

    public HostErrorsTests() => _states = [.. Enumerable.Range(1, 3).Select(port => new HostState(new HostAddress("h", port), _time))];

    // Hosts as places: those that could not be reached (r: refused, t: took too long).
    [TestCase("rrr", PgErrorCode.ConnectionRefused)]
    [TestCase("ttt", PgErrorCode.Timeout)]
    [TestCase("rtr", PgErrorCode.NoSuitableHost)]
    [TestCase("r--", PgErrorCode.NoSuitableHost)]
    [TestCase("-tt", PgErrorCode.NoSuitableHost)]
    [TestCase("---", PgErrorCode.NoSuitableHost)]
    public void The_code_is_that_of_the_hosts_if_all_were_tried_and_say_the_same(string hosts, PgErrorCode code)
    {
        var error = NotFound(hosts);

        Assert.That((error.Code, error.IsTransient), Is.EqualTo((code, true)));
    }

    [Test]
    public void Standbys_that_are_behind_are_behind_even_if_the_last_question_took_too_long()
    {
        var question = _states[2].Ask();
        _states[2].Learn(PgHostRole.Standby, question);
        _states[2].LearnLog(new PgLogSequenceNumber(0x10), question);
        _time.Advance(TimeSpan.FromSeconds(3));

        var error = NotFound("ttt", new LogNeed(new PgLogSequenceNumber(0x20), _time.GetTimestamp()));

        Assert.That(error.Code, Is.EqualTo(PgErrorCode.NoSuitableHost));
        Assert.That(error.Message, Does.Contain("up to 0/20. h:1: slow; ")
            .And.EndWith("h:3: slow; it said 3.0 s ago that it is a standby that has replayed up to 0/10."));
    }

    private PgException NotFound(string hosts, LogNeed? need = null)
    {
        using var group = GivenHosts.Group(_states, _time, TimeSpan.FromSeconds(10));
        var errors = group.Hosts.Where(host => hosts[host.Index] != '-').ToDictionary(host => host, Exception (host) => hosts[host.Index] == 'r'
            ? new PgException("refused", PgErrorCode.ConnectionRefused)
            : new PgException("slow.", PgErrorCode.Timeout));
        return (PgException)HostErrors.NotFound(group, TargetSessionAttributes.Standby, errors, need);
    }
}
