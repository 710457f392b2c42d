using Loxo.Copy;
using Loxo.Session;

namespace Loxo.Tests.Session;

/// <summary>A command that was stopped before it was sent says why.</summary>
public class StoppedEarlyTests
{
    private static readonly Func<StopReason, CancellationToken, Exception>[] Errors =
        [SessionErrors.StoppedBefore, SessionErrors.StoppedWithinRows, CopyStatement.Stopped];

    [TestCase(PgErrorCode.Timeout, 1)]
    [TestCase(PgErrorCode.TransactionRolledBack, 3)]
    public void By_its_time_or_by_the_end_of_the_ambient_transaction(PgErrorCode code, int reason)
    {
        foreach (var error in Errors)
            Assert.That(error((StopReason)reason, CancellationToken.None), Is.InstanceOf<PgException>().With.Property(nameof(PgException.Code)).EqualTo(code));
    }

    [Test]
    public void By_the_callers_token()
    {
        using var source = new CancellationTokenSource();
        foreach (var error in Errors)
            Assert.That(
                error(StopReason.Cancel, source.Token),
                Is.TypeOf<OperationCanceledException>().With.Property(nameof(OperationCanceledException.CancellationToken)).EqualTo(source.Token));
    }
}
