using System.Runtime.CompilerServices;
using Loxo.Pool;
using Loxo.Session;

namespace Loxo.Commands;

/// <summary>Runs commands of the driver on a connection: COMMIT, ROLLBACK, savepoints.</summary>
internal static class OwnCommand
{
    /// <summary>The statement whose outcome matters if the connection is lost.</summary>
    public const string Commit = "COMMIT";

    /// <summary>Runs a command, blocking, and returns its tag.</summary>
    /// <param name="connection">Where it runs.</param>
    /// <param name="sql">A single statement.</param>
    /// <param name="completes">The transaction that is over if none is open afterwards; null for none.</param>
    /// <param name="begin">The BEGIN in front of it; null for none.</param>
    public static string Run(PgConnection connection, string sql, PgTransaction? completes, string? begin = null)
    {
        var session = OwnSession.Of(connection, PgOwnSessionReason.Other, sql);
        var command = session.Begin(connection, static (session, own) => session.Simple.Start(own.Sql, own.Begin),
            (Sql: sql, Begin: begin));
        try
        {
            session.Pump(command, connection.OwnTimeout);
        }
        catch (Exception) when (command.HasCommitted)
        {
            // The connection is lost, as its next use says; the transaction is not.
        }
        catch (Exception e) when (sql == Commit && IsOutcomeUnknown(session, e))
        {
            throw TransactionText.OutcomeUnknown(e);
        }
        return End(connection, session, command, completes, CancellationToken.None);
    }

    /// <inheritdoc cref="Run"/>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public static async ValueTask<string> RunAsync(
        PgConnection connection, string sql, PgTransaction? completes, CancellationToken token, string? begin = null)
    {
        var session = OwnSession.Of(connection, PgOwnSessionReason.Other, sql);
        var command = await session.BeginAsync(connection, static (session, own) => session.Simple.Start(own.Sql, own.Begin),
            (Sql: sql, Begin: begin)).ConfigureAwait(false);
        try
        {
            await session.PumpAsync(command, connection.OwnTimeout, token).ConfigureAwait(false);
        }
        catch (Exception) when (command.HasCommitted)
        {
            // As in Run.
        }
        catch (Exception e) when (sql == Commit && IsOutcomeUnknown(session, e))
        {
            throw TransactionText.OutcomeUnknown(e);
        }
        return End(connection, session, command, completes, token);
    }

    /// <summary>Whether the server may have committed although its COMMIT, which was sent, has thrown.</summary>
    /// <param name="session">Where COMMIT was sent.</param>
    /// <param name="error">
    /// An error of the server in place of the answer was raised before it has committed: from there to the answer it holds interrupts off
    /// (CommitTransaction, xact.c).
    /// </param>
    public static bool IsOutcomeUnknown(ServerSession session, Exception error) =>
        session.State == SessionState.Broken && error is not PostgresException;

    private static string End(
        PgConnection connection, ServerSession session, SimpleCommand command, PgTransaction? completes, CancellationToken token)
    {
        var error = !command.HasCommitted && command.Error is { } fields
            ? CommandRunner.ErrorOf(session, fields, session.StopReason, token)
            : null;
        if (command.HasCommitted || session.TransactionStatus == Protocol.TransactionStatus.Idle)
            completes?.Complete();
        var tag = command.Tag;
        if (tag == ResetText.ForgetStatements)
            session.Statements.ServerForgotAll();
        // Last: from here on the session, and with it the command, may be another connection's.
        session.End();
        connection.CommandEnded();
        return error is null ? tag : throw error;
    }
}
