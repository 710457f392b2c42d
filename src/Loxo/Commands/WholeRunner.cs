using System.Data;

namespace Loxo.Commands;

/// <summary>
/// Runs a command for its first value or its output parameters, through a reader that no user gets. Where something may have changed, the
/// reader goes to the end: closing it early would hide that the command was cancelled and its changes undone.
/// </summary>
internal static class WholeRunner
{
    /// <summary>As <see cref="CommandRunner.NonQuery"/>, for a command with output parameters.</summary>
    public static int NonQuery(IExecutable command)
    {
        using var reader = CommandRunner.Reader(command, CommandBehavior.SingleResult);
        reader.NextResult();
        return reader.RecordsAffected;
    }

    /// <inheritdoc cref="NonQuery"/>
    public static async Task<int> NonQueryAsync(IExecutable command, CancellationToken token)
    {
        var reader = await CommandRunner.ReaderAsync<PgDataReader>(command, CommandBehavior.SingleResult, token).ConfigureAwait(false);
        await using (reader.ConfigureAwait(false))
        {
            await reader.NextResultAsync(reader.TokenOf(token)).ConfigureAwait(false);
            return reader.RecordsAffected;
        }
    }

    /// <summary>The first column of the first row, or null.</summary>
    public static object? Scalar(IExecutable command)
    {
        var reader = CommandRunner.Reader(command, CommandBehavior.SingleRow, TakeReader(command));
        object? value;
        using (reader)
        {
            value = reader.Read() ? reader.GetScalar() : null;
            if (MustEnd(command, reader))
                reader.NextResult();
        }
        command.Execution.ReaderOfScalars = reader;
        return value;
    }

    /// <inheritdoc cref="Scalar"/>
    public static async Task<object?> ScalarAsync(IExecutable command, CancellationToken token)
    {
        var running = CommandRunner.ReaderAsync<PgDataReader>(command, CommandBehavior.SingleRow, token, TakeReader(command));
        var reader = await running.ConfigureAwait(false);
        object? value;
        await using (reader.ConfigureAwait(false))
        {
            value = await reader.ReadAsync(token).ConfigureAwait(false) ? reader.GetScalar() : null;
            if (MustEnd(command, reader))
                await reader.NextResultAsync(reader.TokenOf(token)).ConfigureAwait(false);
        }
        command.Execution.ReaderOfScalars = reader;
        return value;
    }

    /// <summary>Passes over the results that follow. Each fills the output parameters of its command.</summary>
    /// <returns>False: there is no other result.</returns>
    public static bool PassOver(PgDataReader reader)
    {
        while (reader.EnterNext())
        {
            // Entering it fills them.
        }
        return false;
    }

    /// <inheritdoc cref="PassOver"/>
    public static async Task<bool> PassOverAsync(PgDataReader reader, Task<bool> entering, CancellationToken token)
    {
        while (await entering.ConfigureAwait(false))
            entering = reader.EnterNextAsync(reader.TokenOf(token));
        return false;
    }

    /// <summary>
    /// Whether a reader that has the value goes on to the end. The value of a query is right also when the rest is cancelled, but what
    /// other statements have changed is undone then.
    /// </summary>
    public static bool MustEnd(IExecutable command, PgDataReader reader) =>
        !reader.HasEnded && (command.HasOutputs || !reader.Exchange.Query.OnlyReads);

    // A reader is used again only where no user has it: an old reference must never reach the results of a later run. Two runs of a
    // command at once, in lanes, must not share one.
    private static PgDataReader? TakeReader(IExecutable command)
    {
        ref var execution = ref command.Execution;
        (var reader, execution.ReaderOfScalars) = (execution.ReaderOfScalars, null);
        return reader;
    }
}
