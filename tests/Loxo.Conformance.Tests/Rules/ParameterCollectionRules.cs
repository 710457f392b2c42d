using System.Collections;
using System.Data.Common;

namespace Loxo.Conformance.Rules;

[TestFixtureSource(typeof(Drivers), nameof(Drivers.All))]
public sealed class ParameterCollectionRules(Driver driver, WaitMode mode) : RuleTest(driver, mode)
{
    private DbParameterCollection _parameters = null!;

    [SetUp]
    public void Create()
    {
        _parameters = Command("SELECT 1").Parameters;
        foreach (var name in new[] { "a", "b", "c" })
            _parameters.Add(Parameter(name, name));
    }

    [Rule(typeof(DbParameterCollection), nameof(DbParameterCollection.Add))]
    public void Add_returns_the_position()
    {
        Assert.That(_parameters.Add(Parameter("d", 1)), Is.EqualTo(3));
        Assert.That((_parameters.Count, _parameters["d"].Value), Is.EqualTo((4, (object)1)));
    }

    [Rule(typeof(DbParameterCollection), nameof(DbParameterCollection.Add))]
    public void What_is_no_parameter_of_the_provider_is_refused()
    {
        Refused<InvalidCastException>(() => _parameters.Add("text"));
        Refused<InvalidCastException>(() => _parameters.Insert(0, "text"));
        Refused<InvalidCastException>(() => _parameters.AddRange(new object[] { "text" }));
        Refused(() => _parameters.Add(null!));
        Assert.That(Names(), Is.EqualTo("abc"));
    }

    [Rule(typeof(DbParameterCollection), nameof(DbParameterCollection.AddRange))]
    public void AddRange_adds_all_in_order()
    {
        _parameters.AddRange(new[] { Parameter("d", 1), Parameter("e", 2) });

        Assert.That(Names(), Is.EqualTo("abcde"));
        Refused<ArgumentNullException>(() => _parameters.AddRange(null!));
    }

    [Rule(typeof(DbParameterCollection), nameof(DbParameterCollection.Contains))]
    public void Contains_and_IndexOf_find_by_name_and_by_object()
    {
        Assert.That((_parameters.Contains("b"), _parameters.Contains(_parameters[1])), Is.EqualTo((true, true)));
        Assert.That((_parameters.Contains("x"), _parameters.Contains(Parameter("b", 1))), Is.EqualTo((false, false)));
        Assert.That((_parameters.IndexOf("c"), _parameters.IndexOf(_parameters[2])), Is.EqualTo((2, 2)));
        Assert.That((_parameters.IndexOf("x"), _parameters.IndexOf(Parameter("c", 1))), Is.EqualTo((-1, -1)));
    }

    [Rule(typeof(IList), nameof(IList.Contains))]
    public void What_cannot_be_in_the_collection_is_not_in_it()
    {
        Assert.That((_parameters.Contains((object)5), _parameters.IndexOf((object)5)), Is.EqualTo((false, -1)));
        Assert.That((_parameters.Contains(default(object)!), _parameters.IndexOf(default(object)!)), Is.EqualTo((false, -1)));
    }

    [Rule(typeof(DbParameterCollection), nameof(DbParameterCollection.Insert))]
    public void Insert_puts_a_parameter_in_its_place()
    {
        _parameters.Insert(1, Parameter("x", 1));

        Assert.That(Names(), Is.EqualTo("axbc"));
    }

    [TestCase(-1)]
    [TestCase(4)]
    [Rule(typeof(IList), nameof(IList.Insert))]
    public void Insert_refuses_a_position_that_does_not_exist(int position)
    {
        Refused<ArgumentOutOfRangeException>(() => _parameters.Insert(position, Parameter("x", 1)));
        Assert.That(Names(), Is.EqualTo("abc"));
    }

    [TestCase(-1)]
    [TestCase(3)]
    [Rule(typeof(IList), nameof(IList.RemoveAt))]
    public void RemoveAt_refuses_a_position_that_does_not_exist(int position)
    {
        Refused<ArgumentOutOfRangeException>(() => _parameters.RemoveAt(position));
        Assert.That(Names(), Is.EqualTo("abc"));
    }

    [Rule(typeof(DbParameterCollection), nameof(DbParameterCollection.Remove))]
    public void Removing_frees_a_parameter()
    {
        var (a, b, c) = (_parameters[0], _parameters[1], _parameters[2]);
        _parameters.Remove(a);
        Assert.That(Names(), Is.EqualTo("bc"));
        _parameters.RemoveAt(0);
        Assert.That(Names(), Is.EqualTo("c"));
        _parameters.RemoveAt("c");
        Assert.That(_parameters.Count, Is.Zero);
        _parameters.AddRange(new[] { c, b, a });
        Assert.That(Names(), Is.EqualTo("cba"));
        _parameters.Clear();
        Assert.That(_parameters.Count, Is.Zero);
        Assert.That(() => Command("SELECT 1").Parameters.Add(a), Throws.Nothing);
    }

    [TestCase(-1)]
    [TestCase(3)]
    [TestCase(int.MaxValue)]
    [Rule(typeof(DbParameterCollection), "item")]
    public void A_position_that_does_not_exist_is_out_of_range(int position)
    {
        Refused<IndexOutOfRangeException>(() => _ = _parameters[position]);
        Refused<IndexOutOfRangeException>(() => _parameters[position] = Parameter("x", 1));
        Assert.That(Names(), Is.EqualTo("abc"));
    }

    [TestCase("x")]
    [TestCase("")]
    [Rule(typeof(DbParameterCollection), "item")]
    public void The_name_of_no_parameter_is_out_of_range(string name)
    {
        Refused<IndexOutOfRangeException>(() => _ = _parameters[name]);
        Refused<IndexOutOfRangeException>(() => _parameters[name] = Parameter("x", 1));
        Assert.That(Names(), Is.EqualTo("abc"));
    }

    [Rule(typeof(DbParameterCollection), "item")]
    public void A_parameter_is_replaced_by_position_and_by_name()
    {
        _parameters[0] = Parameter("x", 1);
        _parameters["b"] = Parameter("y", 2);

        Assert.That(Names(), Is.EqualTo("xyc"));
        Refused<InvalidCastException>(() => ((IList)_parameters)[0] = "text");
        Assert.That(Names(), Is.EqualTo("xyc"));
    }

    [Rule(typeof(DbParameterCollection), nameof(DbParameterCollection.CopyTo))]
    public void Parameters_are_copied_and_enumerated_in_order()
    {
        var copy = new DbParameter[4];
        _parameters.CopyTo(copy, 1);

        Assert.That(copy[0], Is.Null);
        Assert.That(copy[1..], Is.EqualTo(_parameters.Cast<DbParameter>()));
        Refused<ArgumentNullException>(() => _parameters.CopyTo(null!, 0));
        Refused<ArgumentException>(() => _parameters.CopyTo(copy, 2));
        Refused<ArgumentOutOfRangeException>(() => _parameters.CopyTo(copy, -1));
    }

    [Rule(typeof(DbParameterCollection), nameof(DbParameterCollection.SyncRoot))]
    public void A_collection_can_be_changed_and_is_for_one_thread()
    {
        Assert.That((_parameters.IsFixedSize, _parameters.IsReadOnly, _parameters.IsSynchronized), Is.EqualTo((false, false, false)));
        Assert.That(_parameters.SyncRoot, Is.Not.Null.And.SameAs(_parameters.SyncRoot));
    }

    private string Names() => string.Concat(_parameters.Cast<DbParameter>().Select(parameter => parameter.ParameterName));
}
