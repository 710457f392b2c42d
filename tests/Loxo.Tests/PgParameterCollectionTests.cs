using System.Data;
using System.Data.Common;
using System.Runtime.CompilerServices;

namespace Loxo.Tests;

/// <summary>The parameter collection by itself; no server is asked.</summary>
public class PgParameterCollectionTests
{
    private readonly PgParameterCollection _parameters = new PgCommand().Parameters;

    [SetUp]
    public void Empty() => _parameters.Clear();

    [Test]
    public void Every_way_of_adding_adds()
    {
        _parameters.Add(new PgParameter("a", 1));
        _parameters.Add("b", PgDbType.Integer);
        _parameters.Add("c", PgDbType.Varchar, 10);
        _parameters.Add("d", PgDbType.Varchar, 10, "column");
        _parameters.AddWithValue("e", 5);
        _parameters.AddWithValue("f", PgDbType.Bigint, 6);
        Assert.That(_parameters.Add((object)new PgParameter("g", 7)), Is.EqualTo(6));
        _parameters.AddRange(new[] { new PgParameter("h", 8), new PgParameter("i", 9) });
        _parameters.Insert(0, new PgParameter("z", 100));

        Assert.That(_parameters.Select(parameter => parameter.ParameterName), Is.EqualTo(new[] { "z", "a", "b", "c", "d", "e", "f", "g", "h", "i" }));
        Assert.That(_parameters["d"].SourceColumn, Is.EqualTo("column"));
        Assert.That(_parameters["f"].PgDbType, Is.EqualTo(PgDbType.Bigint));
    }

    [Test]
    public void Only_parameters_of_ours_are_added()
    {
        Assert.Throws<InvalidCastException>(() => _parameters.Add((object)"x"));
        Assert.Throws<InvalidCastException>(() => _parameters.Insert(0, new object()));
        Assert.Throws<ArgumentNullException>(() => _parameters.Add((PgParameter)null!));
        Assert.That(_parameters, Is.Empty);
    }

    [Test]
    public void Names_are_found_with_or_without_sign_and_in_any_case([Values(3, 30)] int count)
    {
        for (var i = 0; i < count; i++)
            _parameters.AddWithValue("@Name" + i, i);

        Assert.That(_parameters.IndexOf("name2"), Is.EqualTo(2));
        Assert.That(_parameters.IndexOf("@NAME2"), Is.EqualTo(2));
        Assert.That(_parameters.IndexOf(":Name2"), Is.EqualTo(2));
        Assert.That(_parameters.Contains("name" + count), Is.False);
        Assert.That(_parameters.TryGetValue("NAME1", out var found), Is.True);
        Assert.That(found!.Value, Is.EqualTo(1));
        Assert.That(_parameters.TryGetValue("nobody", out _), Is.False);
        Assert.Throws<IndexOutOfRangeException>(() => _ = _parameters["nobody"]);
        _parameters[1].ParameterName = "renamed";
        Assert.That(_parameters.IndexOf("Name1"), Is.EqualTo(-1));
        Assert.That(_parameters.IndexOf("Renamed"), Is.EqualTo(1));
    }

    [Test]
    public void The_first_of_two_with_the_same_name_is_found()
    {
        _parameters.AddWithValue("a", 1);
        _parameters.AddWithValue("A", 2);

        Assert.That(_parameters["a"].Value, Is.EqualTo(1));
        Assert.That(_parameters["A"].Value, Is.EqualTo(1));
    }

    [Test]
    public void Removing_gives_the_parameter_free()
    {
        var a = _parameters.AddWithValue("a", 1);
        var b = _parameters.AddWithValue("b", 2);
        var c = _parameters.AddWithValue("c", 3);
        Assert.That(a.Collection, Is.SameAs(_parameters));

        Assert.That(_parameters.Remove(a), Is.True);
        _parameters.RemoveAt("B");
        _parameters.RemoveAt(0);

        Assert.That(_parameters, Is.Empty);
        Assert.That(_parameters.Remove(a), Is.False);
        Assert.That(new[] { a, b, c }.Select(parameter => parameter.Collection), Is.All.Null);
        new PgCommand().Parameters.Add(a);
    }

    [Test]
    public void Clearing_gives_all_free()
    {
        var a = _parameters.AddWithValue("a", 1);

        _parameters.Clear();

        Assert.That(a.Collection, Is.Null);
        _parameters.Add(a);
    }

    [Test]
    public void A_parameter_belongs_to_one_collection_once()
    {
        var a = _parameters.AddWithValue("a", 1);

        Assert.Throws<InvalidOperationException>(() => new PgCommand().Parameters.Add(a));
        Assert.Throws<InvalidOperationException>(() => _parameters.Add(a));
        Assert.That(_parameters, Has.Count.EqualTo(1));
    }

    [Test]
    public void The_indexer_replaces()
    {
        var a = _parameters.AddWithValue("a", 1);
        var other = new PgParameter("other", 2);

        _parameters["a"] = other;

        Assert.That(a.Collection, Is.Null);
        Assert.That(other.Collection, Is.SameAs(_parameters));
        Assert.That(_parameters.IndexOf("other"), Is.Zero);
        _parameters[0] = other;
        Assert.That(other.Collection, Is.SameAs(_parameters));
    }

    [Test]
    public void The_base_class_sees_the_same()
    {
        DbParameterCollection parameters = _parameters;
        parameters.Add(new PgParameter("a", 1));

        Assert.That(parameters["a"].Value, Is.EqualTo(1));
        Assert.That(parameters[0].ParameterName, Is.EqualTo("a"));
        parameters["a"] = new PgParameter("b", 2);
        Assert.That(parameters.Contains("b"), Is.True);
        var copy = new PgParameter[1];
        parameters.CopyTo(copy, 0);
        Assert.That(copy[0].ParameterName, Is.EqualTo("b"));
        Assert.That(_parameters.ToArray(), Is.EqualTo(copy));
    }

    [Test]
    public void A_parameter_tells_its_type_and_direction()
    {
        var parameter = new PgParameter("@a", 5);

        Assert.That(parameter.ParameterName, Is.EqualTo("@a"));
        Assert.That(parameter.Direction, Is.EqualTo(ParameterDirection.Input));
        Assert.That(parameter.DbType, Is.EqualTo(DbType.Int32));
        Assert.That(parameter.PgDbType, Is.EqualTo(PgDbType.Integer));
        Assert.That(parameter.DataTypeName, Is.EqualTo("integer"));
        Assert.That(new PgParameter("b", DBNull.Value).DbType, Is.EqualTo(DbType.Object));
        Assert.That(new PgParameter { DbType = DbType.AnsiString }.DbType, Is.EqualTo(DbType.AnsiString));
        var clone = parameter.Clone();
        clone.Value = 6;
        Assert.That(parameter.Value, Is.EqualTo(5));
    }

    [Test]
    public void A_parameter_that_could_not_be_inserted_is_free()
    {
        var a = new PgParameter("a", 1);

        Assert.Throws<ArgumentOutOfRangeException>(() => _parameters.Insert(1, a));
        Assert.Throws<ArgumentOutOfRangeException>(() => _parameters.Insert(-1, a));
        Assert.Throws<IndexOutOfRangeException>(() => _parameters[0] = a);

        Assert.That((a.Collection, _parameters.Count), Is.EqualTo(((PgParameterCollection?)null, 0)));
        _parameters.Insert(0, a);
        Assert.That(_parameters.IndexOf(a), Is.Zero);
    }

    [Test]
    public void Parameters_all_have_names_or_none_has()
    {
        Assert.That(_parameters.ArePositional(), Is.False, "there are none");
        _parameters.AddWithValue(1);
        _parameters.AddWithValue(PgDbType.Bigint, 2);
        Assert.That(_parameters.ArePositional(), Is.True);
        _parameters.AddWithValue("a", 3);
        Assert.Throws<ArgumentException>(() => _parameters.ArePositional());
        _parameters.RemoveAt(0);
        _parameters.RemoveAt(0);
        Assert.That(_parameters.ArePositional(), Is.False);
    }

    [TestCase(ParameterDirection.Input, false)]
    [TestCase(ParameterDirection.Output, true)]
    [TestCase(ParameterDirection.InputOutput, true)]
    public void Output_parameters_are_noticed(ParameterDirection direction, bool isOutput)
    {
        _parameters.AddWithValue("a", 1);
        _parameters.Add(new PgParameter("b", 2) { Direction = direction });
        Assert.That(_parameters.HasOutputs(), Is.EqualTo(isOutput));
    }

    [Test]
    public void The_version_changes_with_the_names_and_not_with_the_values()
    {
        AssertChange(true, () => _parameters.AddWithValue("a", 1));
        AssertChange(false, () => _parameters[0].Value = 2);
        AssertChange(true, () => _parameters[0].ParameterName = "b");
        AssertChange(true, () => _parameters[0] = new PgParameter("c", 3));
        AssertChange(true, () => _parameters.Insert(0, new PgParameter("d", 4)));
        AssertChange(false, () => _parameters.IndexOf("d"));
        AssertChange(true, () => _parameters.RemoveAt(0));
        AssertChange(true, _parameters.Clear);
    }

    [Test]
    public void It_keeps_its_parameters_as_a_list_does([Range(1, 20)] int seed)
    {
        var (random, list) = (new Random(seed), new List<PgParameter>());
        for (var i = 0; i < 300; i++)
        {
            var (added, index) = (new PgParameter("p" + i, i), random.Next(list.Count + 1));
            switch (random.Next(list.Count == 0 ? 2 : 6))
            {
                case 0:
                    _parameters.Add(added);
                    list.Add(added);
                    break;
                case 1:
                    _parameters.Insert(index, added);
                    list.Insert(index, added);
                    break;
                case 2:
                    _parameters[index % list.Count] = added;
                    list[index % list.Count] = added;
                    break;
                case 3:
                    var removed = list[index % list.Count];
                    Assert.That(_parameters.Remove(removed), Is.True);
                    list.Remove(removed);
                    Assert.That((removed.Collection, _parameters.Remove(removed)), Is.EqualTo(((PgParameterCollection?)null, false)));
                    break;
                case 4:
                    _parameters.RemoveAt(index % list.Count);
                    list.RemoveAt(index % list.Count);
                    break;
                case var _ when random.Next(10) == 0:
                    _parameters.Clear();
                    list.Clear();
                    break;
            }
            Assert.That(_parameters, Is.EqualTo(list).And.Count.EqualTo(list.Count));
            Assert.That(_parameters.ToArray(), Is.EqualTo(list));
            Assert.That(list.Select(_parameters.IndexOf), Is.EqualTo(Enumerable.Range(0, list.Count)));
        }
    }

    [Test]
    public void Positions_that_do_not_exist_are_refused([Values(0, 1, 2, 3)] int count)
    {
        for (var i = 0; i < count; i++)
            _parameters.AddWithValue(i);
        foreach (var index in new[] { -1, count, int.MaxValue })
        {
            Assert.Throws<IndexOutOfRangeException>(() => _ = _parameters[index]);
            Assert.Throws<IndexOutOfRangeException>(() => _parameters[index] = new PgParameter());
            Assert.Throws<ArgumentOutOfRangeException>(() => _parameters.RemoveAt(index));
            if (index != count)
                Assert.Throws<ArgumentOutOfRangeException>(() => _parameters.Insert(index, new PgParameter()));
        }
        Assert.That(_parameters, Has.Count.EqualTo(count));
    }

    [Test]
    public void No_parameter_comes_or_goes_while_they_are_enumerated()
    {
        _parameters.AddWithValue("a", 1);
        Assert.Throws<InvalidOperationException>(() =>
        {
            foreach (PgParameter _ in _parameters)
                _parameters.AddWithValue("b", 2);
        });
        foreach (PgParameter parameter in _parameters)
            parameter.ParameterName += "x";
        Assert.That(_parameters.Select(static parameter => parameter.ParameterName), Is.EqualTo(new[] { "ax", "bx" }));
    }

    [Test]
    public void Another_command_may_take_the_parameters_of_a_disposed_one()
    {
        var (first, second) = (new PgParameter("a", 1), new PgParameter("b", 2));
        var command = new PgCommand { Parameters = { first } };
        var batch = new PgBatch { BatchCommands = { new PgBatchCommand("SELECT @b") { Parameters = { second } } } };
        using var other = new PgCommand();
        Assert.That(() => other.Parameters.Add(first), Throws.InvalidOperationException);
        Assert.That(() => other.Parameters.Add(second), Throws.InvalidOperationException);

        command.Dispose();
        batch.Dispose();

        Assert.That(command.Parameters["a"].Value, Is.EqualTo(1));
        other.Parameters.Add(first);
        other.Parameters.Add(second);
        Assert.That((first.Collection, second.Collection), Is.EqualTo((other.Parameters, other.Parameters)));
        Assert.That(command.Parameters, Is.Empty);
    }

    private void AssertChange(bool changes, Action action, [CallerArgumentExpression(nameof(action))] string? text = null)
    {
        var version = _parameters.Version;
        action();
        Assert.That(_parameters.Version != version, Is.EqualTo(changes), text);
    }
}
