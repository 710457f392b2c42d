namespace Loxo.Copy;

/// <summary>Runs the statements of a bulk copy besides COPY.</summary>
/// <param name="connection">Where they run.</param>
/// <param name="timeout">How long each may take; zero for no limit, null for the connection's own limit.</param>
internal sealed class BulkCommands(PgConnection connection, TimeSpan? timeout)
{
    /// <summary>Runs a statement without rows, blocking.</summary>
    public void Execute(string sql)
    {
        using var command = Command(sql);
        command.ExecuteNonQuery();
    }

    /// <inheritdoc cref="Execute"/>
    public async Task ExecuteAsync(string sql, CancellationToken token)
    {
        using var command = Command(sql);
        await command.ExecuteNonQueryAsync(token).ConfigureAwait(false);
    }

    /// <summary>Moves the rows of the temporary table, blocking.</summary>
    /// <returns>How many of them are new, and how many have replaced others.</returns>
    public (long Inserted, long Updated) Merge(string sql)
    {
        using var command = Command(sql);
        using var reader = command.ExecuteReader();
        reader.Read();
        return (reader.GetInt64(0), reader.GetInt64(1));
    }

    /// <inheritdoc cref="Merge"/>
    public async Task<(long Inserted, long Updated)> MergeAsync(string sql, CancellationToken token)
    {
        using var command = Command(sql);
        var reader = await command.ExecuteReaderAsync(token).ConfigureAwait(false);
        await using (reader.ConfigureAwait(false))
        {
            await reader.ReadAsync(token).ConfigureAwait(false);
            return (reader.GetInt64(0), reader.GetInt64(1));
        }
    }

    private PgCommand Command(string sql)
    {
        var command = new PgCommand(sql, connection);
        if (timeout is { } limit)
            command.CommandTimeout = limit <= TimeSpan.Zero ? 0 : (int)Math.Ceiling(limit.TotalSeconds);
        return command;
    }
}
