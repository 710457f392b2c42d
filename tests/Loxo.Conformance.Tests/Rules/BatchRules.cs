using System.Data;
using System.Data.Common;

namespace Loxo.Conformance.Rules;

[TestFixtureSource(typeof(Drivers), nameof(Drivers.Postgres))]
public sealed class BatchRules(Driver driver, WaitMode mode) : BatchRuleTest(driver, mode)
{
    [Rule(typeof(DbBatch), nameof(DbBatch.ExecuteReader))]
    public async Task Each_command_of_a_batch_has_a_result()
    {
        await using var batch = Batch("SELECT 1", "SELECT 2");
        await using var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
        var values = new List<int>();
        do
        {
            while (await Mode.Read(reader))
                values.Add(reader.GetInt32(0));
        }
        while (await Mode.NextResult(reader));

        Assert.That(values, Is.EqualTo(new[] { 1, 2 }));
    }

    [Rule(typeof(DbBatchCommand), nameof(DbBatchCommand.CommandText))]
    public async Task A_batch_with_a_command_without_text_does_not_run()
    {
        await Execute("CREATE TEMP TABLE unbatched (x int)");
        await using var batch = Batch("INSERT INTO unbatched VALUES (1)", "");

        Refused<InvalidOperationException>(() => Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync()));
        await using var counting = Command("SELECT count(*)::int FROM unbatched");
        Assert.That(await Mode.ExecuteScalar(counting), Is.EqualTo(0));
    }

    [Rule(typeof(DbBatch), nameof(DbBatch.ExecuteNonQuery))]
    public async Task Changed_rows_are_counted_together_and_for_each_command()
    {
        await Execute("CREATE TEMP TABLE batched (x int)");
        await using var batch = Batch("INSERT INTO batched VALUES (1), (2)", "SELECT 1", "UPDATE batched SET x = 0 WHERE x = 1");

        Assert.That(await Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync()), Is.EqualTo(3));
        Assert.That((batch.BatchCommands[0].RecordsAffected, batch.BatchCommands[2].RecordsAffected), Is.EqualTo((2, 1)));
    }

    [Rule(typeof(DbBatchCommand), nameof(DbBatchCommand.RecordsAffected))]
    public async Task A_command_that_changes_no_rows_counts_minus_one()
    {
        await using var batch = Batch("SELECT 1");
        await Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync());

        Assert.That(batch.BatchCommands[0].RecordsAffected, Is.EqualTo(-1));
    }

    [Rule(typeof(DbBatch), nameof(DbBatch.ExecuteScalar))]
    public async Task A_scalar_is_of_the_first_result()
    {
        await using var batch = Batch("SELECT 7, 8", "SELECT 9");

        Assert.That(await Mode.Run(batch.ExecuteScalar, () => batch.ExecuteScalarAsync()), Is.EqualTo(7));
    }

    [Rule(typeof(DbBatch), nameof(DbBatch.BatchCommands))]
    public async Task An_empty_batch_runs()
    {
        await using var batch = Batch();

        Assert.That(await Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync()), Is.EqualTo(-1));
        Assert.That(await Mode.Run(batch.ExecuteScalar, () => batch.ExecuteScalarAsync()), Is.Null);
        await using (var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync()))
        {
            Assert.That(reader.FieldCount, Is.Zero);
            Assert.That(await Mode.Read(reader), Is.False);
            Assert.That(await Mode.NextResult(reader), Is.False);
        }
        await Mode.Run(batch.Prepare, () => batch.PrepareAsync());
        await AssertUsable();
    }

    [Rule(typeof(DbBatch), nameof(DbBatch.Connection))]
    public async Task A_batch_needs_an_open_connection()
    {
        await using var batch = Batch("SELECT 1");
        batch.Connection = null;
        Refused<InvalidOperationException>(() => Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync()));
        Refused<InvalidOperationException>(() => Mode.Run(batch.Prepare, () => batch.PrepareAsync()));
        batch.Connection = Connection;
        await Mode.Close(Connection);
        Refused<InvalidOperationException>(() => Mode.Run(batch.ExecuteScalar, () => batch.ExecuteScalarAsync()));
        Refused<InvalidOperationException>(() => Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync()));
    }

    [Rule(typeof(DbBatch), nameof(DbBatch.ExecuteNonQueryAsync))]
    public async Task A_command_of_a_batch_that_fails_is_a_DbException()
    {
        await using var batch = Batch("SELECT 1", "SELECT 1/0", "SELECT 2");

        Refused<DbException>(() => Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync()));
        await AssertUsable();
    }

    [Rule(typeof(DbBatch), nameof(DbBatch.Timeout))]
    public async Task The_time_limit_of_a_batch_is_not_negative()
    {
        await using var batch = Batch("SELECT 1");
        batch.Timeout = 7;

        Refused<ArgumentException>(() => batch.Timeout = -1);
        Assert.That(batch.Timeout, Is.EqualTo(7));
    }

    [Rule(typeof(IDisposable), nameof(IDisposable.Dispose))]
    public async Task A_batch_is_disposed_as_often_as_one_likes()
    {
        var batch = Batch("SELECT 1");
        await Mode.Dispose(batch);
        await Mode.Dispose(batch);
        Refused<InvalidOperationException>(() => Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync()));
        await AssertUsable();
    }

    [Rule(typeof(DbBatch), nameof(DbBatch.Cancel))]
    public async Task To_cancel_a_batch_that_does_not_run_does_nothing()
    {
        await using var batch = Batch("SELECT 1");
        batch.Cancel();
        Assert.That(await Mode.Run(batch.ExecuteScalar, () => batch.ExecuteScalarAsync()), Is.EqualTo(1));
    }

    [Rule(typeof(DbBatchCommand), nameof(DbBatchCommand.Parameters))]
    public async Task A_command_of_a_batch_has_parameters_of_its_own()
    {
        await using var batch = Batch("SELECT @p + 1");
        var command = batch.BatchCommands[0];
        Assert.That(command.CanCreateParameter, Is.True);
        var parameter = command.CreateParameter();
        (parameter.ParameterName, parameter.Value) = ("p", 4);
        command.Parameters.Add(parameter);

        Assert.That(await Mode.Run(batch.ExecuteScalar, () => batch.ExecuteScalarAsync()), Is.EqualTo(5));
    }

    [Rule(typeof(DbBatchCommand), nameof(DbBatchCommand.CommandType))]
    public void An_undefined_type_of_a_command_of_a_batch_is_refused()
    {
        using var batch = Batch("SELECT 1");

        Refused<ArgumentException>(() => batch.BatchCommands[0].CommandType = (CommandType)99);
    }

    [Rule(typeof(DbBatch), nameof(DbBatch.ExecuteReader))]
    public async Task An_undefined_behavior_of_a_batch_is_a_wrong_argument()
    {
        await using var batch = Batch("SELECT 1");

        Refused<ArgumentException>(async () =>
        {
            await using var reader = await Mode.Run(
                () => batch.ExecuteReader((CommandBehavior)1024), () => batch.ExecuteReaderAsync((CommandBehavior)1024));
        });
        await AssertUsable();
    }

    [TestCase(-1)]
    [TestCase(1)]
    [Rule(typeof(DbBatchCommandCollection), "item")]
    public void A_position_in_a_batch_that_does_not_exist_is_out_of_range(int position)
    {
        using var batch = Batch("SELECT 1");

        Refused<IndexOutOfRangeException>(() => _ = batch.BatchCommands[position]);
        Refused<IndexOutOfRangeException>(() => batch.BatchCommands[position] = batch.CreateBatchCommand());
    }

    [Rule(typeof(DbBatchCommandCollection))]
    public void The_commands_of_a_batch_are_a_list()
    {
        using var batch = Batch("SELECT 1", "SELECT 2");
        var (commands, third) = (batch.BatchCommands, batch.CreateBatchCommand());
        commands.Insert(1, third);
        Assert.That((commands.Count, commands.IndexOf(third), commands.Contains(third), commands.IsReadOnly), Is.EqualTo((3, 1, true, false)));
        Assert.That(commands.Remove(third), Is.True);
        Assert.That(commands.Remove(third), Is.False);
        commands.RemoveAt(0);
        Assert.That(commands.Single().CommandText, Is.EqualTo("SELECT 2"));
        commands.Clear();
        Assert.That(commands, Is.Empty);
    }
}
