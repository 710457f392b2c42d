using System.Data;

namespace Loxo.IntegrationTests.Multiplexing;

/// <summary>What needs a session of its own works on a connection whose commands run in lanes, and so does what belongs to a session.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class LaneSessionTests(WaitMode mode) : LaneTest(mode)
{
    [Test]
    public async Task Open_reports_a_wrong_password_as_without_lanes()
    {
        var wrong = TestServer.Passwords.ConnectionString + $";Username={TestServer.ScramUser};Password=hush";
        var expected = await Catch<PostgresException>(() => Open(wrong));
        var error = await Catch<PostgresException>(() => Open(wrong + ";Multiplexing=true"));
        Assert.That(expected.SqlState, Is.EqualTo("28P01"));
        Assert.That((error.SqlState, error.Message), Is.EqualTo((expected.SqlState, expected.Message)));
    }

    [Test]
    public async Task Open_reports_an_unreachable_server_as_without_lanes()
    {
        const string Nowhere = "Host=127.0.0.1;Port=1;Username=alice;Database=shop";
        var expected = await Catch<PgException>(() => Open(Nowhere));
        var error = await Catch<PgException>(() => Open(Nowhere + ";Multiplexing=true"));
        Assert.That((error.Code, error.Message), Is.EqualTo((expected.Code, expected.Message)));
        await using var source = PgDataSource.Create(Nowhere + ";Multiplexing=true");
        error = await Catch<PgException>(() => Run(source, "SELECT 1"));
        Assert.That((error.Code, error.Message), Is.EqualTo((expected.Code, expected.Message)));
    }

    [Test]
    public async Task A_notice_reaches_the_handler_of_the_connection()
    {
        await Execute("CREATE OR REPLACE FUNCTION laned_notice(text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '%', $1; RETURN 1; END $$");
        try
        {
            await using var connection = Source.CreateConnection();
            var heard = new List<string>();
            connection.Notice += (_, e) => heard.Add(e.Notice.MessageText);
            await Mode.Open(connection);
            for (var i = 0; i < 3; i++)
            {
                await Run(connection, "SELECT laned_notice('hello')");
                await Run(connection, "SELECT 1");
            }
            await Run(connection, "DO $$ BEGIN RAISE NOTICE 'done'; END $$");
            Assert.That(heard, Is.EqualTo(["hello", "hello", "hello", "done"]));
        }
        finally
        {
            await Execute("DROP FUNCTION laned_notice");
        }
    }

    [Test]
    public async Task An_inserted_key_comes_from_returning_or_from_lastval_in_a_transaction()
    {
        await Execute("DROP TABLE IF EXISTS laned_keys; CREATE TABLE laned_keys (id serial, name text)");
        try
        {
            await using var connection = Source.CreateConnection();
            await Mode.Open(connection);
            for (var i = 1; i <= 5; i++)
                Assert.That(await Run(connection, "INSERT INTO laned_keys (name) VALUES ('a') RETURNING id"), Is.EqualTo(i));
            Assert.That(connection.ProcessID, Is.Zero);
            await using (var transaction = connection.BeginTransaction())
            {
                await Run(connection, "INSERT INTO laned_keys (name) VALUES ('b')");
                Assert.That(await Run(connection, "SELECT lastval()"), Is.EqualTo(6));
                await Mode.Commit(transaction);
            }
            // Outside it is that of some session, which may have inserted nothing.
            try
            {
                Assert.That(await Run(connection, "SELECT lastval()"), Is.InRange(1, 6));
            }
            catch (PostgresException e)
            {
                Assert.That(e.SqlState, Is.EqualTo(SqlStates.ObjectNotInPrerequisiteState));
            }
            Assert.That(await Run(connection, "SELECT count(*) FROM laned_keys"), Is.EqualTo(6));
        }
        finally
        {
            await Execute("DROP TABLE laned_keys");
        }
    }

    [Test]
    public async Task A_command_that_was_prepared_keeps_its_session_until_the_connection_is_closed()
    {
        await using var connection = Source.CreateConnection();
        await Mode.Open(connection);
        await using var command = new PgCommand("SELECT pg_backend_pid() + $1::int", connection);
        command.Parameters.Add(new PgParameter<int> { TypedValue = 0 });
        await Mode.Prepare(command);
        var process = connection.ProcessID;
        Assert.That(process, Is.Not.Zero);
        for (var i = 0; i < 5; i++)
        {
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(process));
            Assert.That(await Run(connection, "SELECT pg_backend_pid()"), Is.EqualTo(process));
        }
        Assert.That(await Run(connection, "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE 'SELECT pg_backend_pid() + %'"), Is.EqualTo(1));
        await Mode.Close(connection);
        await Mode.Open(connection);
        Assert.That(await Mode.ExecuteScalar(command), Is.Not.Zero);
        Assert.That(connection.ProcessID, Is.Zero);
    }

    [Test]
    public async Task Rows_are_copied_in_and_out()
    {
        await Execute("DROP TABLE IF EXISTS laned_rows; CREATE TABLE laned_rows (id int, name text)");
        try
        {
            await using var connection = Source.CreateConnection();
            await Mode.Open(connection);
            Assert.That(await Mode.Run(() => Import(connection), () => ImportAsync(connection)), Is.EqualTo(1000));
            Assert.That(connection.ProcessID, Is.Zero, "the session was given back");
            Assert.That(await Run(connection, "SELECT sum(id) FROM laned_rows"), Is.EqualTo(1000 * 999 / 2));
            Assert.That(await Mode.Run(() => Export(connection), () => ExportAsync(connection)), Is.EqualTo(Enumerable.Range(0, 1000)));
            Assert.That(connection.ProcessID, Is.Zero, "the session was given back");
        }
        finally
        {
            await Execute("DROP TABLE laned_rows");
        }
    }

    private static ulong Import(PgConnection connection)
    {
        using var importer = connection.BeginBinaryImport("COPY laned_rows FROM STDIN BINARY");
        for (var i = 0; i < 1000; i++)
        {
            importer.StartRow();
            importer.Write(i);
            importer.Write($"row {i}");
        }
        return importer.Complete();
    }

    private static async Task<ulong> ImportAsync(PgConnection connection)
    {
        await using var importer = await connection.BeginBinaryImportAsync("COPY laned_rows FROM STDIN BINARY");
        for (var i = 0; i < 1000; i++)
        {
            await importer.StartRowAsync();
            await importer.WriteAsync(i);
            await importer.WriteAsync($"row {i}");
        }
        return await importer.CompleteAsync();
    }

    private static List<int> Export(PgConnection connection)
    {
        var ids = new List<int>();
        using var exporter = connection.BeginBinaryExport("COPY (SELECT id FROM laned_rows ORDER BY id) TO STDOUT BINARY");
        while (exporter.StartRow() >= 0)
            ids.Add(exporter.Read<int>());
        return ids;
    }

    private static async Task<List<int>> ExportAsync(PgConnection connection)
    {
        var ids = new List<int>();
        await using var exporter = await connection.BeginBinaryExportAsync("COPY (SELECT id FROM laned_rows ORDER BY id) TO STDOUT BINARY");
        while (await exporter.StartRowAsync() >= 0)
            ids.Add(await exporter.ReadAsync<int>());
        return ids;
    }

    private async Task Open(string connectionString)
    {
        await using var source = PgDataSource.Create(connectionString);
        await using var connection = source.CreateConnection();
        try
        {
            await Mode.Open(connection);
        }
        finally
        {
            Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
        }
    }

    private async Task<object?> Run(PgConnection connection, string sql)
    {
        await using var command = new PgCommand(sql, connection);
        return await Mode.ExecuteScalar(command);
    }
}
