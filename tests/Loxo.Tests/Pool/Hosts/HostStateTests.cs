using Loxo.Session;
using Loxo.Tests.Wire;
using Loxo.Transport;

namespace Loxo.Tests.Pool.Hosts;

/// <summary>News of a host: whatever the order in which it arrives, that of the later question counts.</summary>
public class HostStateTests
{
    private readonly SimulatedTime _time = new();
    private HostState _state = null!;

    [SetUp]
    public void SetUp() => _state = new HostState(new HostAddress("h", 5432), _time);

    [Test]
    public void An_answer_that_comes_late_does_not_replace_a_later_one()
    {
        var first = _state.Ask();
        var second = _state.Ask();
        _state.Learn(PgHostRole.ReadWritePrimary, second);
        _state.Learn(PgHostRole.Standby, first);

        Assert.That((_state.News.Role, _state.News.Learnt), Is.EqualTo((PgHostRole.ReadWritePrimary, second)));
    }

    [Test]
    public void A_failure_that_comes_late_does_not_replace_an_answer()
    {
        var slow = _state.Ask();
        var quick = _state.Ask();
        _state.Learn(PgHostRole.Standby, quick);
        _state.Failed(slow, new TimeoutException());
        Assert.That(_state.News.HasFailed, Is.False);

        _state.Failed(_state.Ask(), new TimeoutException());
        Assert.That(_state.News.HasFailed, Is.True);
        _state.Learn(PgHostRole.Standby, _state.Ask());
        Assert.That(_state.News.HasFailed, Is.False);
    }

    [Test]
    public void An_attempt_that_seemed_to_fail_and_succeeds_has_not_failed()
    {
        var began = _state.Ask();
        var login = _state.Ask();
        _state.Failed(began, new TimeoutException());
        _state.LoggedIn(new ReportedParameters(), login);

        Assert.That((_state.News.HasFailed, _state.News.Role), Is.EqualTo((false, PgHostRole.Unknown)));
    }

    [Test]
    public void A_doubt_lasts_until_a_question_behind_it_is_answered()
    {
        var before = _state.Ask();
        _state.Doubt();
        _state.Learn(PgHostRole.Standby, before);
        Assert.That(_state.News.IsDoubted, Is.True);
        _state.Learn(PgHostRole.Standby, _state.Ask());
        Assert.That(_state.News.IsDoubted, Is.False);
    }

    [TestCase("in_hot_standby"), TestCase("default_transaction_read_only")]
    public void A_parameter_reported_in_the_middle_of_a_session_is_no_more_than_a_doubt(string parameter)
    {
        _state.Learn(PgHostRole.ReadWritePrimary, _state.Ask());
        _state.Reported("TimeZone");
        Assert.That(_state.News.IsDoubted, Is.False);
        _state.Reported(parameter);

        Assert.That((_state.News.IsDoubted, _state.News.Role), Is.EqualTo((true, PgHostRole.ReadWritePrimary)));
    }

    [Test]
    public void Only_a_refused_write_brings_a_host_into_doubt()
    {
        _state.Refused("23505");
        Assert.That(_state.News.IsDoubted, Is.False);
        _state.Refused("25006");
        Assert.That(_state.News.IsDoubted, Is.True);
    }

    [TestCase("off", "off", PgHostRole.ReadWritePrimary), TestCase("off", "on", PgHostRole.ReadOnlyPrimary)]
    [TestCase("on", "off", PgHostRole.Standby), TestCase("on", "on", PgHostRole.Standby), TestCase("on", null, PgHostRole.Unknown)]
    public void A_login_tells_the_role_if_the_server_reports_both_parameters(string standby, string? readOnly, PgHostRole role)
    {
        var parameters = new ReportedParameters();
        parameters.Set("in_hot_standby", standby);
        if (readOnly is not null)
            parameters.Set("default_transaction_read_only", readOnly);
        _state.LoggedIn(parameters, _state.Ask());

        Assert.That(_state.News.Role, Is.EqualTo(role));
    }

    [Test]
    public void What_was_asked_before_everything_was_forgotten_does_not_count()
    {
        var before = _state.Ask();
        _state.Learn(PgHostRole.Standby, _state.Ask());
        _state.Forget();
        _state.Learn(PgHostRole.Standby, before);
        _state.Failed(before, new TimeoutException());

        Assert.That((_state.News.Role, _state.News.HasFailed), Is.EqualTo((PgHostRole.Unknown, false)));
    }
}
