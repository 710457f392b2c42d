using Loxo.Diagnostics;
using Loxo.Session;
using Microsoft.Extensions.Logging;

namespace Loxo.Pool;

/// <summary>Finds sessions that <see cref="SessionReset.Auto"/> would have handed on without a reset although they were changed.</summary>
internal sealed class SessionVerifier(SessionContext context, ILogger log, Action<PgSessionLeakEventArgs>? leaked)
{
    /// <summary>Starts to record a session, and asks for its state unless the socket takes nothing now.</summary>
    public static void Begin(ServerSession session)
    {
        var record = new RentalRecord();
        session.Record = record;
        session.Begin(
            owner: null,
            static (session, record) =>
            {
                session.Deferred.Write(SessionFingerprint.Query([]), (row, _) => record.Before = row);
                return session.Deferred.Send();
            },
            record);
    }

    /// <summary>Writes a reset; in front of it, if Auto would have left the session alone, and behind it asks for the state.</summary>
    public void Write(ServerSession session, string reset, bool wasTrusted)
    {
        var record = session.Record!;
        var statements = record.TakeStatements();
        var query = SessionFingerprint.Query(wasTrusted ? RentalRecord.DottedNames(statements) : []);
        var rental = wasTrusted ? new Rental(session.ProcessId, statements, [.. session.Statements.NamesOnServer]) : null;
        if (ResetText.For(session.TransactionStatus, mustReset: false, withStatements: false) is { } rollback)
            session.Deferred.Write(rollback);
        if (rental is not null)
            session.Deferred.Write(query, (row, error) => rental.Compare(record.Before, row, error));
        session.Deferred.Write(ResetText.WithoutRollback(reset));
        session.Deferred.Write(query, (row, _) =>
        {
            record.Before = row;
            if (rental is not null)
                End(rental, row);
        });
    }

    private void End(Rental rental, string?[]? reset)
    {
        if (rental.Error is { } error)
            PoolLog.VerificationFailed(log, context.Settings.Database, error);
        if (rental.After is not { } after)
            return;
        string[] differences = reset is null
            ? [.. rental.Differences]
            : [.. rental.Differences, .. SessionFingerprint.CustomDifferences(after, reset)];
        if (differences.Length == 0)
            return;
        PoolLog.SessionLeaked(log, context.Settings.Database, rental.ProcessId, string.Join("; ", differences),
            string.Join(";\n", rental.Statements));
        try
        {
            leaked?.Invoke(new PgSessionLeakEventArgs(context.Settings.Database, context.Transport.Host.ToString(), rental.ProcessId,
                differences, rental.Statements));
        }
        catch (Exception)
        {
            // An error of a handler is no error of the command that happens to run.
        }
    }

    /// <summary>A rental that Auto would have called plain, and the state in which it left its session.</summary>
    private sealed class Rental(int processId, IReadOnlyList<string> statements, string[] prepared)
    {
        public int ProcessId => processId;

        public IReadOnlyList<string> Statements => statements;

        public string?[]? After { get; private set; }

        public string? Error { get; private set; }

        public IEnumerable<string> Differences { get; private set; } = [];

        public void Compare(string?[]? before, string?[]? after, ServerErrorFields? error)
        {
            Error = error?.MessageText ?? error?.SqlState;
            if (before is null || after is null)
                return;
            After = after;
            Differences = [.. SessionFingerprint.Differences(before, after), .. SessionFingerprint.Forgotten(prepared, after)];
        }
    }
}
