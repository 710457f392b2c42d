using System.Transactions;
using Loxo.Tests.ConnectionStrings;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Interleavings;

/// <summary>
/// The end of an ambient transaction in every order of the threads that take part in it, on a server that answers at once. No statement of the transaction runs
/// outside of it, and the next renter gets no session whose transaction has not ended.
/// </summary>
[Category("Slow")]
public class ScopeEndTests
{
    // A running command is not cancelled, as that takes threads of its own: its connection is closed.
    private const string Settings = "Host=scripted;Username=alice;Database=shop;SSL Mode=Disable;Pooling=true;Maximum Pool Size=4;Max Auto Prepare=0;Cancellation Timeout=-1";

    /// <summary>What a thread does with the connection while another one ends the transaction.</summary>
    public enum Meanwhile
    {
        Nothing,
        Command,
        Commands,
        CommandAndClose,

        /// <summary>A reader that is read to its end, and is open when the connection is closed.</summary>
        ReaderAndClose,
        Close,
        CloseAndReopen,
        CommandOfDataSource,
        OpenAnother,
    }

    [Test]
    public void Nothing_runs_behind_the_end([Values] bool commit, [Values] Meanwhile meanwhile, [Values("Auto", "Always")] string reset) =>
        AssertSafe(commit, meanwhile, reset, preemptions: 2);

    [Test, Category("Long")]
    public void Nothing_runs_behind_the_end_whatever_interrupts_it([Values] bool commit, [Values] Meanwhile meanwhile) =>
        AssertSafe(commit, meanwhile, "Always", preemptions: 3);

    private static void AssertSafe(bool commit, Meanwhile meanwhile, string reset, int preemptions)
    {
        var interleaver = new Interleaver(preemptions);

        interleaver.Explore(() => new Run(reset).Begin(commit, meanwhile));

        TestContext.Out.WriteLine($"{interleaver.Runs} orders");
        Assert.That(interleaver.Failures, Is.Empty);
        Assert.That(interleaver.Runs, Is.GreaterThan(10));
    }

    private sealed class Run
    {
        private readonly AnsweringServer _server = new();
        private readonly CommittableTransaction _transaction = new();
        private readonly PgDataSource _source;
        private readonly PgConnection _connection;

        public Run(string reset)
        {
            _source = new PgDataSource(Given.Settings($"{Settings};Session Reset={reset}"), loggers: null, _server, new SimulatedTime());
            _source.Context.Database.HidesNothing = static _ => true;
            _connection = _source.OpenConnection();
            _connection.EnlistTransaction(_transaction);
            Scalar(_connection, 300);
        }

        public (Action[] Programs, Func<string?> Check) Begin(bool commit, Meanwhile meanwhile) =>
            ([Forgiving(commit ? _transaction.Commit : _transaction.Rollback), Forgiving(() => Do(meanwhile)), RentNext], Check);

        private void Do(Meanwhile meanwhile)
        {
            switch (meanwhile)
            {
                case Meanwhile.Command or Meanwhile.Commands or Meanwhile.CommandAndClose:
                    Scalar(_connection, 301);
                    if (meanwhile == Meanwhile.Commands)
                        Scalar(_connection, 302);
                    if (meanwhile == Meanwhile.CommandAndClose)
                        _connection.Close();
                    break;
                case Meanwhile.ReaderAndClose:
                    using (var command = new PgCommand("SELECT 301", _connection))
                    {
                        var reader = command.ExecuteReader();
                        while (reader.Read())
                        {
                        }
                        _connection.Close();
                    }
                    break;
                case Meanwhile.Close or Meanwhile.CloseAndReopen:
                    _connection.Close();
                    if (meanwhile == Meanwhile.CloseAndReopen)
                        InTransaction(() =>
                        {
                            _connection.Open();
                            Scalar(_connection, 303);
                        });
                    break;
                case Meanwhile.CommandOfDataSource:
                    InTransaction(() =>
                    {
                        using var command = _source.CreateCommand("SELECT 304");
                        command.ExecuteScalar();
                    });
                    break;
                case Meanwhile.OpenAnother:
                    InTransaction(() =>
                    {
                        using var another = _source.OpenConnection();
                    });
                    break;
            }
        }

        private void InTransaction(Action action)
        {
            Transaction.Current = _transaction;
            try
            {
                action();
            }
            finally
            {
                Transaction.Current = null;
            }
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

        // The transaction may be over.
        private static Action Forgiving(Action action) => () =>
        {
            try
            {
                action();
            }
            catch (Exception error) when (error is PgException or InvalidOperationException or TransactionException)
            {
            }
        };

        private static void Scalar(PgConnection connection, int value)
        {
            using var command = new PgCommand($"SELECT {value}", connection);
            if (command.ExecuteScalar() is var read && !Equals(read, value))
                throw new AssertionException($"read {read ?? "nothing"} for {value}");
        }

        // A command of the transaction may run behind a commit, on a connection that has left it: that is what ADO.NET promises.
        private string? Check()
        {
            var isCommitted = _transaction.TransactionInformation.Status == TransactionStatus.Committed;
            _connection.Close();
            _transaction.Dispose();
            var closed = 0;
            foreach (var statements in _server.Sessions)
            {
                if (Misplaced(statements, isCommitted, ref closed) is { } statement)
                    return $"{statement} in {string.Join("; ", statements)}";
            }
            var statistics = _source.Pool!.GetStatistics();
            if (statistics.Total > _server.Sessions.Count - closed)
                return "the pool has a session whose transaction is open";
            if (statistics.Busy != 0 || statistics.Total != statistics.Idle)
                return $"{statistics.Busy} sessions are rented, {statistics.Idle} of {statistics.Total} idle";
            _source.Dispose();
            return null;
        }

        private static string? Misplaced(List<string> statements, bool isCommitted, ref int closed)
        {
            var begin = "";
            foreach (var statement in statements)
            {
                if (statement.StartsWith("BEGIN", StringComparison.Ordinal))
                    begin = statement;
                else if (statement is "COMMIT" or "ROLLBACK")
                    begin = "";
                var isRight = statement switch
                {
                    "SELECT 200" => begin.Length == 0,
                    "SELECT 201" => begin == "BEGIN",
                    "SELECT 300" => begin == "BEGIN ISOLATION LEVEL SERIALIZABLE",
                    "SELECT 301" or "SELECT 302" or "SELECT 303" or "SELECT 304" => begin == "BEGIN ISOLATION LEVEL SERIALIZABLE" || (isCommitted && begin.Length == 0),
                    _ => true,
                };
                if (!isRight)
                    return statement;
            }
            if (begin.Length == 0)
                return null;
            // A connection that was closed under its command, or under the reset in front of it, sends no ROLLBACK.
            closed++;
            return statements[^1].StartsWith("SELECT 30", StringComparison.Ordinal)
                || statements[^1].StartsWith("DISCARD", StringComparison.Ordinal) ? null : "the open transaction";
        }
    }
}
