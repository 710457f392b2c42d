using System.Buffers.Binary;
using Loxo.Protocol;
using Loxo.Protocol.Backend;
using Loxo.Session;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

public sealed class CollectedRowsTests
{
    private const int RowSize = 15;

    private readonly StatementRun _first = new();
    private readonly StatementRun _second = new();
    private MessageReader _input = null!;
    private CollectedRows _rows = null!;

    [SetUp]
    public void Start()
    {
        _input = new MessageReader();
        _rows = new CollectedRows(most: 1000);
    }

    [TearDown]
    public void Dispose() => _input.Dispose();

    [Test]
    public void Without_rows_the_reader_has_no_next_stop()
    {
        Assert.That(_rows.Next(), Is.EqualTo(Progress.NeedMore));
        Assert.That(_rows.Result, Is.Null);
    }

    [Test]
    public void Rows_are_copied_and_leave_the_input()
    {
        Add(_first, 1, 2);
        Assert.That(_input.Buffered, Is.Zero);
        _input.Buffer.AsSpan().Clear();
        Assert.That(Take(), Is.EqualTo(1));
        Assert.That(Take(), Is.EqualTo(2));
        Assert.That(_rows.Next(), Is.EqualTo(Progress.NeedMore));
    }

    [Test]
    public void Only_the_next_row_is_taken_from_the_input()
    {
        _input.Append(new Answer().DataRow(1).CommandComplete("SELECT 1").Bytes);
        _rows.AddRow(_first, _input);
        Assert.That(_input.TryPeek(out var next), Is.True);
        Assert.That(next.Type, Is.EqualTo(BackendMessageType.CommandComplete));
    }

    [Test]
    public void A_row_is_the_next_stop_until_it_is_taken()
    {
        Add(_first, 1);
        Assert.That(_rows.Next(), Is.EqualTo(Progress.Row));
        Assert.That(_rows.Next(), Is.EqualTo(Progress.Row));
        Assert.That(Take(), Is.EqualTo(1));
    }

    [Test]
    public void Rows_added_while_others_are_read_come_behind_them()
    {
        Add(_first, 1, 2);
        Assert.That(Take(), Is.EqualTo(1));
        Add(_first, 3);
        Assert.That(new[] { Take(), Take() }, Is.EqualTo(new[] { 2, 3 }));
        Add(_first, 4);
        Assert.That(Take(), Is.EqualTo(4));
    }

    [Test]
    public void What_the_reader_has_is_not_touched_by_what_is_added()
    {
        Add(_first, 1, 2);
        Assert.That(_rows.Next(), Is.EqualTo(Progress.Row));
        var (reading, buffered) = (_rows.Reading, _rows.Reading.Buffered);
        Add(_first, 3);
        Assert.That((_rows.Reading, _rows.Reading.Buffered), Is.EqualTo((reading, buffered)));
    }

    [Test]
    public void Results_end_in_turn_and_each_row_is_of_its_own()
    {
        Add(_first, 1);
        _rows.AddEnd(_first);
        Add(_second, 2);
        _rows.AddEnd(_second);
        Assert.That((Take(), _rows.Result), Is.EqualTo((1, _first)));
        Assert.That((_rows.Next(), _rows.Result), Is.EqualTo((Progress.ResultEnd, _first)));
        Assert.That((Take(), _rows.Result), Is.EqualTo((2, _second)));
        Assert.That((_rows.Next(), _rows.Result), Is.EqualTo((Progress.ResultEnd, _second)));
        Assert.That((_rows.Next(), _rows.Result), Is.EqualTo((Progress.NeedMore, _second)));
    }

    [Test]
    public void A_result_without_rows_ends()
    {
        _rows.AddEnd(_first);
        _rows.AddEnd(_second);
        Assert.That((_rows.Next(), _rows.Result), Is.EqualTo((Progress.ResultEnd, _first)));
        Assert.That((_rows.Next(), _rows.Result), Is.EqualTo((Progress.ResultEnd, _second)));
    }

    [Test]
    public void A_result_that_is_left_is_skipped_with_its_end_and_the_next_is_not()
    {
        Add(_first, 1, 2, 3);
        _rows.AddEnd(_first);
        Add(_second, 4);
        Take();
        _rows.LeaveResult();
        Assert.That((Take(), _rows.Result), Is.EqualTo((4, _second)));
    }

    [Test]
    public void A_result_that_is_left_is_skipped_although_the_rest_of_it_arrives_later()
    {
        Add(_first, 1, 2);
        Take();
        _rows.LeaveResult();
        Assert.That(_rows.Next(), Is.EqualTo(Progress.NeedMore));
        Add(_first, 3);
        Assert.That(_rows.Next(), Is.EqualTo(Progress.NeedMore));
        _rows.AddEnd(_first);
        Add(_second, 4);
        Assert.That((Take(), _rows.Result), Is.EqualTo((4, _second)));
    }

    [Test]
    public void It_is_full_when_what_the_reader_has_not_begun_is_as_much_as_it_may_hold()
    {
        _rows = new CollectedRows(2 * RowSize);
        Add(_first, 1);
        Assert.That(_rows.IsFull, Is.False);
        Add(_first, 2);
        Assert.That(_rows.IsFull, Is.True);
        Assert.That(_rows.Next(), Is.EqualTo(Progress.Row));
        Assert.That(_rows.IsFull, Is.False, "the reader has the full buffer");
        Add(_first, 3, 4);
        Assert.That(_rows.IsFull, Is.True);
    }

    [Test]
    public void A_row_longer_than_the_buffers_is_collected_whole()
    {
        var value = new byte[100_000];
        value[^1] = 7;
        _input.Append(new Answer().DataRow(value).Bytes);
        _rows.AddRow(_first, _input);
        Assert.That(_rows.Next(), Is.EqualTo(Progress.Row));
        Assert.That(_rows.Reading.TryTakeRow(out var start, out var end), Is.True);
        Assert.That(_rows.Reading.Buffer[(start + 6)..end], Is.EqualTo(value));
    }

    private void Add(StatementRun result, params int[] values)
    {
        foreach (var value in values)
        {
            _input.Append(new Answer().DataRow(value).Bytes);
            _rows.AddRow(result, _input);
        }
    }

    private int Take()
    {
        Assert.That(_rows.Next(), Is.EqualTo(Progress.Row));
        Assert.That(_rows.Reading.TryTakeRow(out _, out var end), Is.True);
        return BinaryPrimitives.ReadInt32BigEndian(_rows.Reading.Buffer.AsSpan(end - 4));
    }
}
