using System.Reflection;

namespace Loxo.Conformance.Rules;

/// <summary>The list of departures names tests that exist, once each.</summary>
public sealed class DepartureTests
{
    [Test]
    public void Every_departure_is_from_a_rule()
    {
        var rules = typeof(RuleTest).Assembly.GetTypes().SelectMany(type => type.GetMethods())
            .Where(method => method.GetCustomAttribute<RuleAttribute>() is not null).Select(method => method.Name).ToHashSet();
        var named = Departures.Listed.SelectMany(one => one.Tests).Select(test => test.Split('(', ':')[0]);

        Assert.That(named.Except(rules), Is.Empty);
    }

    [Test]
    public void A_departure_is_listed_once()
    {
        var tests = Departures.Listed.SelectMany(one => one.Tests, (one, test) => $"{one.Driver}: {test}");

        Assert.That(tests, Is.Unique);
    }

    [Test]
    public void Loxo_keeps_every_rule() => Assert.That(Departures.Listed.Where(one => one.Driver == Driver.Loxo), Is.Empty);
}
