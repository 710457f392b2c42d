using Loxo.Session;

namespace Loxo.Tests.Session;

/// <summary>What statements may have changed, and which clocks that advances. No channel is touched.</summary>
public sealed class StatementEffectsTests
{
    private ServerSession _session = null!;

    private StatementEffects Effects => _session.Effects;

    [SetUp]
    public void OpenSession()
    {
        _session = NoChannel.Session();
        _session.Opened();
    }

    [TearDown]
    public void Dispose()
    {
        _session.Failed(SessionErrors.Closed());
        _session.Dispose();
    }

    [Test]
    public void Changes_add_up_until_the_session_is_handed_over()
    {
        Effects.Add(SessionChanges.State);
        Effects.Add(SessionChanges.Routines);
        Assert.That(Effects.Changes, Is.EqualTo(SessionChanges.State | SessionChanges.Routines));
        Effects.HandOver();
        Assert.That((Effects.Changes, Effects.ResetReason), Is.EqualTo((SessionChanges.None, default(PgResetReason?))));
    }

    [Test]
    public void The_first_change_of_state_is_the_reason_for_a_reset()
    {
        Effects.Add(SessionChanges.Names, PgResetReason.ChangedByStatement);
        Assert.That(Effects.ResetReason, Is.Null, "names alone need no reset");
        Effects.Add(SessionChanges.State, PgResetReason.ChangedByStatement);
        Assert.That(Effects.ResetReason, Is.EqualTo(PgResetReason.ChangedByStatement));
    }

    [Test]
    public void A_call_of_a_function_advances_the_clock_of_statements_and_not_that_of_types()
    {
        var (epoch, types) = (Effects.Epoch, Effects.TypesEpoch);
        Effects.Add(SessionChanges.Names);
        Assert.That((Effects.Epoch - epoch, Effects.TypesEpoch - types), Is.EqualTo((1L, 0L)));
        Effects.Add(SessionChanges.Names | SessionChanges.Types);
        Assert.That((Effects.Epoch - epoch, Effects.TypesEpoch - types), Is.EqualTo((2L, 1L)));
    }

    [Test]
    public void A_new_search_path_gives_the_session_other_names_until_it_is_reset()
    {
        Effects.Add(SessionChanges.State | SessionChanges.Names | SessionChanges.Types);
        Effects.EndTransaction();
        Assert.That((Effects.HasOtherNames, Effects.HasOtherNamesInTransaction), Is.EqualTo((true, false)));
        Effects.NamesAreReset();
        Assert.That(Effects.HasOtherNames, Is.False);
    }

    [Test]
    public void Definitions_that_a_transaction_changes_count_for_every_session_from_its_end()
    {
        Effects.Add(SessionChanges.Definitions | SessionChanges.Names | SessionChanges.Types);
        var before = _session.Context.Database.Invalidations;
        Assert.That(Effects.HasOtherNamesInTransaction, Is.True);
        Effects.EndTransaction(isLast: false);
        Assert.That(_session.Context.Database.Invalidations, Is.EqualTo(before + 1));
        Assert.That(Effects.OfTransaction, Is.Not.EqualTo(SessionChanges.None), "a statement that is on its way belongs to the next transaction");
        Effects.EndTransaction();
        Effects.EndTransaction();
        Assert.That(_session.Context.Database.Invalidations, Is.EqualTo(before + 2), "a transaction that has changed nothing ends unseen");
    }

    [Test]
    public void A_transaction_whose_outcome_is_unknown_has_the_routines_looked_at_again([Values] bool changesRoutines)
    {
        var unknown = 0;
        _session.Context.Database.RoutinesOutcomeUnknown = _ => unknown++;
        Effects.Add(changesRoutines ? SessionChanges.Routines : SessionChanges.Definitions);
        Effects.LoseTransaction();
        Assert.That(unknown, Is.EqualTo(changesRoutines ? 1 : 0));
    }
}
