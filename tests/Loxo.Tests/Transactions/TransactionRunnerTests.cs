using System.Data;
using Loxo.Transactions;

namespace Loxo.Tests.Transactions;

public sealed class TransactionRunnerTests
{
    [TestCase("40001", true), TestCase("40P01", true), TestCase("40002", false), TestCase("23505", false), TestCase("57014", false)]
    public void Serialization_failures_and_deadlocks_are_repeated(string state, bool expected)
    {
        var error = Given(state);

        Assert.That(TransactionRunner.MayRunAgain(error), Is.EqualTo(expected));
        Assert.That(TransactionRunner.MayRunAgain(new InvalidOperationException("SaveChanges", error)), Is.EqualTo(expected));
        Assert.That(TransactionRunner.MayRunAgain(new AggregateException(new IOException(), error)), Is.EqualTo(expected));
    }

    [Test]
    public void An_unknown_outcome_is_never_repeated_whatever_its_cause() =>
        Assert.That(TransactionRunner.MayRunAgain(new PgException("unknown", PgErrorCode.CommitOutcomeUnknown, Given("40001"))), Is.False);

    [Test]
    public void Other_errors_are_not_repeated()
    {
        Assert.That(TransactionRunner.MayRunAgain(new IOException()), Is.False);
        Assert.That(TransactionRunner.MayRunAgain(new OperationCanceledException()), Is.False);
        Assert.That(TransactionRunner.MayRunAgain(new PgException("lost", PgErrorCode.ConnectionClosed)), Is.False);
        Assert.That(TransactionRunner.MayRunAgain(new PgException("rolled back", PgErrorCode.TransactionRolledBack)), Is.False);
    }

    [TestCase(1, 10), TestCase(2, 20), TestCase(4, 80), TestCase(8, 1000), TestCase(int.MaxValue, 1000)]
    public void Pauses_are_random_parts_of_a_limit_that_doubles(int attempt, int limit)
    {
        var pauses = Enumerable.Range(0, 1000).Select(_ => TransactionRunner.Pause(new PgInTransactionOptions(), attempt)).ToList();

        Assert.That(pauses, Has.All.InRange(TimeSpan.Zero, TimeSpan.FromMilliseconds(limit)));
        Assert.That(pauses.Max(), Is.GreaterThan(TimeSpan.FromMilliseconds(limit * 0.9)));
        Assert.That(pauses.Min(), Is.LessThan(TimeSpan.FromMilliseconds(limit * 0.1)));
    }

    [Test]
    public void A_delay_of_zero_is_no_pause()
    {
        Assert.That(TransactionRunner.Pause(new PgInTransactionOptions { FirstDelay = TimeSpan.Zero }, 9), Is.EqualTo(TimeSpan.Zero));
        Assert.That(TransactionRunner.Pause(new PgInTransactionOptions { LongestDelay = TimeSpan.Zero }, 9), Is.EqualTo(TimeSpan.Zero));
        Assert.That(TransactionRunner.Pause(new PgInTransactionOptions { FirstDelay = TimeSpan.MaxValue }, 9),
            Is.LessThanOrEqualTo(TimeSpan.FromSeconds(1)));
    }

    [Test]
    public void Options_have_defaults_and_refuse_what_makes_no_sense()
    {
        var options = new PgInTransactionOptions();
        Assert.That(
            (options.IsolationLevel, options.Options, options.Attempts, options.FirstDelay, options.LongestDelay),
            Is.EqualTo((IsolationLevel.Unspecified, PgTransactionOptions.None, 1, TimeSpan.FromMilliseconds(10), TimeSpan.FromSeconds(1))));
        Assert.That(options, Is.EqualTo(new PgInTransactionOptions()));

        Assert.That(() => new PgInTransactionOptions { Attempts = 0 }, Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(() => new PgInTransactionOptions { FirstDelay = TimeSpan.FromTicks(-1) }, Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(() => new PgInTransactionOptions { LongestDelay = TimeSpan.FromTicks(-1) }, Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(() => new PgInTransactionOptions { LongestDelay = TimeSpan.FromHours(2) }, Throws.InstanceOf<ArgumentOutOfRangeException>());
    }

    [Test]
    public void Work_is_needed()
    {
        using var source = PgDataSource.Create("Host=nowhere");
        Assert.That(() => source.InTransaction(null!), Throws.ArgumentNullException);
        Assert.That(() => source.InTransaction<int>(null!), Throws.ArgumentNullException);
        Assert.That(() => source.InTransactionAsync(null!), Throws.ArgumentNullException);
        Assert.That(() => source.InTransactionAsync<int>(null!), Throws.ArgumentNullException);
    }

    private static PostgresException Given(string state) => new("raised", "ERROR", "ERROR", state);
}
