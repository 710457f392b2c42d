using System.ComponentModel;
using System.Data;
using System.Data.Common;

namespace Loxo.Conformance.Rules;

[TestFixtureSource(typeof(Drivers), nameof(Drivers.All))]
public sealed class CommandRules(Driver driver, WaitMode mode) : RuleTest(driver, mode)
{
    [Rule(typeof(DbCommand))]
    public void A_new_command_has_the_documented_defaults()
    {
        using var command = Factory.CreateCommand()!;

        Assert.That((command.CommandText, command.CommandType, command.CommandTimeout), Is.EqualTo(("", CommandType.Text, 30)));
        Assert.That((command.Connection, command.Transaction), Is.EqualTo((default(DbConnection), default(DbTransaction))));
        Assert.That(command.Parameters, Is.Empty);
    }

    [Rule(typeof(DbCommand), nameof(DbCommand.UpdatedRowSource))]
    public void A_command_of_the_users_updates_rows_from_its_results_and_outputs() =>
        Assert.That(Factory.CreateCommand()!.UpdatedRowSource, Is.EqualTo(UpdateRowSource.Both));

    [Rule(typeof(DbCommand), nameof(DbCommand.DesignTimeVisible))]
    public void A_command_is_visible_in_a_designer() => Assert.That(Factory.CreateCommand()!.DesignTimeVisible, Is.True);

    [Rule(typeof(DbCommand), nameof(DbCommand.CommandText))]
    public void No_text_is_empty_text()
    {
        using var command = Command("SELECT 1");
        command.CommandText = null;

        Assert.That(command.CommandText, Is.Empty);
    }

    [Rule(typeof(DbCommand), nameof(DbCommand.CommandText))]
    public async Task A_command_without_text_does_not_run()
    {
        await using var command = Command("");

        Refused<InvalidOperationException>(() => Mode.ExecuteNonQuery(command));
        Refused<InvalidOperationException>(() => Mode.ExecuteScalar(command));
        Refused<InvalidOperationException>(() => Read(command));
        await AssertUsable();
    }

    [Rule(typeof(IDbCommand), nameof(IDbCommand.ExecuteNonQuery))]
    public async Task A_command_without_a_connection_does_not_run()
    {
        await using var command = Command("SELECT 1");
        command.Connection = null;

        Refused<InvalidOperationException>(() => Mode.ExecuteNonQuery(command));
        Refused<InvalidOperationException>(() => Mode.ExecuteScalar(command));
        Refused<InvalidOperationException>(() => Read(command));
        Refused<InvalidOperationException>(() => Mode.Prepare(command));
        command.Connection = Connection;
        Assert.That(Convert.ToInt32(await Mode.ExecuteScalar(command)), Is.EqualTo(1));
    }

    [Rule(typeof(IDbCommand), nameof(IDbCommand.Prepare))]
    public async Task A_command_on_a_closed_connection_does_not_run()
    {
        await using var command = Command("SELECT 1");
        await Mode.Close(Connection);

        Refused<InvalidOperationException>(() => Mode.ExecuteNonQuery(command));
        Refused<InvalidOperationException>(() => Mode.ExecuteScalar(command));
        Refused<InvalidOperationException>(() => Read(command));
        Refused<InvalidOperationException>(() => Mode.Prepare(command));
        await Mode.Open(Connection);
        Assert.That(Convert.ToInt32(await Mode.ExecuteScalar(command)), Is.EqualTo(1));
    }

    [Rule(typeof(DbCommand), nameof(DbCommand.Connection))]
    public async Task One_command_runs_on_one_connection_after_the_other()
    {
        await using var another = await OpenAnother();
        await using var command = Command("SELECT 1");
        await Mode.Prepare(command);
        foreach (var connection in new[] { another, Connection, another })
        {
            command.Connection = connection;
            Assert.That(Convert.ToInt32(await Mode.ExecuteScalar(command)), Is.EqualTo(1));
        }
    }

    [Rule(typeof(DbCommand), nameof(DbCommand.Connection))]
    public void A_connection_of_another_provider_is_refused()
    {
        using var command = Command("SELECT 1");
        using var another = (Driver == Driver.Sqlite ? Driver.Npgsql : Driver.Sqlite).Factory().CreateConnection();

        Refused<InvalidCastException>(() => command.Connection = another);
        Assert.That(command.Connection, Is.SameAs(Connection));
    }

    [Rule(typeof(IDbCommand), nameof(IDbCommand.CommandTimeout))]
    public async Task A_time_limit_is_not_negative()
    {
        await using var command = Command("SELECT 1");
        command.CommandTimeout = 7;

        Refused<ArgumentException>(() => command.CommandTimeout = -1);
        Assert.That(command.CommandTimeout, Is.EqualTo(7));
        command.CommandTimeout = 0;
        Assert.That(Convert.ToInt32(await Mode.ExecuteScalar(command)), Is.EqualTo(1));
        command.CommandTimeout = int.MaxValue;
        Assert.That(Convert.ToInt32(await Mode.ExecuteScalar(command)), Is.EqualTo(1));
    }

    [Rule(typeof(DbCommand), nameof(DbCommand.CommandType))]
    public void An_undefined_type_of_command_is_refused()
    {
        using var command = Command("SELECT 1");

        Refused<ArgumentException>(() => command.CommandType = (CommandType)99);
        Assert.That(command.CommandType, Is.EqualTo(CommandType.Text));
    }

    [Rule(typeof(IDbCommand), nameof(IDbCommand.UpdatedRowSource))]
    public void An_undefined_source_of_updates_is_refused()
    {
        using var command = Command("SELECT 1");

        Refused<ArgumentException>(() => command.UpdatedRowSource = (UpdateRowSource)99);
        command.UpdatedRowSource = UpdateRowSource.None;
        Assert.That(command.UpdatedRowSource, Is.EqualTo(UpdateRowSource.None));
    }

    [Rule(typeof(IDbCommand), nameof(IDbCommand.Cancel))]
    public async Task To_cancel_what_does_not_run_does_nothing()
    {
        await using var command = Command("SELECT 1");
        command.Cancel();
        Assert.That(Convert.ToInt32(await Mode.ExecuteScalar(command)), Is.EqualTo(1));
        command.Cancel();
        Assert.That(() => Factory.CreateCommand()!.Cancel(), Throws.Nothing);
        await AssertUsable();
    }

    [Rule(typeof(DbCommand), nameof(DbCommand.ExecuteScalar))]
    public async Task A_scalar_is_the_first_column_of_the_first_row_of_the_first_result()
    {
        Assert.That(await Number("SELECT 1, 2 UNION ALL SELECT 3, 4; SELECT 5"), Is.EqualTo(1));
        Assert.That(await Scalar("SELECT 1 WHERE 1 = 0"), Is.Null);
        Assert.That(await Scalar("SELECT NULL"), Is.EqualTo(DBNull.Value));
        Assert.That(await Scalar("CREATE TEMP TABLE no_scalar (x int)"), Is.Null);
        await AssertUsable();
    }

    [Rule(typeof(IDbCommand), nameof(IDbCommand.ExecuteNonQuery))]
    public async Task Rows_are_counted_where_they_are_changed()
    {
        await Execute("CREATE TEMP TABLE counted (x int)");
        Assert.That(await Execute("INSERT INTO counted VALUES (1), (2), (3)"), Is.EqualTo(3));
        Assert.That(await Execute("UPDATE counted SET x = 0 WHERE x > 1"), Is.EqualTo(2));
        Assert.That(await Execute("DELETE FROM counted WHERE x > 7"), Is.Zero);
        Assert.That(await Execute("SELECT * FROM counted"), Is.EqualTo(-1));
    }

    [Rule(typeof(IDbCommand), nameof(IDbCommand.ExecuteNonQuery))]
    public async Task What_changes_no_rows_by_its_nature_counts_as_minus_one() =>
        Assert.That(await Execute("CREATE TEMP TABLE uncounted (x int)"), Is.EqualTo(-1));

    [Rule(typeof(DbCommand), nameof(DbCommand.ExecuteReader))]
    public async Task A_connection_has_one_open_reader()
    {
        await using var reader = await Read("SELECT 1 UNION ALL SELECT 2");

        Assert.That(() => Scalar("SELECT 3"), Throws.InstanceOf<InvalidOperationException>().Or.InstanceOf<DbException>());
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(Convert.ToInt32(reader.GetValue(0)), Is.EqualTo(1));
    }

    [Rule(typeof(DbCommand), nameof(DbCommand.ExecuteReader))]
    public async Task A_command_is_not_changed_under_its_reader()
    {
        await using var command = Command("SELECT 1 AS x");
        var reader = await Read(command);

        Refused<InvalidOperationException>(() => command.CommandText = "SELECT 2");
        Refused<InvalidOperationException>(() => command.Connection = null);
        Assert.That(() => command.Connection = Connection, Throws.Nothing);
        await Mode.Close(reader);
        command.CommandText = "SELECT 2";
        Assert.That(Convert.ToInt32(await Mode.ExecuteScalar(command)), Is.EqualTo(2));
    }

    [Rule(typeof(DbCommand), nameof(DbCommand.CommandText))]
    public async Task A_command_runs_again_with_other_text_and_values()
    {
        await using var command = Command("SELECT @p + 1", ("p", 1));
        Assert.That(Convert.ToInt32(await Mode.ExecuteScalar(command)), Is.EqualTo(2));
        command.Parameters[0].Value = 5;
        Assert.That(Convert.ToInt32(await Mode.ExecuteScalar(command)), Is.EqualTo(6));
        command.CommandText = "SELECT @p * 2";
        Assert.That(Convert.ToInt32(await Mode.ExecuteScalar(command)), Is.EqualTo(10));
    }

    [Rule(typeof(DbCommand), nameof(DbCommand.Prepare))]
    public async Task A_prepared_command_takes_other_values()
    {
        await using var command = Command("SELECT @p + 1", ("p", 1));
        await Mode.Prepare(command);
        await Mode.Prepare(command);
        for (var i = 0; i < 3; i++)
        {
            command.Parameters[0].Value = i;
            Assert.That(Convert.ToInt32(await Mode.ExecuteScalar(command)), Is.EqualTo(i + 1));
        }
    }

    [Rule(typeof(IDisposable), nameof(IDisposable.Dispose))]
    public async Task A_disposed_command_does_not_run()
    {
        var command = Command("SELECT 1");
        await Mode.Dispose(command);
        await Mode.Dispose(command);

        Refused<InvalidOperationException>(() => Mode.ExecuteScalar(command));
        Refused<InvalidOperationException>(() => Mode.ExecuteNonQuery(command));
        await AssertUsable();
    }

    [Rule(typeof(Component), nameof(Component.Disposed))]
    public async Task Disposed_is_raised_when_a_command_is_disposed()
    {
        var command = Command("SELECT 1");
        var raised = 0;
        command.Disposed += (_, _) => raised++;
        await Mode.Dispose(command);

        Assert.That(raised, Is.EqualTo(1));
    }

    [Rule(typeof(DbCommand), nameof(DbCommand.ExecuteReader))]
    public async Task A_reader_outlives_its_command()
    {
        var command = Command("SELECT 1 UNION ALL SELECT 2");
        var reader = await Read(command);
        await Mode.Dispose(command);
        var count = 0;
        while (await Mode.Read(reader))
            count++;
        await Mode.Close(reader);

        Assert.That(count, Is.EqualTo(2));
    }

    [Rule(typeof(DbException))]
    public async Task An_error_of_the_database_is_a_DbException_and_leaves_the_connection_usable()
    {
        Refused<DbException>(() => Scalar("SELECT * FROM no_such_table"));
        Refused<DbException>(() => Execute("SELEC 1"));
        Refused<DbException>(() => Read("SELEC 1"));
        await AssertUsable();
    }

    [Rule(typeof(DbException), nameof(DbException.SqlState))]
    public async Task An_error_of_the_database_tells_its_SQLSTATE()
    {
        var error = await Assert.CatchAsync<DbException>(() => Scalar("SELECT * FROM no_such_table"));

        Assert.That((error!.SqlState, error.IsTransient), Is.EqualTo(("42P01", false)));
    }

    [Rule(typeof(DbCommand), nameof(DbCommand.CreateParameter))]
    public void A_command_makes_parameters_without_taking_them()
    {
        using var command = Command("SELECT 1");
        var parameter = command.CreateParameter();

        Assert.That((parameter.GetType(), command.Parameters.Count), Is.EqualTo((Factory.CreateParameter()!.GetType(), 0)));
        Assert.That(command.CreateParameter(), Is.Not.SameAs(parameter));
        Assert.That(command.Parameters, Is.SameAs(command.Parameters));
    }

    [Rule(typeof(DbCommand), nameof(DbCommand.ExecuteNonQueryAsync))]
    public async Task With_a_cancelled_token_nothing_runs()
    {
        await Execute("CREATE TEMP TABLE not_run (x int)");
        await using var command = Command("INSERT INTO not_run VALUES (1)");
        var cancelled = new CancellationToken(true);

        Cancelled(() => command.ExecuteNonQueryAsync(cancelled));
        Cancelled(() => command.ExecuteScalarAsync(cancelled));
        Cancelled(() => command.ExecuteReaderAsync(cancelled));
        Cancelled(() => command.ExecuteReaderAsync(CommandBehavior.SingleRow, cancelled));
        Cancelled(() => command.PrepareAsync(cancelled));
        Assert.That(await Number("SELECT count(*) FROM not_run"), Is.Zero);
    }

    [Rule(typeof(DbCommand), nameof(DbCommand.Transaction))]
    public async Task A_command_keeps_its_transaction()
    {
        await using var transaction = await Mode.Run(() => Connection.BeginTransaction(), () => Connection.BeginTransactionAsync().AsTask());
        await using var command = Command("SELECT 1");
        command.Transaction = transaction;

        Assert.That(command.Transaction, Is.SameAs(transaction));
        Assert.That(Convert.ToInt32(await Mode.ExecuteScalar(command)), Is.EqualTo(1));
        command.Transaction = null;
        Assert.That(command.Transaction, Is.Null);
    }
}
