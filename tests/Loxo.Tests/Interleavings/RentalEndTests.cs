using System.Data;
using System.Reflection;
using Loxo.Pool;
using Loxo.Pooling;
using Loxo.Session;
using Loxo.Tests.ConnectionStrings;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Interleavings;

/// <summary>
/// The end of a rental in every order of the threads that take part in it, on a server that answers at once. Nobody touches a session that somebody else has, no
/// session has two renters, and each rental ends once.
/// </summary>
[Category("Slow")]
public class RentalEndTests
{
    private const string Settings = "Host=scripted;Username=alice;Database=shop;SSL Mode=Disable;Pooling=true;Maximum Pool Size=4;Max Auto Prepare=0;Session Reset=Always";

    // The statements of a reset. The first one ends a rental.
    private static readonly string[] Reset =
        ["SET SESSION AUTHORIZATION DEFAULT", "RESET ALL", "CLOSE ALL", "UNLISTEN *", "SELECT pg_advisory_unlock_all()", "DISCARD SEQUENCES", "DISCARD TEMP", "DEALLOCATE ALL"];

    /// <summary>What a thread does with a connection that another one closes.</summary>
    public enum Late
    {
        Close,
        Dispose,
        CloseAsync,
        CloseAndReopen,
        Command,
        CommandThatHasItsSession,
        BeginTransaction,
        BeginThatHasItsSession,
        Commit,
        Rollback,
        TakeBeginThatHasItsSession,
        UnprepareAll,
        CloseReader,
        DisposeReader,
        CloseReaderAsync,
        CloseReaderThatClosesItsConnection,
    }

    [Test]
    public void A_rental_ends_once_and_its_session_is_nobody_elses([Values] Late late) => AssertSafe(late, preemptions: 2);

    [Test, Category("Long")]
    public void A_rental_ends_once_whatever_interrupts_it([Values] Late late) => AssertSafe(late, preemptions: 4);

    // The pool takes the session of a connection that was collected; a finalizer may still have that connection.
    [Test]
    public void A_connection_whose_session_was_taken_away_touches_nobody([Values(Late.Close, Late.Command, Late.CommandThatHasItsSession, Late.BeginThatHasItsSession, Late.CloseReader)] Late late)
    {
        var interleaver = new Interleaver(preemptions: 2);

        interleaver.Explore(() => new Run { IsTakenAway = true }.Begin(late));

        TestContext.Out.WriteLine($"{interleaver.Runs} orders");
        Assert.That(interleaver.Failures, Is.Empty);
    }

    // The check can fail: a thread that claims in the name of whoever has the session now runs its command in the next rental.
    [TestCase(Late.CommandThatHasItsSession)]
    [TestCase(Late.BeginThatHasItsSession)]
    public void A_claim_that_does_not_look_at_the_owner_is_found(object late)
    {
        var interleaver = new Interleaver(preemptions: 2);

        interleaver.Explore(() => new Run { IgnoresOwner = true }.Begin((Late)late));

        Assert.That(interleaver.Failures, Is.Not.Empty);
    }

    private static void AssertSafe(Late late, int preemptions)
    {
        var interleaver = new Interleaver(preemptions);

        interleaver.Explore(() => new Run().Begin(late));

        TestContext.Out.WriteLine($"{interleaver.Runs} orders");
        Assert.That(interleaver.Failures, Is.Empty);
        Assert.That(interleaver.Runs, Is.GreaterThan(100));
    }

    /// <summary>One order of the threads: one closes a connection, one is late, and one rents next.</summary>
    private sealed class Run
    {
        private readonly AnsweringServer _server = new();
        private readonly PgDataSource _source;
        private readonly PgConnection _connection;

        public Run()
        {
            _source = new PgDataSource(Given.Settings(Settings), loggers: null, _server, new SimulatedTime());
            _source.Context.Database.HidesNothing = static _ => true;
            _connection = _source.OpenConnection();
        }

        public bool IgnoresOwner { get; init; }

        public bool IsTakenAway { get; init; }

        public (Action[] Programs, Func<string?> Check) Begin(Late late)
        {
            Scalar(_connection, 100);
            var second = LateProgram(late);
            return ([IsTakenAway ? TakeAway() : _connection.Close, second, RentNext], Check);
        }

        private Action LateProgram(Late late)
        {
            switch (late)
            {
                case Late.CloseReader or Late.DisposeReader or Late.CloseReaderAsync or Late.CloseReaderThatClosesItsConnection:
                    var behavior = late == Late.CloseReaderThatClosesItsConnection ? CommandBehavior.CloseConnection : CommandBehavior.Default;
                    var reader = new PgCommand("SELECT 101", _connection).ExecuteReader(behavior);
                    return Forgiving(late == Late.DisposeReader ? reader.Dispose : late == Late.CloseReaderAsync ? () => reader.CloseAsync().GetAwaiter().GetResult() : reader.Close);
                case Late.Commit or Late.Rollback:
                    var transaction = _connection.BeginTransaction();
                    return Forgiving(late == Late.Commit ? transaction.Commit : transaction.Rollback);
                case Late.TakeBeginThatHasItsSession:
                    _connection.BeginTransaction();
                    return Forgiving(() => WithSession((session, owner) => session.ExchangeBegin(owner, null)));
                default:
                    return Forgiving(LateCall(late));
            }
        }

        private Action LateCall(Late late) => late switch
        {
            Late.Close => _connection.Close,
            Late.Dispose => _connection.Dispose,
            Late.CloseAsync => () => _connection.CloseAsync().GetAwaiter().GetResult(),
            Late.CloseAndReopen => () =>
            {
                _connection.Close();
                _connection.Open();
                Scalar(_connection, 102);
                _connection.Close();
            },
            Late.Command => () => Scalar(_connection, 101),
            Late.CommandThatHasItsSession => () => WithSession((session, owner) =>
            {
                var command = session.Begin(owner, static (session, sql) => session.Simple.Start(sql), "SELECT 101");
                session.Pump(command, Timeout.Infinite);
                session.End();
            }),
            Late.BeginTransaction => () => _connection.BeginTransaction(),
            Late.BeginThatHasItsSession => () => WithSession((session, owner) => session.ExchangeBegin(owner, "BEGIN")),
            _ => _connection.UnprepareAll,
        };

        // As every member does: it gets the session from the connection first, and claims it then.
        private void WithSession(Action<ServerSession, ISessionListener> use)
        {
            var session = _connection.OpenSession();
            Interleaver.Point();
            use(session, IgnoresOwner ? Owner(session) ?? _connection : _connection);
        }

        private static ISessionListener? Owner(ServerSession session)
        {
            var field = typeof(ServerSession).GetField("_listener", BindingFlags.NonPublic | BindingFlags.Instance)!;
            return ((WeakReference<ISessionListener?>)field.GetValue(session)!).TryGetTarget(out var owner) ? owner : null;
        }

        private Action TakeAway()
        {
            var rental = (Rental<PooledSession>)typeof(PgConnection).GetField("_rental", BindingFlags.NonPublic | BindingFlags.Instance)!.GetValue(_connection)!;
            return Forgiving(() =>
            {
                if (!rental.IsValid)
                    return;
                if (SessionDrain.SkipRest(rental.Resource.Session))
                    rental.Resource.Session.End();
                Interleaver.Point();
                _source.Pool!.Return(rental);
            });
        }

        // Somebody who must not notice anything.
        private void RentNext()
        {
            using var next = _source.OpenConnection();
            Interleaver.Point();
            Scalar(next, 200);
            Interleaver.Point();
            using var transaction = next.BeginTransaction();
            Interleaver.Point();
            Scalar(next, 201);
            transaction.Commit();
        }

        // The one who is late may be told so.
        private static Action Forgiving(Action action) => () =>
        {
            try
            {
                action();
            }
            catch (Exception error) when (error is PgException or InvalidOperationException)
            {
            }
        };

        private static void Scalar(PgConnection connection, int value)
        {
            using var command = new PgCommand($"SELECT {value}", connection);
            if (command.ExecuteScalar() is var read && !Equals(read, value))
                throw new AssertionException($"read {read ?? "nothing"} for {value}");
        }

        private string? Check()
        {
            _connection.Close();
            foreach (var rental in _server.Sessions.SelectMany(Rentals))
            {
                if (rental.Contains("SELECT 20", StringComparison.Ordinal) && rental != "SELECT 200; BEGIN; SELECT 201; COMMIT")
                    return $"a rental ran {rental}";
            }
            var statistics = _source.Pool!.GetStatistics();
            if (statistics.Busy != 0 || statistics.Total != statistics.Idle)
                return $"{statistics.Busy} sessions are rented, {statistics.Idle} of {statistics.Total} idle";
            _source.Dispose();
            return null;
        }

        private static IEnumerable<string> Rentals(List<string> statements)
        {
            var text = string.Join("; ", statements.Where(sql => sql == Reset[0] || !Reset.Contains(sql)).Select(sql => sql.StartsWith("BEGIN", StringComparison.Ordinal) ? "BEGIN" : sql));
            return text.Split(Reset[0]).Select(rental => rental.Trim(';', ' '));
        }
    }
}
