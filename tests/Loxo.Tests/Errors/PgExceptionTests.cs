using System.Net.Sockets;

namespace Loxo.Tests.Errors;

public class PgExceptionTests
{
    [Test]
    public void A_code_travels_with_the_exception_and_there_is_no_sqlstate()
    {
        var error = new PgException("gone", PgErrorCode.ConnectionClosed, new IOException("reset"));

        Assert.Multiple(() =>
        {
            Assert.That(error.Code, Is.EqualTo(PgErrorCode.ConnectionClosed));
            Assert.That(error.Message, Is.EqualTo("gone"));
            Assert.That(error.InnerException, Is.InstanceOf<IOException>());
            Assert.That(error.SqlState, Is.Null);
        });
    }

    [Test]
    public void An_exception_made_outside_the_driver_has_no_code()
    {
        Assert.Multiple(() =>
        {
            Assert.That(new PgException().Code, Is.EqualTo(PgErrorCode.Unspecified));
            Assert.That(new PgException("text").Code, Is.EqualTo(PgErrorCode.Unspecified));
            Assert.That(new PgException("text", new IOException()).Code, Is.EqualTo(PgErrorCode.Unspecified));
        });
    }

    private static IEnumerable<Exception> TransientCauses() =>
    [
        new IOException(), new EndOfStreamException(), new SocketException(10054), new TimeoutException(),
        new PgException("deeper", new TimeoutException()), new PostgresException("busy", "ERROR", "ERROR", SqlStates.DeadlockDetected),
    ];

    [TestCaseSource(nameof(TransientCauses))]
    public void A_transient_cause_makes_the_exception_transient(Exception cause) =>
        Assert.That(new PgException("outer", cause).IsTransient, Is.True);

    private static IEnumerable<Exception?> LastingCauses() =>
    [
        null, new InvalidOperationException(), new PgException("deeper"), new PostgresException("no", "ERROR", "ERROR", SqlStates.SyntaxError),
    ];

    [TestCaseSource(nameof(LastingCauses))]
    public void Another_cause_does_not(Exception? cause) => Assert.That(new PgException("outer", cause).IsTransient, Is.False);

    [Test]
    public void Only_a_code_that_speaks_of_a_passing_state_is_transient_by_itself()
    {
        var transient = Enum.GetValues<PgErrorCode>().Where(code => new PgException("text", code).IsTransient);

        Assert.That(transient, Is.EquivalentTo(new[]
        {
            PgErrorCode.ConnectionClosed, PgErrorCode.ConnectionRefused, PgErrorCode.Timeout, PgErrorCode.PoolExhausted, PgErrorCode.NoSuitableHost,
        }));
    }
}
