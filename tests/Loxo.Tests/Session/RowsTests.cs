using Loxo.Protocol.Backend;
using Loxo.Session;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>Rows that have arrived whole. <see cref="PartialRowTests"/> has those that are read in pieces.</summary>
public sealed class RowsTests
{
    private ServerSession _session = null!;
    private Rows _rows = null!;

    private MessageReader Input => _session.Wire.Input;

    [SetUp]
    public void NewSession()
    {
        _session = NoChannel.Session();
        _rows = _session.Command.Rows;
    }

    [TearDown]
    public void Dispose() => _session.Dispose();

    [Test]
    public void Rows_of_no_result_have_ended_and_cannot_be_started()
    {
        Rows.Ended.Start(columns: 1, hasRows: true);
        Assert.That((Rows.Ended.HasEnded, Rows.Ended.IsOnRow, Rows.Ended.TryTake()), Is.EqualTo((true, false, false)));
    }

    [Test]
    public void A_result_that_has_no_rows_has_ended_whatever_comes_next()
    {
        Input.Append(new Answer().DataRow(1).Bytes);
        _rows.Start(columns: 1, hasRows: false);
        Assert.That((_rows.HasEnded, _rows.TryTake()), Is.EqualTo((true, false)));
    }

    [Test]
    public void A_row_is_taken_when_it_has_arrived_whole()
    {
        var row = new Answer().DataRow(1).Bytes;
        _rows.Start(columns: 1, hasRows: true);
        Input.Append(row.AsSpan(0, row.Length - 1));
        Assert.That((_rows.TryTake(), _rows.IsOnRow), Is.EqualTo((false, false)));
        Input.Append(row.AsSpan(row.Length - 1));
        Assert.That((_rows.TryTake(), _rows.IsOnRow), Is.EqualTo((true, true)));
    }

    [Test]
    public void Only_rows_are_taken()
    {
        Given(1, new Answer().CommandComplete("SELECT 0").DataRow(1));
        Assert.That(_rows.TryTake(), Is.False);
        Assert.That(_rows.HasEnded, Is.False, "the exchange has to say so");
    }

    [Test]
    public void Columns_are_read_in_any_order([Values(1, 8, 9, 40)] int count)
    {
        Given(count, new Answer().DataRow([.. Enumerable.Range(0, count).Select(i => new byte[] { (byte)i, 200 }[..((i % 2) + 1)])]));
        _rows.TryTake();
        foreach (var i in Enumerable.Range(0, count).Reverse().Concat(Enumerable.Range(0, count)))
        {
            Assert.That(_rows.TryGet(i, out var value), Is.True);
            Assert.That(value.ToArray(), Is.EqualTo(new byte[] { (byte)i, 200 }[..((i % 2) + 1)]), $"column {i}");
        }
    }

    [Test]
    public void A_column_is_found_whichever_way_of_asking_comes_first([Values(0, 1, 2)] int way)
    {
        Given(12, new Answer().DataRow([.. Enumerable.Range(0, 11).Select(i => new[] { (byte)i }), null]));
        _rows.TryTake();
        Assert.That(way switch { 0 => _rows.IsNull(10), 1 => !_rows.TryGet(10, out _), _ => _rows.Place(10).Length < 0 }, Is.False);
        var (start, length) = _rows.Place(10);
        Assert.That(_rows.Buffer[start..(start + length)], Is.EqualTo(new byte[] { 10 }));
        Assert.That((_rows.IsNull(11), _rows.TryGet(11, out _), _rows.Place(11).Length), Is.EqualTo((true, false, -1)));
    }

    [Test]
    public void An_empty_value_is_not_NULL()
    {
        Given(2, new Answer().DataRow([], null));
        _rows.TryTake();
        Assert.That((_rows.IsNull(0), _rows.IsNull(1)), Is.EqualTo((false, true)));
        Assert.That(_rows.TryGet(0, out var value), Is.True);
        Assert.That(value.IsEmpty, Is.True);
    }

    [Test]
    public void Values_are_those_of_the_current_row()
    {
        Given(2, new Answer().DataRow([1], [2]).DataRow([3, 3], null));
        _rows.TryTake();
        Assert.That(_rows.IsNull(1), Is.False);
        _rows.TryTake();
        Assert.That((_rows.Place(0).Length, _rows.IsNull(1)), Is.EqualTo((2, true)));
    }

    [Test]
    public void Another_result_may_have_more_columns()
    {
        Given(1, new Answer().DataRow([1]));
        _rows.TryTake();
        Given(30, new Answer().DataRow([.. Enumerable.Range(0, 30).Select(i => new[] { (byte)i })]));
        Assert.That(_rows.IsOnRow, Is.False);
        _rows.TryTake();
        Assert.That(_rows.Buffer[_rows.Place(29).Start], Is.EqualTo(29));
    }

    [Test]
    public void Each_row_has_a_version_that_holds_until_it_is_left()
    {
        Given(1, new Answer().DataRow(1).DataRow(2));
        _rows.TryTake();
        var first = _rows.Version;
        Assert.That(_rows.IsAt(first), Is.True);
        _rows.TryTake();
        Assert.That((_rows.IsAt(first), _rows.IsAt(_rows.Version)), Is.EqualTo((false, true)));
        _rows.Leave();
        Assert.That((_rows.IsOnRow, _rows.IsAt(_rows.Version)), Is.EqualTo((false, false)));
    }

    [Test]
    public void Rows_that_are_not_wanted_any_more_are_not_taken_and_their_buffer_is_let_go()
    {
        Given(1, new Answer().DataRow(1).DataRow(2));
        _rows.TryTake();
        _rows.End();
        Assert.That((_rows.IsOnRow, _rows.HasEnded, _rows.TryTake(), _rows.Buffer.Length), Is.EqualTo((false, true, false, 0)));
    }

    [Test]
    public void Collected_rows_are_read_from_where_they_were_collected()
    {
        using var collected = new MessageReader();
        collected.Append(new Answer().DataRow([7]).Bytes);
        Given(1, new Answer().DataRow([8]));
        _rows.ReadFrom(collected);
        Assert.That(_rows.TryTake(), Is.True);
        Assert.That(_rows.Buffer[_rows.Place(0).Start], Is.EqualTo(7));
    }

    [TestCase(0)]
    [TestCase(2)]
    public void A_row_with_another_count_of_columns_breaks_the_session(int columns)
    {
        Given(columns, new Answer().DataRow([1]));
        AssertBreaks(() => _rows.TryTake());
        Assert.That(_rows.IsOnRow, Is.False);
    }

    [Test]
    public void A_row_without_a_count_of_columns_breaks_the_session()
    {
        Given(0, new Answer().Add('D', [0]));
        AssertBreaks(() => _rows.TryTake());
    }

    [TestCase(new byte[] { 0, 0, 0, 2, 1 }, TestName = "A_value_longer_than_its_row_breaks_the_session")]
    [TestCase(new byte[] { 0x7f, 0xff, 0xff, 0xff, 1 }, TestName = "A_value_of_the_greatest_length_breaks_the_session")]
    [TestCase(new byte[] { 0xff, 0xff, 0xff, 0xfe, 1 }, TestName = "A_negative_length_that_is_not_NULLs_breaks_the_session")]
    [TestCase(new byte[] { 0, 0, 0 }, TestName = "A_length_that_is_cut_breaks_the_session")]
    public void A_value_that_does_not_fit_into_its_row(byte[] column)
    {
        // Behind the row is another one: its bytes must not be taken for the value.
        Given(1, new Answer().Add('D', [0, 1, .. column]).DataRow(1));
        _rows.TryTake();
        AssertBreaks(() => _rows.IsNull(0));
    }

    private void Given(int columns, Answer answer)
    {
        Input.Append(answer.Bytes);
        _rows.Start(columns, hasRows: true);
    }

    private void AssertBreaks(Action action)
    {
        Assert.That(Assert.Catch<PgException>(action)!.Code, Is.EqualTo(PgErrorCode.ProtocolViolation));
        Assert.That(_session.State, Is.EqualTo(SessionState.Broken));
    }
}
