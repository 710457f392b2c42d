using System.Data;
using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>Servers that speak PostgreSQL's protocol without being PostgreSQL: what a program does all day works with each.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ServerProfileTests(WaitMode mode) : WireTest(mode)
{
    private static IEnumerable<ServerProfile> All => ServerProfile.All;

    private static IEnumerable<ServerProfile> WithoutKey => All.Where(profile => !profile.SendsKey);

    [TestCaseSource(nameof(All))]
    public async Task The_version_is_read_whatever_the_server_writes(ServerProfile profile)
    {
        Server.Play(profile);
        await Open();
        Assert.That(Connection.PostgreSqlVersion, Is.EqualTo(profile.Version));
        Assert.That(Connection.ServerVersion, Is.EqualTo(profile.Parameters.Last(parameter => parameter.Name == "server_version").Value));
        foreach (var (name, value) in profile.Parameters.DistinctBy(parameter => parameter.Name).Where(parameter => parameter.Name != "server_version"))
            Assert.That(Connection.PostgresParameters[name.ToUpperInvariant()], Is.EqualTo(value), name);
    }

    [TestCaseSource(nameof(All))]
    public async Task Parameters_of_built_in_types_come_back(ServerProfile profile)
    {
        Server.Play(profile);
        await Open();
        object[] values =
        [
            7, 8L, (short)9, "text", true, 1.5, 2.5f, 12.34m, new DateTime(2026, 11, 24, 12, 0, 0, DateTimeKind.Utc), new DateOnly(2026, 11, 24),
            new Guid("00112233-4455-6677-8899-aabbccddeeff"), new byte[] { 1, 2, 3 },
        ];
        await using var command = Command("SELECT " + string.Join(", ", values.Select((_, i) => $"@p{i}")));
        for (var i = 0; i < values.Length; i++)
            command.Parameters.AddWithValue("p" + i, values[i]);
        await using var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        for (var i = 0; i < values.Length; i++)
            Assert.That(reader.GetFieldValue<object>(i), Is.EqualTo(values[i]));
    }

    [TestCaseSource(nameof(All))]
    public async Task Values_of_unknown_types_are_read_as_text_and_no_transaction_suffers(ServerProfile profile)
    {
        Server.Play(profile);
        await Open("Server Compatibility Mode=NoTypeLoading");
        for (var i = 0; i < 2; i++)
            Assert.That(await Scalar("SELECT unknown"), Is.EqualTo("POINT(1 2)"));
        await using var transaction = await Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync());
        Assert.That(await Scalar("SELECT unknown"), Is.EqualTo("POINT(1 2)"));
        Assert.That(await Execute("INSERT INTO t VALUES (1)"), Is.EqualTo(1));
        if (!profile.IgnoresBegin)
            await Mode.Commit(transaction);
    }

    [TestCaseSource(nameof(All))]
    public async Task Outside_a_transaction_types_are_asked_for_at_most_once_where_the_catalogue_is_refused(ServerProfile profile)
    {
        var servers = Server.Play(profile);
        await Open();
        for (var i = 0; i < 3; i++)
            Assert.That(await Scalar("SELECT unknown"), Is.EqualTo("POINT(1 2)"));
        Assert.That(servers[0].Seen.Count(sql => profile.ErrorOf(sql) is not null), Is.LessThanOrEqualTo(1));
    }

    [TestCaseSource(nameof(All))]
    public async Task A_parameter_of_a_type_by_name_that_cannot_be_looked_up_is_written_from_a_string_only(ServerProfile profile)
    {
        var servers = Server.Play(profile);
        await Open("Server Compatibility Mode=NoTypeLoading");
        await using var command = Command("INSERT INTO t VALUES ($1)");
        command.Parameters.Add(new PgParameter { Value = 1, DataTypeName = "mood" });
        var error = await Catch<InvalidCastException>(() => Mode.ExecuteNonQuery(command));
        Assert.That(error.Message, Does.Contain("mood"));
        Assert.That(servers[0].Seen, Is.Empty, "nothing was sent");
        command.Parameters[0].Value = "happy";
        Assert.That(await Mode.ExecuteNonQuery(command), Is.EqualTo(1));
    }

    [TestCaseSource(nameof(All))]
    public async Task In_a_transaction_on_a_server_without_savepoints_values_of_unknown_types_are_read_as_text(ServerProfile profile)
    {
        Server.Play(profile);
        await Open("Server Compatibility Mode=Redshift");
        await using var transaction = await Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync());
        Assert.That(await Scalar("SELECT unknown"), Is.EqualTo("POINT(1 2)"));
        Assert.That(await Execute("INSERT INTO t VALUES (1)"), Is.EqualTo(1));
    }

    [TestCaseSource(nameof(All))]
    public async Task A_collection_of_metadata_that_the_server_does_not_have_is_its_error_and_the_connection_goes_on(ServerProfile profile)
    {
        Server.Play(profile);
        await Open();
        var refusal = profile.ErrorOf("pg_catalog.pg_get_keywords");
        if (refusal is { } error)
            Assert.That((await Catch<PostgresException>(Read)).MessageText, Is.EqualTo(error.Message));
        else
            Assert.That((await Read()).Rows, Has.Count.EqualTo(1));
        Assert.That(await Scalar("SELECT 4"), Is.EqualTo(4));

        Task<DataTable> Read() => Mode.Run(() => Connection.GetSchema("ReservedWords"), () => Connection.GetSchemaAsync("ReservedWords"));
    }

    [TestCaseSource(nameof(All))]
    public async Task A_transaction_commits(ServerProfile profile)
    {
        var servers = Server.Play(profile);
        await Open();
        await using (var transaction = await Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync()))
        {
            Assert.That(await Execute("INSERT INTO t VALUES (1)"), Is.EqualTo(1));
            if (profile.IgnoresBegin)
            {
                // A program must not believe in a transaction that there is not.
                await Catch<InvalidOperationException>(() => Mode.Commit(transaction));
                Assert.That(await Scalar("SELECT 4"), Is.EqualTo(4));
                return;
            }
            Assert.That(await Scalar("SELECT 3"), Is.EqualTo(3));
            await Mode.Commit(transaction);
        }
        Assert.That(await Scalar("SELECT 4"), Is.EqualTo(4));
        Assert.That(servers[0].Seen, Is.EqualTo(new[] { "BEGIN", "INSERT INTO t VALUES (1)", "SELECT 3", "COMMIT", "SELECT 4" }));
    }

    [TestCaseSource(nameof(All))]
    public async Task A_transaction_rolls_back_or_says_that_the_server_has_refused(ServerProfile profile)
    {
        Server.Play(profile);
        await Open();
        var transaction = await Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync());
        Assert.That(await Execute("INSERT INTO t VALUES (1)"), Is.EqualTo(1));
        if (profile.IgnoresBegin)
        {
            await Catch<InvalidOperationException>(() => Mode.Rollback(transaction));
            return;
        }
        if (profile.ErrorOf("ROLLBACK") is not { } error)
        {
            await Mode.Rollback(transaction);
            Assert.That(await Scalar("SELECT 4"), Is.EqualTo(4));
            return;
        }
        var refused = await Catch<PostgresException>(() => Mode.Rollback(transaction));
        Assert.That((refused.SqlState, refused.MessageText), Is.EqualTo(error));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Open));
    }

    [Test]
    public async Task A_transaction_that_the_server_wants_run_again_is_run_again()
    {
        var servers = Server.Play(ServerProfile.CockroachDb22);
        await using (var source = Server.DataSource("Pooling=true;Session Reset=Never"))
        {
            var options = new PgInTransactionOptions { Attempts = 2, FirstDelay = TimeSpan.Zero };
            await Mode.Run(
                () => source.InTransaction((connection, _) =>
                {
                    using var command = new PgCommand("INSERT once", connection);
                    command.ExecuteNonQuery();
                }, options),
                () => source.InTransactionAsync(async (connection, _, token) =>
                {
                    await using var command = new PgCommand("INSERT once", connection);
                    await command.ExecuteNonQueryAsync(token);
                }, options));
        }
        Assert.That(servers[0].Seen.Where(sql => !sql.StartsWith("WITH", StringComparison.Ordinal)),
            Is.EqualTo(new[] { "BEGIN", "INSERT once", "ROLLBACK", "BEGIN", "INSERT once", "COMMIT" }));
    }

    [TestCaseSource(nameof(All))]
    public async Task A_failed_command_leaves_the_connection_usable_and_a_transaction_can_begin(ServerProfile profile)
    {
        Server.Play(profile);
        await Open();
        for (var i = 0; i < 2; i++)
        {
            var error = await Catch<PostgresException>(() => Execute("FAIL"));
            Assert.That(error.SqlState, Is.EqualTo("42601"));
        }
        if (profile.ErrorsLookLikeTransactions)
        {
            await Catch<InvalidOperationException>(() =>
                Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync()));
        }
        Assert.That(await Scalar("SELECT 4"), Is.EqualTo(4));
        await using var transaction = await Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync());
        Assert.That(await Scalar("SELECT 5"), Is.EqualTo(5));
    }

    [TestCaseSource(nameof(All))]
    public async Task A_prepared_statement_runs_again_and_again(ServerProfile profile)
    {
        Server.Play(profile);
        await Open("Max Auto Prepare=10");
        await using var command = Command("SELECT 5");
        await Mode.Prepare(command);
        for (var i = 0; i < 3; i++)
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(5));
        for (var i = 0; i < 8; i++)
            Assert.That(await Scalar("SELECT 6"), Is.EqualTo(6));
    }

    [TestCaseSource(nameof(All))]
    public async Task A_batch_returns_each_result(ServerProfile profile)
    {
        Server.Play(profile);
        await Open();
        await using var batch = new PgBatch(Connection);
        batch.BatchCommands.Add(new PgBatchCommand("INSERT INTO t VALUES (1)"));
        batch.BatchCommands.Add(new PgBatchCommand("SELECT 7"));
        Assert.That(await Mode.Run(batch.ExecuteScalar, () => batch.ExecuteScalarAsync()), Is.EqualTo(7));
    }

    [TestCaseSource(nameof(All))]
    public async Task Backslashes_escape_in_literals_where_the_server_has_it_so(ServerProfile profile)
    {
        var servers = Server.Play(profile);
        await Open();
        await using var command = Command(profile.HasBackslashEscapes ? @"INSERT 'it\'s @p' || @p" : @"INSERT '\' || @p");
        command.Parameters.AddWithValue("p", 1);
        Assert.That(await Mode.ExecuteNonQuery(command), Is.EqualTo(1));
        Assert.That(servers[0].Seen, Is.EqualTo(new[] { command.CommandText.Replace("|| @p", "|| $1", StringComparison.Ordinal) }));
    }

    [TestCaseSource(nameof(WithoutKey))]
    public async Task Without_a_key_a_command_that_takes_too_long_ends_the_connection_and_the_error_says_why(ServerProfile profile)
    {
        Play(peer =>
        {
            ProfiledServer.LogIn(peer, profile);
            peer.ExpectCommand();
            peer.LetTimePass(31);
            peer.Channel.AwaitShutdown();
        });
        await Open();
        var error = await Catch<PgException>(() => Scalar());
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.Timeout));
        Assert.That(error.Message, Does.Contain("sent no key").And.Contains("The connection has been closed"));
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Closed).Or.EqualTo(ConnectionState.Broken));
        Assert.That(Server.Connections, Is.EqualTo(1), "there is nothing to send a cancel request with");
    }

    [TestCaseSource(nameof(WithoutKey))]
    public async Task Without_a_key_Cancel_does_nothing_and_the_command_goes_on(ServerProfile profile)
    {
        using var sent = new ManualResetEventSlim();
        using var cancelled = new ManualResetEventSlim();
        Play(peer =>
        {
            ProfiledServer.LogIn(peer, profile);
            peer.ExpectCommand();
            sent.Set();
            cancelled.Wait();
            peer.Write(Answer.Select(42).Bytes);
            peer.AnswerCommand(43);
        });
        await Open();
        await using var command = Command();
        var cancelling = Task.Run(() =>
        {
            sent.Wait();
            command.Cancel();
            cancelled.Set();
        });
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(42));
        await cancelling;
        await AssertUsable(43);
        Assert.That(Server.Connections, Is.EqualTo(1));
    }

    [TestCaseSource(nameof(WithoutKey))]
    public async Task Without_a_key_a_cancelled_token_ends_the_connection_and_the_error_says_why(ServerProfile profile)
    {
        if (Mode == WaitMode.Blocking)
            return; // a blocking call has no token
        using var cancellation = new CancellationTokenSource();
        Play(peer =>
        {
            ProfiledServer.LogIn(peer, profile);
            peer.ExpectCommand();
            cancellation.Cancel();
            peer.Channel.AwaitShutdown();
        });
        await Open();
        var error = await Catch<OperationCanceledException>(() => Scalar(token: cancellation.Token));
        Assert.That(error.Message, Does.Contain("sent no key"));
    }
}
