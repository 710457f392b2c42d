using System.Collections.Frozen;
using Loxo.Pool;
using Loxo.Session;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Pool;

public class AuditedDatabaseTests
{
    private static readonly DatabaseAuditVerdict Offending = DatabaseAuditVerdict.Offending("function public.f()", "contains EXECUTE");

    private readonly SimulatedTime _time = new();
    private AuditedDatabase _database = null!;

    [SetUp]
    public void Create() => _database = new AuditedDatabase(_time);

    [Test]
    public void A_database_has_one_object_and_others_have_their_own()
    {
        Assert.That(AuditedDatabase.Of("a", "d"), Is.SameAs(AuditedDatabase.Of("a", "d")));
        Assert.That(AuditedDatabase.Of("a", "d"), Is.Not.SameAs(AuditedDatabase.Of("a", "D")));
        Assert.That(AuditedDatabase.Of("a", "d"), Is.Not.SameAs(AuditedDatabase.Of("b", "d")));
    }

    [Test]
    public void Databases_are_found_by_name_on_all_servers()
    {
        AuditedDatabase[] namesakes = [AuditedDatabase.Of("a", "named"), AuditedDatabase.Of("b", "named")];
        var other = AuditedDatabase.Of("a", "Named");

        Assert.That(AuditedDatabase.Named("named"), Is.EquivalentTo(namesakes));
        Assert.That(AuditedDatabase.Named("nowhere"), Is.Empty);
        Assert.That(AuditedDatabase.Named(null), Is.SupersetOf([.. namesakes, other]));
    }

    [Test]
    public void Nothing_is_known_before_the_answer()
    {
        AssertVerdict(DatabaseAuditVerdict.Unknown);
        Assert.That(_database.TryBegin(out _), Is.True);
        AssertVerdict(DatabaseAuditVerdict.Unknown);
    }

    [Test]
    public void The_answer_counts()
    {
        Answer(DatabaseAuditVerdict.Clean);
        AssertVerdict(DatabaseAuditVerdict.Clean);

        _database.Invalidate();
        Answer(Offending);
        AssertVerdict(Offending);
    }

    [Test]
    public void Only_one_asks()
    {
        Assert.That(_database.TryBegin(out var question), Is.True);
        Assert.That(_database.TryBegin(out _), Is.False);

        _database.End(question, DatabaseAuditVerdict.Clean);
        Assert.That(_database.TryBegin(out _), Is.False);
    }

    [Test]
    public void One_who_gives_up_is_replaced_at_once()
    {
        _database.TryBegin(out _);

        _database.Abandon();

        Assert.That(_database.TryBegin(out _), Is.True);
    }

    [Test]
    public void One_who_asked_and_did_not_come_back_is_replaced()
    {
        _database.TryBegin(out _);
        _time.Advance(AuditedDatabase.AnswerWithin - TimeSpan.FromTicks(1));
        Assert.That(_database.TryBegin(out _), Is.False);

        _time.Advance(TimeSpan.FromTicks(1));
        Assert.That(_database.TryBegin(out _), Is.True);
    }

    // Each costs whoever uses its session meanwhile a timeout.
    [Test]
    public void Questions_without_an_answer_become_rare_until_one_is_answered([Values] bool fails)
    {
        for (var doublings = 0; doublings < 12; doublings++)
        {
            Assert.That(_database.TryBegin(out _), Is.True);
            _time.Advance(AuditedDatabase.AnswerWithin * (1 << Math.Min(doublings, AuditedDatabase.MostDoublings)) - TimeSpan.FromTicks(1));
            Assert.That(_database.TryBegin(out _), Is.False);
            _time.Advance(TimeSpan.FromTicks(1));
        }
        Assert.That(_database.TryBegin(out var question), Is.True);
        if (fails)
            _database.Fail(question);
        else
            _database.End(question, DatabaseAuditVerdict.Clean);
        _time.Advance(AuditedDatabase.RenewAfter);
        Assert.That(_database.TryBegin(out _), Is.True);
        _time.Advance(AuditedDatabase.AnswerWithin);
        Assert.That(_database.TryBegin(out _), Is.True);
    }

    [Test]
    public void A_question_that_fails_is_asked_again_later_or_after_the_next_change([Values] bool changes)
    {
        _database.TryBegin(out var question);
        if (changes)
            _database.Invalidate();
        _database.Fail(question);
        Assert.That(_database.TryBegin(out _), Is.EqualTo(changes));

        _time.Advance(AuditedDatabase.RetryAfter - TimeSpan.FromTicks(1));
        Assert.That(_database.TryBegin(out _), Is.EqualTo(changes));
        _time.Advance(TimeSpan.FromTicks(1));
        Assert.That(_database.TryBegin(out _), Is.EqualTo(!changes));
    }

    [Test]
    public void An_answer_is_renewed_before_it_ceases_to_count()
    {
        Answer(DatabaseAuditVerdict.Clean);
        _time.Advance(AuditedDatabase.RenewAfter);
        Assert.That(_database.TryBegin(out var question), Is.True);
        AssertVerdict(DatabaseAuditVerdict.Clean);

        _database.End(question, DatabaseAuditVerdict.Clean);
        _time.Advance(AuditedDatabase.RenewAfter - TimeSpan.FromTicks(1));
        AssertVerdict(DatabaseAuditVerdict.Clean);
        Assert.That(_database.TryBegin(out _), Is.False);
    }

    [Test]
    public void An_answer_that_is_not_renewed_ceases_to_count_ten_minutes_after_the_question()
    {
        _database.TryBegin(out var question);
        _time.Advance(TimeSpan.FromSeconds(20));
        _database.End(question, DatabaseAuditVerdict.Clean);

        _time.Advance(TimeSpan.FromMinutes(10) - TimeSpan.FromSeconds(20) - TimeSpan.FromTicks(1));
        AssertVerdict(DatabaseAuditVerdict.Clean);
        _time.Advance(TimeSpan.FromTicks(1));
        AssertVerdict(DatabaseAuditVerdict.Unknown);
    }

    [Test]
    public void A_change_makes_it_unknown_and_due_at_once()
    {
        Answer(DatabaseAuditVerdict.Clean);

        _database.Invalidate();

        AssertVerdict(DatabaseAuditVerdict.Unknown);
        Assert.That(_database.TryBegin(out _), Is.True);
    }

    [Test]
    public void An_answer_to_a_question_from_before_the_change_does_not_count()
    {
        _database.TryBegin(out var before);
        _database.Invalidate();
        Assert.That(_database.End(before, Offending), Is.False);
        AssertVerdict(DatabaseAuditVerdict.Unknown);

        Assert.That(_database.TryBegin(out var after), Is.True);
        Assert.That(_database.End(before, DatabaseAuditVerdict.Clean), Is.False);
        AssertVerdict(DatabaseAuditVerdict.Unknown);
        _database.End(after, DatabaseAuditVerdict.Clean);
        AssertVerdict(DatabaseAuditVerdict.Clean);
    }

    [Test]
    public void What_offends_is_news_once()
    {
        Assert.That(Answer(DatabaseAuditVerdict.Clean), Is.False);
        Assert.That(Answer(Offending), Is.True);
        Assert.That(Answer(DatabaseAuditVerdict.Offending("function public.f()", "contains EXECUTE")), Is.False);
        Assert.That(Answer(DatabaseAuditVerdict.Offending("function public.g()", "contains EXECUTE")), Is.True);
        Assert.That(Answer(DatabaseAuditVerdict.Clean), Is.False);
        Assert.That(Answer(Offending), Is.True);
    }

    [Test]
    public void What_was_known_at_one_time_counts_later_while_the_answers_mean_the_same()
    {
        Answer(DatabaseAuditVerdict.Clean);
        var version = _database.Reachable.Version;
        _time.Advance(AuditedDatabase.RenewAfter);

        _database.TryBegin(out var question);
        _database.End(question, DatabaseAuditVerdict.Clean with { Functions = null });

        Assert.That(_database.IsCleanSince(version) && _database.KeepsStatementsSince(version), Is.True);
    }

    [Test]
    public void What_was_known_at_one_time_does_not_count_when_something_else_has_become_known([Values] bool byChange)
    {
        var version = _database.Reachable.Version;
        Answer(DatabaseAuditVerdict.Clean);
        Assert.That(_database.IsCleanSince(version) || _database.KeepsStatementsSince(version), Is.False, "known since the answer");
        version = _database.Reachable.Version;

        if (byChange)
            _database.Invalidate();
        else
            Renew(DatabaseAuditVerdict.Clean with { Functions = Names("set_limit") });
        Renew(DatabaseAuditVerdict.Clean);

        Assert.That(_database.IsCleanSince(version) || _database.KeepsStatementsSince(version), Is.False);
        Assert.That(_database.IsCleanSince(_database.Reachable.Version), Is.True);
    }

    [Test]
    public void Names_that_are_the_same_again_are_the_same_object()
    {
        Answer(DatabaseAuditVerdict.Clean with { Functions = Names("a", "b") });
        var names = _database.Reachable.Names;
        var version = _database.Reachable.Version;

        Renew(DatabaseAuditVerdict.Clean with { Functions = Names("b", "a") });

        Assert.That(_database.Reachable.Names, Is.SameAs(names));
        Assert.That(_database.IsCleanSince(version), Is.True);
    }

    [Test]
    public void What_functions_may_do_unseen_counts_until_the_next_answer()
    {
        Renew(DatabaseAuditVerdict.Clean with { ActsOutside = true, EscapesReadOnly = true });
        _database.Invalidate();
        Assert.That(_database.Reachable, Has.Property("IsUnknown").True.And.Property("ActsOutside").True.And.Property("EscapesReadOnly").True);

        Renew(DatabaseAuditVerdict.Clean);
        Assert.That(_database.Reachable, Has.Property("IsUnknown").False.And.Property("ActsOutside").False.And.Property("EscapesReadOnly").False);
    }

    [Test]
    public void A_process_whose_connection_was_lost_is_asked_for_until_an_answer_counts()
    {
        _database.Lose(7);
        _database.Lose(8);
        _database.Invalidate();

        Assert.That(_database.TryBegin(out var question), Is.True);
        Assert.That(question.Lost, Is.EqualTo(new[] { 7, 8 }));
        _time.Advance(AuditedDatabase.RetryAfter);
        _database.TryBegin(out question);
        Assert.That(question.Lost, Is.EqualTo(new[] { 7, 8 }), "the first answer could not be used");

        _database.End(question, DatabaseAuditVerdict.Clean);
        _time.Advance(AuditedDatabase.RenewAfter);
        _database.TryBegin(out question);
        Assert.That(question.Lost, Is.Empty);
    }

    [Test]
    public void A_process_that_was_lost_long_ago_is_another_one()
    {
        _database.Lose(7);
        _time.Advance(AuditedDatabase.LostFor + TimeSpan.FromTicks(1));

        _database.TryBegin(out var question);

        Assert.That(question.Lost, Is.Empty);
    }

    [Test]
    public void The_row_of_the_question_is_read()
    {
        Assert.That(DatabaseAuditVerdict.Of([null, null, "f", null]), Is.SameAs(DatabaseAuditVerdict.Clean));
        Assert.That(DatabaseAuditVerdict.Of([null, null, "f", null, null, "f"]), Is.SameAs(DatabaseAuditVerdict.Clean));
        Assert.That(DatabaseAuditVerdict.Of([null, null, "f", null, null, "t", "f"]), Has.Property("HidesChanges").True.And.Property("ActsOutside").False);
        Assert.That(DatabaseAuditVerdict.Of([null, null, "f", null, null, "t", "t"]).ActsOutside, Is.True);
        var verdict = DatabaseAuditVerdict.Of(["function f()", "contains SET", "f", "set_limit\ndblink"]);
        Assert.That((verdict.State, verdict.Name, verdict.Reason, verdict.KeepsStatements), Is.EqualTo((DatabaseAuditState.Offending, "function f()", "contains SET", true)));
        Assert.That(verdict.Functions, Is.EquivalentTo(new[] { "set_limit", "dblink" }));
        Assert.That(DatabaseAuditVerdict.Of(["function f()", "contains EXECUTE", "t", null]).KeepsStatements, Is.False);
        Assert.That(verdict.NameChangers, Is.Null);
    }

    [TestCase("function f()", "contains CREATE")]
    [TestCase(null, null)]
    public void The_functions_that_may_change_names_are_read(string? found, string? why)
    {
        var verdict = DatabaseAuditVerdict.Of([found, why, "f", null, "makes\nMakes Too"]);

        Assert.That(verdict.NameChangers, Is.EquivalentTo(new[] { "makes", "Makes Too" }));
        Assert.That((verdict.Functions, verdict.IsClean), Is.EqualTo(((object?)null, found is null)));
        Assert.That(DatabaseAuditVerdict.Of([found, why, "f", null, null]).NameChangers, Is.Null);
    }

    [Test]
    public void Functions_that_may_change_names_count_as_long_as_nothing_else_is_known()
    {
        Assert.That(_database.Reachable.IsUnknown, Is.True, "nobody has asked");
        Answer(Offending with { NameChangers = Names("a") });
        var names = _database.Reachable.NameChangers;
        Assert.That((names!.Single(), _database.Reachable.IsUnknown), Is.EqualTo(("a", false)));
        var version = _database.Reachable.Version;

        Renew(Offending with { NameChangers = Names("a") });
        Assert.That((_database.Reachable.NameChangers, _database.Reachable.Version), Is.EqualTo((names, version)), "the same object");

        Renew(Offending with { NameChangers = Names("a", "b") });
        Assert.That(_database.Reachable.Version, Is.Not.EqualTo(version));
        Assert.That(_database.Reachable.NameChangers, Is.EquivalentTo(new[] { "a", "b" }));

        _time.Advance(AuditedDatabase.Validity);
        Assert.That(_database.Reachable.NameChangers, Has.Count.EqualTo(2), "an old answer is better than none");
        _database.Invalidate();
        Assert.That(_database.Reachable is { IsUnknown: true, NameChangers: null });
    }

    [Test]
    public void Statements_that_may_change_names_unseen_stay_known_until_the_next_answer()
    {
        Assert.That(_database.Reachable.UnseenNameChanges, Is.EqualTo(UnseenNameChanges.None), "an answer may never come");
        Answer(Offending with { UnseenNameChanges = UnseenNameChanges.ByChange });

        _database.Invalidate();
        Assert.That(_database.Reachable.UnseenNameChanges, Is.EqualTo(UnseenNameChanges.ByChange));

        Answer(DatabaseAuditVerdict.Clean);
        Assert.That(_database.Reachable.UnseenNameChanges, Is.EqualTo(UnseenNameChanges.None));
    }

    [Test]
    public void Threads_never_see_a_clean_database_between_a_change_and_its_answer()
    {
        var changes = 0;
        var answered = 0;
        Parallel.For(0, 4, thread =>
        {
            for (var i = 0; i < 5000; i++)
            {
                if (thread == 0)
                {
                    Interlocked.Increment(ref changes);
                    _database.Invalidate();
                }
                else if (thread == 1 && _database.TryBegin(out var question))
                {
                    Volatile.Write(ref answered, Volatile.Read(ref changes));
                    _database.End(question, DatabaseAuditVerdict.Clean);
                }
                else if (Volatile.Read(ref changes) is var seen && IsClean() && Volatile.Read(ref answered) < seen - 1)
                {
                    Assert.Fail("clean, though nobody was asked since the change");
                }
            }
        });
        Assert.That(changes, Is.EqualTo(5000));
    }

    private static FrozenSet<string> Names(params string[] names) => names.ToFrozenSet(StringComparer.Ordinal);

    private void Renew(DatabaseAuditVerdict verdict)
    {
        _time.Advance(AuditedDatabase.RenewAfter);
        Assert.That(_database.TryBegin(out var question), Is.True);
        _database.End(question, verdict);
    }

    private bool Answer(DatabaseAuditVerdict verdict)
    {
        _database.Invalidate();
        Assert.That(_database.TryBegin(out var question), Is.True);
        return _database.End(question, verdict);
    }

    // As a pool asks, which takes the version when it hands a session out.
    private bool IsClean() => _database.IsCleanSince(_database.Reachable.Version) && _database.IsValid(_time.GetTimestamp());

    private void AssertVerdict(DatabaseAuditVerdict expected)
    {
        var isKnown = _database.IsValid(_time.GetTimestamp());
        var keepsStatements = isKnown && _database.KeepsStatementsSince(_database.Reachable.Version);

        Assert.That(isKnown, Is.EqualTo(expected.State != DatabaseAuditState.Unknown));
        Assert.That(IsClean(), Is.EqualTo(expected.IsClean));
        Assert.That(keepsStatements, Is.EqualTo(expected.KeepsStatements));
    }
}
