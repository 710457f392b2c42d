using System.Data.Common;

namespace Loxo.Tests;

public sealed class PgBatchCommandCollectionTests
{
    private readonly PgBatchCommand _a = new("a");
    private readonly PgBatchCommand _b = new("b");
    private readonly PgBatchCommand _c = new("c");
    private PgBatchCommandCollection _commands = null!;

    private DbBatchCommandCollection Base => _commands;

    [SetUp]
    public void NewBatch() => _commands = new PgBatch().BatchCommands;

    [Test]
    public void Commands_stay_in_the_order_they_were_put_in()
    {
        _commands.Add(_b);
        Base.Add(_c);
        _commands.Insert(0, _a);
        Assert.That(_commands.ToArray<PgBatchCommand>(), Is.EqualTo(new[] { _a, _b, _c }));
        Assert.That((_commands.IndexOf(_b), Base.IndexOf(_c), _commands.Count), Is.EqualTo((1, 2, 3)));
        Assert.That(Base.ToArray(), Is.EqualTo(new[] { _a, _b, _c }));
        var copy = new DbBatchCommand[4];
        Base.CopyTo(copy, 1);
        Assert.That(copy, Is.EqualTo(new[] { null, _a, _b, _c }));
    }

    [Test]
    public void Commands_are_replaced_and_removed()
    {
        _commands.Add(_a);
        _commands.Add(_b);
        Base[0] = _c;
        Assert.That((_commands.Contains(_a), Base.Contains(_c), _commands[0]), Is.EqualTo((false, true, _c)));
        Assert.That((_commands.Remove(_a), Base.Remove(_c), _commands.Count), Is.EqualTo((false, true, 1)));
        _commands.RemoveAt(0);
        Assert.That(_commands, Is.Empty);
        _commands.Add(_a);
        _commands.Clear();
        Assert.That((_commands.Count, _commands.IsReadOnly), Is.EqualTo((0, false)));
    }

    [Test]
    public void Only_commands_of_ours_are_taken()
    {
        _commands.Add(_a);
        var other = new Npgsql.NpgsqlBatchCommand("other");
        Assert.Throws<InvalidCastException>(() => Base.Add(other));
        Assert.Throws<InvalidCastException>(() => Base.Insert(0, other));
        Assert.Throws<InvalidCastException>(() => Base[0] = other);
        Assert.Throws<ArgumentNullException>(() => _commands.Add(null!));
        Assert.Throws<ArgumentNullException>(() => _commands.Insert(0, null!));
        Assert.Throws<ArgumentNullException>(() => _commands[0] = null!);
        Assert.That((Base.Contains(other), Base.IndexOf(other), Base.Remove(other)), Is.EqualTo((false, -1, false)));
        Assert.That(_commands.ToArray<PgBatchCommand>(), Is.EqualTo(new[] { _a }));
    }
}
