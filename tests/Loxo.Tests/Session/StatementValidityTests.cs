using Loxo.Protocol;
using Loxo.Session;

namespace Loxo.Tests.Session;

/// <summary>When a statement is parsed again, and whether its name is freed first. No channel is touched.</summary>
public sealed class StatementValidityTests
{
    private readonly ExpectedReplies _expected = new();
    private ServerSession _session = null!;
    private CachedStatement _statement = null!;

    [SetUp]
    public void OpenSession()
    {
        _session = NoChannel.Session();
        _session.Opened();
        _statement = _session.Statements.Hold("SELECT 1", []);
    }

    [TearDown]
    public void Dispose()
    {
        _session.Failed(SessionErrors.Closed());
        _session.Dispose();
    }

    [Test]
    public void A_statement_is_current_from_the_answer_to_its_Parse_until_names_change()
    {
        var parse = Write(inNewFlight: true);
        Assert.That((parse!.Value.Closes, _session.Validity.IsCurrent(_statement)), Is.EqualTo((false, false)));
        Answer(parse.Value);
        Assert.That((_session.Validity.IsCurrent(_statement), Write(inNewFlight: true)), Is.EqualTo((true, default(DueParse?))));
        _session.Effects.ForgetMeanings();
        Assert.That(_session.Validity.IsCurrent(_statement), Is.False);
        Assert.That(Write(inNewFlight: true)!.Value.Closes, Is.True);
    }

    [Test]
    public void A_Parse_on_its_way_counts_in_its_group()
    {
        Write(inNewFlight: true, mayBeSkipped: true);
        Assert.That(Write(inNewFlight: false), Is.Null);
    }

    [Test]
    public void A_Parse_of_an_earlier_flight_counts_unless_it_may_be_skipped([Values] bool mayBeSkipped)
    {
        Write(inNewFlight: true, mayBeSkipped);
        _session.Groups.End();
        Assert.That(Write(inNewFlight: true)?.Closes, Is.EqualTo(mayBeSkipped ? true : null));
    }

    [Test]
    public void A_Parse_whose_group_was_answered_without_it_left_the_name_free()
    {
        Write(inNewFlight: true);
        _session.Groups.End();
        _session.Groups.Answered(0);
        Assert.That(Write(inNewFlight: true)!.Value.Closes, Is.False);
    }

    [Test]
    public void The_answer_to_an_earlier_Parse_does_not_make_the_statement_current([Values] bool isOutdated)
    {
        var first = Write(inNewFlight: true, mayBeSkipped: !isOutdated)!.Value;
        _session.Groups.End();
        if (isOutdated)
            _session.Effects.ForgetMeanings();
        var second = Write(inNewFlight: true)!.Value;
        _session.Groups.End();
        Answer(first);
        _session.Groups.Answered(0);
        Assert.That((_statement.IsOnServer, _session.Validity.IsCurrent(_statement)), Is.EqualTo((true, false)));
        second.Closed();
        Assert.That(_statement.IsOnServer, Is.False);
        Answer(second);
        Assert.That(_session.Validity.IsCurrent(_statement), Is.True);
    }

    [Test]
    public void A_Parse_that_was_taken_back_leaves_the_one_in_front_on_its_way()
    {
        Write(inNewFlight: true);
        _session.Groups.End();
        _session.Effects.ForgetMeanings();
        Write(inNewFlight: true)!.Value.TakeBack();
        var again = Write(inNewFlight: true)!.Value;
        Assert.That(again.Closes, Is.True, "the first one may have taken the name by then");
    }

    [Test]
    public void A_description_counts_until_the_types_that_it_was_read_with_are_replaced([Values] bool byDefinitions)
    {
        Assert.That(_session.Validity.IsDescribed(_statement), Is.False);
        Describe();
        Assert.That(_session.Validity.IsDescribed(_statement), Is.True, "a statement without rows is described, too");
        if (byDefinitions)
            _session.Context.Database.ForgetTypes();
        else
            _session.Effects.Add(SessionChanges.Types | SessionChanges.State); // as SET search_path does: it has types of its own from here on
        Assert.That(_session.Validity.IsDescribed(_statement), Is.False);
        Describe();
        Assert.That(_session.Validity.IsDescribed(_statement), Is.True);
    }

    [Test]
    public void The_answer_to_a_Parse_asks_for_a_new_description()
    {
        var parse = Write(inNewFlight: true)!.Value;
        Describe();
        Answer(parse);
        Assert.That((_session.Validity.IsCurrent(_statement), _session.Validity.IsDescribed(_statement)), Is.EqualTo((true, false)));
    }

    private void Describe() => _statement.Describe(shape: null, _session.Types.Stamp);

    private DueParse? Write(bool inNewFlight, bool mayBeSkipped = false) => _session.Validity.WriteParse(
        new RequestWriter(_session.Output, _expected), _statement, inNewFlight ? _session.Groups.Current : long.MinValue, mayBeSkipped);

    private static void Answer(DueParse parse) => parse.Answered();
}
