namespace Loxo.IntegrationTests.Execution;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class PrepareTests(WaitMode mode) : DatabaseTest(mode)
{
    // What is prepared here is prepared by Prepare.
    protected override string ConnectionString => base.ConnectionString + ";Max Auto Prepare=0;Pooling=false";

    [Test]
    public async Task A_prepared_command_runs_by_name_with_other_values()
    {
        await using var command = Command("SELECT $1::int + 1");
        var parameter = command.Parameters.Add(new PgParameter { PgDbType = PgDbType.Integer });
        Assert.That(command.IsPrepared, Is.False);

        await Mode.Prepare(command);

        Assert.That(command.IsPrepared, Is.True);
        Assert.That(await PreparedTexts(), Is.EqualTo(new[] { "SELECT $1::int + 1" }));
        for (var i = 0; i < 5; i++)
        {
            parameter.Value = i;
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(i + 1));
        }
        Assert.That(await PreparedCalls(), Is.EqualTo(5));
        Assert.That(command.IsPrepared, Is.True);
    }

    [Test]
    public async Task Preparing_twice_prepares_once()
    {
        await using var command = Command("SELECT 1");

        await Mode.Prepare(command);
        await Mode.Prepare(command);

        Assert.That(await PreparedTexts(), Has.Count.EqualTo(1));
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
    }

    [Test]
    public async Task Two_commands_with_the_same_text_share_a_statement_and_each_may_give_it_up()
    {
        await using var one = Command("SELECT 7");
        await using var other = Command("SELECT 7");
        await Mode.Prepare(one);
        await Mode.Prepare(other);
        Assert.That(await PreparedTexts(), Has.Count.EqualTo(1));

        await Unprepare(one);

        Assert.That(one.IsPrepared, Is.False);
        Assert.That(await Mode.ExecuteScalar(one), Is.EqualTo(7));
        Assert.That(other.IsPrepared, Is.True);
        Assert.That(await Mode.ExecuteScalar(other), Is.EqualTo(7));
        await Unprepare(other);
        Assert.That(await PreparedTexts(), Is.Empty);
    }

    [Test]
    public async Task Unprepare_lets_the_server_forget_the_statement_and_the_command_still_runs()
    {
        await using var command = Command("SELECT 1");
        await Mode.Prepare(command);

        await Unprepare(command);

        Assert.That(command.IsPrepared, Is.False);
        Assert.That(await PreparedTexts(), Is.Empty);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
        await Unprepare(command);
        await Mode.Prepare(command);
        Assert.That(command.IsPrepared, Is.True);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
    }

    [Test]
    public async Task A_value_of_another_type_runs_unprepared()
    {
        await using var command = Command("SELECT pg_typeof($1)::text", 1);
        await Mode.Prepare(command);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("integer"));

        command.Parameters[0].Value = "text";
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("text"));
        command.Parameters[0].Value = 2;
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("integer"));

        Assert.That(await PreparedTexts(), Has.Count.EqualTo(1));
    }

    [Test]
    public async Task A_changed_text_runs_unprepared()
    {
        await using var command = Command("SELECT 1");
        await Mode.Prepare(command);

        command.CommandText = "SELECT 2";

        Assert.That(command.IsPrepared, Is.False);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(2));
    }

    [Test]
    public async Task NULL_can_be_sent_to_a_prepared_command()
    {
        await using var command = Command("SELECT coalesce($1, -1)", 1);
        await Mode.Prepare(command);

        command.Parameters[0].Value = DBNull.Value;
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(-1));
        command.Parameters[0].Value = 5;
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(5));
    }

    [Test]
    public async Task Parameters_without_value_need_a_type_to_be_prepared()
    {
        await using var command = Command("SELECT @a");
        command.Parameters.Add(new PgParameter { ParameterName = "a" });

        var error = await Catch<InvalidOperationException>(() => Mode.Prepare(command));

        Assert.That(error.Message, Does.Contain("'a'"));
        Assert.That(command.IsPrepared, Is.False);
        await AssertUsable();
    }

    [Test]
    public async Task A_text_that_the_server_refuses_is_not_prepared()
    {
        await using var command = Command("SELECT nothing FROM nowhere");

        await Catch<PostgresException>(() => Mode.Prepare(command));

        Assert.That(command.IsPrepared, Is.False);
        await AssertUsable();
        await Execute("CREATE TEMP TABLE nowhere (nothing int); INSERT INTO nowhere VALUES (3)");
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(3));
        await Mode.Prepare(command);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(3));
    }

    [Test]
    public async Task Every_statement_of_a_text_is_prepared()
    {
        await using var command = Command("SELECT @a + 1; SELECT @b || '!'; SELECT 3");
        command.Parameters.AddWithValue("a", 1);
        command.Parameters.AddWithValue("b", "x");
        await Mode.Prepare(command);
        Assert.That(await PreparedTexts(), Has.Count.EqualTo(3));

        for (var i = 1; i < 3; i++)
        {
            command.Parameters["a"].Value = i;
            var reader = await Mode.ExecuteReader(command);
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetInt32(0), Is.EqualTo(i + 1));
            Assert.That(await Mode.NextResult(reader), Is.True);
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetString(0), Is.EqualTo("x!"));
            Assert.That(await Mode.NextResult(reader), Is.True);
            await Mode.Close(reader);
        }
    }

    [Test]
    public async Task The_same_statement_twice_in_a_text_is_prepared_once()
    {
        await using var command = Command("SELECT 5; SELECT 5");

        await Mode.Prepare(command);

        Assert.That(await PreparedTexts(), Has.Count.EqualTo(1));
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(5));
        await Mode.Close(reader);
        await Unprepare(command);
        Assert.That(await PreparedTexts(), Is.Empty);
    }

    [Test]
    public async Task A_statement_that_the_server_was_told_to_forget_is_prepared_anew_unseen()
    {
        await using var command = Command("SELECT 1");
        await Mode.Prepare(command);
        await Execute("DEALLOCATE ALL");

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));

        Assert.That(await PreparedTexts(), Is.EqualTo(new[] { "SELECT 1" }));
        Assert.That(command.IsPrepared, Is.True);
    }

    [Test]
    public async Task UnprepareAll_makes_prepared_commands_ordinary_again()
    {
        await using var command = Command("SELECT 1");
        await Mode.Prepare(command);

        Connection.UnprepareAll();

        Assert.That(command.IsPrepared, Is.False);
        Assert.That(await PreparedTexts(), Is.Empty);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
    }

    [Test]
    public async Task A_command_moved_to_another_connection_is_not_prepared_there()
    {
        await using var other = await OpenAnother();
        await using var command = Command("SELECT pg_backend_pid()");
        await Mode.Prepare(command);

        command.Connection = other;

        Assert.That(command.IsPrepared, Is.False);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(other.ProcessID));
        command.Connection = Connection;
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(Connection.ProcessID));
    }

    [Test]
    public async Task A_command_is_not_prepared_after_its_connection_was_opened_again()
    {
        await using var command = Command("SELECT 1");
        await Mode.Prepare(command);

        await Mode.Close(Connection);
        await Mode.Open(Connection);

        Assert.That(command.IsPrepared, Is.False);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
    }

    [Test]
    public async Task A_statement_prepared_in_a_transaction_outlives_its_rollback()
    {
        await using var command = Command("SELECT 1");
        var transaction = Connection.BeginTransaction();
        await Mode.Prepare(command);
        await Mode.Rollback(transaction);

        Assert.That(command.IsPrepared, Is.True);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
    }

    [Test]
    public async Task A_prepared_statement_whose_result_changed_is_prepared_anew_unseen()
    {
        await Execute("CREATE TEMP TABLE item (id int); INSERT INTO item VALUES (1)");
        await using var command = Command("SELECT * FROM item");
        await Mode.Prepare(command);
        await Execute("ALTER TABLE item ALTER id TYPE text");

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("1"));

        Assert.That(command.IsPrepared, Is.True);
    }

    [Test]
    public async Task Errors_while_a_prepared_command_runs_leave_it_prepared()
    {
        await using var command = Command("SELECT 10 / $1", 0);
        await Mode.Prepare(command);

        await Catch<PostgresException>(() => Mode.ExecuteScalar(command));

        Assert.That(command.IsPrepared, Is.True);
        command.Parameters[0].Value = 5;
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(2));
    }

    [Test]
    public async Task A_disposed_command_or_batch_is_not_prepared_though_the_session_knows_its_text()
    {
        var command = Command("SELECT 1");
        await Mode.Prepare(command);
        await command.DisposeAsync();
        await using var batch = new PgBatch(Connection) { BatchCommands = { new PgBatchCommand("SELECT 1") } };
        batch.Dispose();

        await Catch<ObjectDisposedException>(() => Mode.Prepare(command));
        await Catch<ObjectDisposedException>(() => Mode.Run(batch.Prepare, () => batch.PrepareAsync()));
        await AssertUsable();
    }

    private Task Unprepare(PgCommand command) => Mode.Run(command.Unprepare, () => command.UnprepareAsync());

    private async Task<List<string>> PreparedTexts() =>
        [.. (await Rows("SELECT statement FROM pg_prepared_statements ORDER BY 1")).Select(row => (string)row[0]!)];

    private async Task<long> PreparedCalls() =>
        await Scalar<long>("SELECT sum(generic_plans + custom_plans)::bigint FROM pg_prepared_statements");
}
