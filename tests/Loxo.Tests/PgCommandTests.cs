using System.Data;
using System.Data.Common;
using Loxo.Tests.Wire;

namespace Loxo.Tests;

[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PgCommandTests(WaitMode mode) : WireTest(mode)
{
    [Test]
    public void A_new_command_is_text_that_returns_both_and_waits_30_seconds()
    {
        var command = new PgCommand();
        Assert.That((command.CommandText, command.CommandType, command.UpdatedRowSource), Is.EqualTo(("", CommandType.Text, UpdateRowSource.Both)));
        Assert.That((command.CommandTimeout, command.AutoPrepare, command.IsPrepared), Is.EqualTo((30, true, false)));
        Assert.That((command.Connection, command.Transaction), Is.EqualTo(((PgConnection?)null, (PgTransaction?)null)));
        command.CommandText = null;
        Assert.That(command.CommandText, Is.Empty);
    }

    [Test]
    public void Its_time_limit_is_the_connections_until_one_is_set()
    {
        using var connection = new PgConnection("Host=nowhere;Username=alice;Command Timeout=7");
        var command = new PgCommand("SELECT 1", connection);
        Assert.That(command.CommandTimeout, Is.EqualTo(7));
        command.CommandTimeout = 0;
        Assert.That(command.CommandTimeout, Is.Zero);
        Assert.That(() => command.CommandTimeout = -1, Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(command.CommandTimeout, Is.Zero);
    }

    [TestCase("Command Timeout=7", 7)]
    [TestCase("Command Timeout=0", 0)]
    public void A_data_sources_command_has_its_time_limit(string option, int seconds)
    {
        using var source = Server.DataSource(option);
        Assert.That(source.CreateCommand("SELECT 1").CommandTimeout, Is.EqualTo(seconds));
    }

    [Test]
    public void Other_types_of_commands_are_refused()
    {
        var command = new PgCommand { CommandType = CommandType.StoredProcedure };
        Assert.That(() => command.CommandType = (CommandType)3, Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(command.CommandType, Is.EqualTo(CommandType.StoredProcedure));
    }

    [Test]
    public void Another_providers_connection_is_refused()
    {
        DbCommand command = new PgCommand();
        Assert.Throws<InvalidCastException>(() => command.Connection = new Npgsql.NpgsqlConnection());
        using var connection = new PgConnection();
        command.Connection = connection;
        Assert.That(command.Connection, Is.SameAs(connection));
        command.Connection = null;
        Assert.That(command.Connection, Is.Null);
    }

    [Test]
    public async Task What_cannot_run_says_what_is_missing()
    {
        Play(server =>
        {
            server.Login();
            server.AnswerCommand();
        });
        Assert.That((await Catch<InvalidOperationException>(() => Mode.ExecuteScalar(new PgCommand("SELECT 1")))).Message, Does.Contain("set Connection"));
        await using var closed = Server.DataSource().CreateConnection();
        Assert.That((await Catch<InvalidOperationException>(() => Mode.ExecuteNonQuery(new PgCommand("SELECT 1", closed)))).Message, Does.Contain("Open"));
        await Open();
        Assert.That((await Catch<InvalidOperationException>(() => Mode.ExecuteReader(Command("")))).Message, Does.Contain("CommandText"));
        await AssertUsable();
    }

    [Test]
    public async Task Cancelling_and_unpreparing_what_does_not_run_and_is_not_prepared_does_nothing()
    {
        Play(server =>
        {
            server.Login();
            server.AnswerCommand();
        });
        await Open();
        var command = Command();
        command.Cancel();
        await Mode.Run(command.Unprepare, () => command.UnprepareAsync());
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(42));
        command.Cancel();
        Assert.That(Server.Connections, Is.EqualTo(1), "nobody was asked to stop anything");
    }

    [Test]
    public async Task A_call_whose_token_is_cancelled_beforehand_sends_nothing()
    {
        Play(static server => server.Login());
        await Open();
        var command = Command();
        var cancelled = new CancellationToken(canceled: true);
        await Catch<OperationCanceledException>(() => command.ExecuteNonQueryAsync(cancelled));
        await Catch<OperationCanceledException>(() => command.ExecuteScalarAsync(cancelled));
        await Catch<OperationCanceledException>(() => command.ExecuteReaderAsync(cancelled));
        await Catch<OperationCanceledException>(() => command.PrepareAsync(cancelled));
        await Catch<OperationCanceledException>(() => command.UnprepareAsync(cancelled));
        Server.Finish();
        Assert.That(Connection.FullState, Is.EqualTo(ConnectionState.Open));
    }

    [Test]
    public void A_clone_has_all_settings_and_parameters_of_its_own()
    {
        using var connection = new PgConnection();
        var command = new PgCommand("p", connection)
        {
            CommandType = CommandType.StoredProcedure,
            CommandTimeout = 5,
            AutoPrepare = false,
            DesignTimeVisible = true,
            UpdatedRowSource = UpdateRowSource.None,
            UnknownResultTypeList = [true],
        };
        command.Parameters.AddWithValue("a", 1);

        var clone = (PgCommand)((ICloneable)command).Clone();

        Assert.That(clone, Has.Property("CommandText").EqualTo("p").And.Property("Connection").SameAs(connection));
        Assert.That((clone.CommandType, clone.CommandTimeout, clone.AutoPrepare), Is.EqualTo((CommandType.StoredProcedure, 5, false)));
        Assert.That((clone.DesignTimeVisible, clone.UpdatedRowSource), Is.EqualTo((true, UpdateRowSource.None)));
        Assert.That((clone.AllResultTypesAreUnknown, clone.UnknownResultTypeList), Is.EqualTo((false, new[] { true })));
        command.AllResultTypesAreUnknown = true;
        Assert.That(command.Clone(), Has.Property("AllResultTypesAreUnknown").True.And.Property("UnknownResultTypeList").Null);
        clone.Parameters["a"].Value = 2;
        Assert.That(command.Parameters["a"].Value, Is.EqualTo(1));
    }

    [Test]
    public async Task A_clone_of_a_data_sources_command_takes_a_connection_each_time_too()
    {
        Play(static server =>
        {
            for (var i = 0; i < 3; i++)
            {
                var peer = i == 0 ? server : server.Server.Accept();
                peer.Login();
                peer.AnswerCommand();
                peer.Expect<Terminate>();
            }
        });
        await using var source = Server.DataSource();
        var command = source.CreateCommand("SELECT 1");
        Assert.That(await Mode.ExecuteScalar(command.Clone()), Is.EqualTo(42));
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(42));
        Assert.That(await Mode.ExecuteScalar(command.Clone()), Is.EqualTo(42), "its connection has been closed");
    }

    [Test]
    public async Task A_transaction_that_is_over_is_refused_but_a_command_that_had_it_still_runs_and_is_cloned()
    {
        Play(server =>
        {
            server.Login();
            server.AnswerCommand();
            server.AnswerCommand();
        });
        await Open();
        var transaction = Connection.BeginTransaction();
        var command = new PgCommand("SELECT 1", Connection, transaction);
        await Mode.Commit(transaction);
        Assert.Throws<InvalidOperationException>(() => new PgCommand().Transaction = transaction);
        Assert.Throws<InvalidOperationException>(() => _ = new PgCommand("SELECT 1", Connection, transaction));
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(42));
        Assert.That(await Mode.ExecuteScalar(command.Clone()), Is.EqualTo(42));
    }
}
