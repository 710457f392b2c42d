using System.Data;
using System.Data.Common;

namespace Loxo.Commands;

/// <summary>Opens readers; after an error, CloseConnection holds as if the reader had been closed.</summary>
internal static class ReaderRunner
{
    /// <inheritdoc cref="CommandRunner.Reader"/>
    public static PgDataReader Open(IExecutable command, CommandBehavior behavior)
    {
        try
        {
            return CommandRunner.Reader(command, behavior);
        }
        catch when (Closes(behavior))
        {
            command.Connection?.Close();
            throw;
        }
    }

    /// <inheritdoc cref="CommandRunner.ReaderAsync"/>
    public static Task<T> OpenAsync<T>(IExecutable command, CommandBehavior behavior, CancellationToken token)
        where T : DbDataReader => Closes(behavior)
            ? OpenOrCloseAsync<T>(command, behavior, token)
            : CommandRunner.ReaderAsync<T>(command, behavior, token);

    private static async Task<T> OpenOrCloseAsync<T>(IExecutable command, CommandBehavior behavior, CancellationToken token)
        where T : DbDataReader
    {
        try
        {
            return await CommandRunner.ReaderAsync<T>(command, behavior, token).ConfigureAwait(false);
        }
        catch
        {
            if (command.Connection is { } connection)
                await connection.CloseAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Closes a reader, if there is one. An error in what is left unread does not matter to somebody who rolls back.</summary>
    public static void Close(PgDataReader? reader)
    {
        try
        {
            reader?.Close();
        }
        catch (DbException)
        {
        }
    }

    /// <summary>As <see cref="Close"/>, if it has to be read to the end.</summary>
    public static void CloseChange(PgDataReader? reader)
    {
        if (reader is { MustBeRead: true })
            Close(reader);
    }

    /// <inheritdoc cref="Close"/>
    public static async ValueTask CloseAsync(PgDataReader? reader)
    {
        try
        {
            if (reader is not null)
                await reader.CloseAsync().ConfigureAwait(false);
        }
        catch (DbException)
        {
        }
    }

    /// <summary>The command of a reader has been skipped to its end, for somebody who does not want to know its error.</summary>
    public static void EndAbandoned(PgDataReader? reader)
    {
        try
        {
            if (reader is not null)
                CommandRunner.End(reader.Owner, reader.Exchange, CancellationToken.None);
        }
        catch (Exception e) when (e is DbException or InvalidOperationException)
        {
            // The command's parameters have been changed so that its error cannot be explained.
        }
    }

    private static bool Closes(CommandBehavior behavior) => (behavior & CommandBehavior.CloseConnection) != 0;
}
