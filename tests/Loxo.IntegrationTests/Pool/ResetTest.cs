namespace Loxo.IntegrationTests.Pool;

/// <summary>A test of what one user of a session leaves to the next.</summary>
public abstract class ResetTest(WaitMode mode) : PoolTest(mode)
{
    // One session, so that the next renter gets what the one before had; nothing prepared unasked, so that what is prepared was leaked.
    private protected const string OneSession = "Maximum Pool Size=1;Max Auto Prepare=0;Application Name=reset";

    /// <summary>All that a session can have been left with, as text. Only names of pg_catalog, so that search_path cannot matter.</summary>
    private const string Everything = """
        SELECT pg_catalog.concat_ws(' | ',
            (SELECT pg_catalog.string_agg(name || '=' || setting, ',' ORDER BY name) FROM pg_catalog.pg_settings WHERE source = 'session'),
            'locks ' || (SELECT pg_catalog.count(*) FROM pg_catalog.pg_locks WHERE locktype = 'advisory' AND pid = pg_catalog.pg_backend_pid()),
            'listens ' || (SELECT pg_catalog.count(*) FROM pg_catalog.pg_listening_channels()),
            'prepared ' || (SELECT pg_catalog.count(*) FROM pg_catalog.pg_prepared_statements),
            'cursors ' || (SELECT pg_catalog.count(*) FROM pg_catalog.pg_cursors WHERE is_holdable),
            'temporary ' || (SELECT pg_catalog.count(*) FROM pg_catalog.pg_class WHERE relnamespace = pg_catalog.pg_my_temp_schema()),
            'users ' || (session_user <> (SELECT usename FROM pg_catalog.pg_stat_activity WHERE pid = pg_catalog.pg_backend_pid()))::text || ' ' || (current_user <> session_user)::text)
        """;

    private protected async Task<string> State(PgConnection connection) => (string)(await Scalar(connection, Everything))!;

    /// <summary>Rents and gives back until no reset follows on a plain statement: the database has been looked through and hides nothing.</summary>
    private protected async Task LookedThrough(PgDataSource source)
    {
        for (var round = 0; round < 10; round++)
        {
            if (!await IsResetAfter(source, "SELECT 1"))
                return;
        }
        Assert.Fail("Plain statements are still followed by a reset: " + string.Join("; ", Log.Of(2005).Concat(Log.Of(2006)).Select(entry => entry.Text)));
    }

    /// <summary>Rents and gives back until it has been logged that the database hides something.</summary>
    private protected async Task FoundOffending(PgDataSource source)
    {
        for (var round = 0; round < 10 && Log.Of(2005).Count == 0; round++)
            Assert.That(await IsResetAfter(source, "SELECT 1"), Is.True, "nothing is proven yet");
        await Logged(2005);
    }

    /// <summary>Whether something is sent when a session comes back on which that statement ran.</summary>
    private protected async Task<bool> IsResetAfter(PgDataSource source, params string[] statements)
    {
        var connection = await Rent(source);
        foreach (var sql in statements)
            await Execute(connection, sql);
        return await IsResetByClose(connection);
    }

    private protected async Task<bool> IsResetByClose(PgConnection connection)
    {
        var session = connection.Session!;
        await Mode.Close(connection);
        return session.Deferred.IsDue;
    }
}
