using System.Data.Common;

namespace Loxo.Conformance.Rules;

[TestFixtureSource(typeof(Drivers), nameof(Drivers.All))]
public sealed class ConnectionStringRules(Driver driver, WaitMode mode) : RuleTest(driver, mode)
{
    private DbConnectionStringBuilder _builder = null!;

    // A keyword that takes text, in the provider's spelling and in another.
    private (string Exact, string Loose) Keyword => Driver == Driver.Sqlite ? ("Data Source", "data source") : ("Host", "host");

    [SetUp]
    public void Create() => _builder = Factory.CreateConnectionStringBuilder()!;

    [Rule(typeof(DbConnectionStringBuilder), nameof(DbConnectionStringBuilder.ConnectionString))]
    public void A_new_builder_is_empty()
    {
        Assert.That(_builder.ConnectionString, Is.Empty);
        _builder.ConnectionString = Driver.ConnectionString();
        Assert.That(_builder.ConnectionString, Is.Not.Empty);
        _builder.Clear();
        Assert.That(_builder.ConnectionString, Is.Empty);
        _builder.ConnectionString = Driver.ConnectionString();
        _builder.ConnectionString = null;
        Assert.That(_builder.ConnectionString, Is.Empty);
    }

    [TestCase("plain")]
    [TestCase("with;semicolon")]
    [TestCase("with=equals")]
    [TestCase("with 'single' quotes")]
    [TestCase("with \"double\" quotes")]
    [TestCase("'both' \"kinds\"")]
    [TestCase(" spaces ")]
    [Rule(typeof(DbConnectionStringBuilder), "item")]
    public void A_value_survives_its_way_through_the_string(string value)
    {
        _builder["Password"] = value;
        var another = Factory.CreateConnectionStringBuilder()!;
        another.ConnectionString = _builder.ConnectionString;

        Assert.That((_builder["Password"], another["Password"]), Is.EqualTo(((object)value, (object)value)));
        Assert.That(another.EquivalentTo(_builder), Is.True);
    }

    [Rule(typeof(DbConnectionStringBuilder), "item")]
    public void Keywords_are_found_in_any_case()
    {
        _builder[Keyword.Loose] = "value";

        Assert.That(_builder[Keyword.Exact], Is.EqualTo("value"));
        Assert.That((_builder.ContainsKey(Keyword.Loose), _builder.ShouldSerialize(Keyword.Loose)), Is.EqualTo((true, true)));
        Assert.That((_builder.TryGetValue(Keyword.Loose, out var found), found), Is.EqualTo((true, (object)"value")));
    }

    [Rule(typeof(DbConnectionStringBuilder), "item")]
    public void An_unknown_keyword_is_a_wrong_argument()
    {
        Refused<ArgumentException>(() => _ = _builder["no such keyword"]);
        Refused<ArgumentException>(() => _builder["no such keyword"] = "value");
        Assert.That((_builder.ContainsKey("no such keyword"), _builder.TryGetValue("no such keyword", out _)), Is.EqualTo((false, false)));
        Assert.That((_builder.Remove("no such keyword"), _builder.ShouldSerialize("no such keyword")), Is.EqualTo((false, false)));
        Assert.That(_builder.ConnectionString, Is.Empty);
    }

    [Rule(typeof(DbConnectionStringBuilder), "item")]
    public void No_keyword_is_a_null_argument()
    {
        Refused<ArgumentNullException>(() => _ = _builder[null!]);
        Refused<ArgumentNullException>(() => _builder[null!] = "value");
        Refused<ArgumentNullException>(() => _builder.ContainsKey(null!));
        Refused<ArgumentNullException>(() => _builder.TryGetValue(null!, out _));
        Refused<ArgumentNullException>(() => _builder.Remove(null!));
        Refused<ArgumentNullException>(() => _builder.Add(null!, "value"));
        Refused<ArgumentNullException>(() => _builder.ShouldSerialize(null!));
        Refused<ArgumentNullException>(() => _builder.EquivalentTo(null!));
    }

    [Rule(typeof(DbConnectionStringBuilder), "item")]
    public void A_keyword_that_is_set_to_null_is_not_set()
    {
        var original = _builder[Keyword.Exact];
        _builder[Keyword.Exact] = "value";
        _builder[Keyword.Exact] = null;

        Assert.That((_builder[Keyword.Exact], _builder.ConnectionString), Is.EqualTo((original, "")));
    }

    [Rule(typeof(DbConnectionStringBuilder), "item")]
    public void A_keyword_that_is_not_set_is_empty() => Assert.That(_builder[Keyword.Exact], Is.EqualTo(""));

    [Rule(typeof(DbConnectionStringBuilder), nameof(DbConnectionStringBuilder.Remove))]
    public void What_is_removed_is_not_set()
    {
        _builder[Keyword.Exact] = "value";

        Assert.That((_builder.Remove(Keyword.Loose), _builder.ConnectionString), Is.EqualTo((true, "")));
        Assert.That(_builder.Remove(Keyword.Loose), Is.False);
        Assert.That(_builder.ShouldSerialize(Keyword.Exact), Is.False);
    }

    [TestCase("nonsense")]
    [TestCase("=1")]
    [TestCase("no such keyword=1")]
    [Rule(typeof(DbConnectionStringBuilder), nameof(DbConnectionStringBuilder.ConnectionString))]
    public void A_malformed_string_is_a_wrong_argument_for_a_builder(string text)
    {
        _builder[Keyword.Exact] = "value";

        Refused<ArgumentException>(() => _builder.ConnectionString = text);
    }

    [Rule(typeof(DbConnectionStringBuilder), nameof(DbConnectionStringBuilder.Keys))]
    public void Keys_and_values_go_together()
    {
        _builder[Keyword.Exact] = "value";

        Assert.That(_builder.Keys!.Count, Is.EqualTo(_builder.Values!.Count).And.EqualTo(_builder.Count));
        Assert.That(_builder.Keys.Cast<string>(), Does.Contain(Keyword.Exact));
        Assert.That(_builder.IsReadOnly, Is.False);
    }
}
