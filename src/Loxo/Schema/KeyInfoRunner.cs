using System.Data;
using System.Data.Common;
using Loxo.Commands;
using Loxo.Parameters;
using Loxo.Protocol;

namespace Loxo.Schema;

/// <summary>
/// Executes commands with <see cref="CommandBehavior.KeyInfo"/>: describes the statements, asks the catalogue about the columns that are
/// not known, and runs them. Without KeyInfo the command just runs.
/// </summary>
internal static class KeyInfoRunner
{
    private const string Savepoint = "loxo_key_info";

    /// <summary>Runs a command, blocking.</summary>
    public static PgDataReader Reader(IExecutable command, CommandBehavior behavior)
    {
        DefinedValue.Check(behavior);
        if ((behavior & CommandBehavior.KeyInfo) == 0)
            return ReaderRunner.Open(command, behavior);
        var lent = CommandRunner.Lend(command);
        try
        {
            var info = Read(command);
            var reader = CommandRunner.Reader(command, Closing(behavior, lent));
            reader.KeyInfo = info;
            return reader;
        }
        catch
        {
            if (lent is not null)
                lent.Dispose();
            else if ((behavior & CommandBehavior.CloseConnection) != 0)
                command.Connection?.Close();
            throw;
        }
    }

    /// <inheritdoc cref="Reader"/>
    /// <typeparam name="T">The reader's type as the caller names it.</typeparam>
    public static Task<T> ReaderAsync<T>(IExecutable command, CommandBehavior behavior, CancellationToken token)
        where T : DbDataReader
    {
        DefinedValue.Check(behavior);
        return (behavior & CommandBehavior.KeyInfo) == 0
            ? ReaderRunner.OpenAsync<T>(command, behavior, token)
            : ReaderWithInfoAsync<T>(command, behavior, token);
    }

    private static async Task<T> ReaderWithInfoAsync<T>(IExecutable command, CommandBehavior behavior, CancellationToken token)
        where T : DbDataReader
    {
        token.ThrowIfCancellationRequested();
        var lent = await CommandRunner.LendAsync(command, token).ConfigureAwait(false);
        try
        {
            OwnSession.Note(command.Connection, PgOwnSessionReason.Unsuited, LaneSet.TextOf(command));
            await CommandRunner.BindAsync(command, token).ConfigureAwait(false);
            var info = await ReadAsync(command, token).ConfigureAwait(false);
            var reader = await CommandRunner.ReaderAsync<PgDataReader>(command, Closing(behavior, lent), token).ConfigureAwait(false);
            reader.KeyInfo = info;
            return (T)(DbDataReader)reader;
        }
        catch
        {
            if (lent is not null)
                await lent.DisposeAsync().ConfigureAwait(false);
            else if ((behavior & CommandBehavior.CloseConnection) != 0 && command.Connection is { } connection)
                await connection.CloseAsync().ConfigureAwait(false);
            throw;
        }
    }

    private static CommandBehavior Closing(CommandBehavior behavior, PgConnection? lent) =>
        lent is null ? behavior : behavior | CommandBehavior.CloseConnection;

    private static KeyInfo Read(IExecutable command)
    {
        var isScript = IsScript(command);
        var isGuarded = isScript && IsInTransaction(command);
        var connection = command.Connection!;
        var info = new KeyInfo(connection, CommandRunner.SessionOf(command), isScript);
        if (isGuarded)
            Own(connection, "SAVEPOINT").ExecuteNonQuery();
        try
        {
            using var described = CommandRunner.Reader(command, CommandBehavior.SchemaOnly);
            do
            {
                info.Want(described);
            }
            while (described.NextResult());
        }
        catch (PgException) when (isScript && connection.State == ConnectionState.Open)
        {
            // A statement needs what an earlier one makes: its columns stay without facts.
            if (isGuarded)
                Own(connection, "ROLLBACK TO SAVEPOINT").ExecuteNonQuery();
        }
        if (isGuarded)
            Own(connection, "RELEASE SAVEPOINT").ExecuteNonQuery();
        if (info.Wanted is not { Length: > 0 } wanted)
            return info;
        using var rows = Query(wanted, command).ExecuteReader();
        while (rows.Read())
            info.Add(new ColumnFacts(rows));
        return info;
    }

    private static async Task<KeyInfo> ReadAsync(IExecutable command, CancellationToken token)
    {
        var isScript = IsScript(command);
        var isGuarded = isScript && IsInTransaction(command);
        var connection = command.Connection!;
        var info = new KeyInfo(connection, CommandRunner.SessionOf(command), isScript);
        if (isGuarded)
            await Own(connection, "SAVEPOINT").ExecuteNonQueryAsync(token).ConfigureAwait(false);
        try
        {
            var described = await CommandRunner.ReaderAsync<PgDataReader>(command, CommandBehavior.SchemaOnly, token)
                .ConfigureAwait(false);
            await using var closing = described.ConfigureAwait(false);
            do
            {
                info.Want(described);
            }
            while (await described.NextResultAsync(token).ConfigureAwait(false));
        }
        catch (PgException) when (isScript && connection.State == ConnectionState.Open)
        {
            // As above.
            if (isGuarded)
                await Own(connection, "ROLLBACK TO SAVEPOINT").ExecuteNonQueryAsync(token).ConfigureAwait(false);
        }
        if (isGuarded)
            await Own(connection, "RELEASE SAVEPOINT").ExecuteNonQueryAsync(token).ConfigureAwait(false);
        if (info.Wanted is not { Length: > 0 } wanted)
            return info;
        var rows = await Query(wanted, command).ExecuteReaderAsync(token).ConfigureAwait(false);
        await using var closingRows = rows.ConfigureAwait(false);
        while (await rows.ReadAsync(token).ConfigureAwait(false))
            info.Add(new ColumnFacts(rows));
        return info;
    }

    // Several statements: what one of them makes, the next one may need.
    private static bool IsScript(IExecutable command) => command.Plan(CommandRunner.SessionOf(command)).Length > 1;

    private static bool IsInTransaction(IExecutable command) =>
        CommandRunner.SessionOf(command) is { PendingBegin: not null } or { TransactionStatus: not TransactionStatus.Idle };

    private static PgCommand Own(PgConnection connection, string what) => new($"{what} {Savepoint}", connection);

    private static PgCommand Query((uint Table, short Number)[] wanted, IExecutable command)
    {
        var query = new PgCommand(ColumnFacts.Sql, command.Connection)
        {
            AutoPrepare = false,
            CommandTimeout = command.TimeoutMilliseconds is > 0 and var milliseconds ? Math.Max(1, milliseconds / 1000) : 0,
        };
        query.Parameters.Add(new PgParameter { DataTypeName = "oid[]", Value = Array.ConvertAll(wanted, column => column.Table) });
        query.Parameters.Add(new PgParameter { DataTypeName = "int2[]", Value = Array.ConvertAll(wanted, column => column.Number) });
        return query;
    }
}
