using System.Data;
using Loxo.IntegrationTests.Poolers;

namespace Loxo.IntegrationTests.Execution;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ReusedCommandTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task A_command_runs_again_with_other_values()
    {
        await using var command = Command("SELECT @a * 2");
        var a = command.Parameters.AddWithValue("a", 0);

        for (var i = 0; i < 10; i++)
        {
            a.Value = i;
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(i * 2));
        }
    }

    [Test]
    public async Task A_command_runs_again_with_values_of_other_types()
    {
        await using var command = Command("SELECT pg_typeof(@a)::text");
        var a = command.Parameters.AddWithValue("a", 1);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("integer"));

        foreach (var (value, type) in new (object, string)[]
            { (1L, "bigint"), ("x", "text"), (Guid.Empty, "uuid"), (new[] { 1 }, "integer[]"), (1, "integer"),
              (new DateTime(2020, 1, 1), "timestamp without time zone"), (DateTime.UnixEpoch, "timestamp with time zone") })
        {
            a.Value = value;
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(type));
        }
    }

    [Test]
    public async Task A_command_runs_again_with_another_text()
    {
        await using var command = Command("SELECT @a");
        command.Parameters.AddWithValue("a", 3);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(3));

        command.CommandText = "SELECT @a + @a";

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(6));
    }

    [Test]
    public async Task Parameters_may_come_go_and_change_their_names_between_runs()
    {
        await using var command = Command("SELECT @a + @b");
        command.Parameters.AddWithValue("a", 3);
        command.Parameters.AddWithValue("b", 4);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(7));

        command.Parameters[0].ParameterName = "b";
        command.Parameters[1].ParameterName = "a";
        command.CommandText = "SELECT @a - @b";
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));

        command.Parameters.RemoveAt(0);
        command.Parameters.Insert(0, new PgParameter("c", 9));
        command.Parameters.AddWithValue("b", 1);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(3));

        command.Parameters.Clear();
        command.CommandText = "SELECT 5";
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(5));
    }

    [Test]
    public async Task Parameters_may_change_their_directions_between_runs([Values] bool named, [Values] bool isBatch, [Values] bool prepares)
    {
        await Execute("CREATE PROCEDURE pg_temp.add(a int, INOUT b int) LANGUAGE plpgsql AS $$ BEGIN b := a + coalesce(b, 100); END $$");
        var name = PoolerOfTheRun.Adapt("pg_temp.add");
        await using var command = new PgCommand(name, Connection) { CommandType = CommandType.StoredProcedure };
        await using var batch = new PgBatch(Connection) { BatchCommands = { new(name) { CommandType = CommandType.StoredProcedure } } };
        var parameters = isBatch ? batch.BatchCommands[0].Parameters : command.Parameters;
        parameters.Add(new PgParameter(named ? "a" : null, 1));
        var b = parameters.Add(new PgParameter(named ? "b" : null, PgDbType.Integer) { Direction = ParameterDirection.Output });
        if (prepares)
            await (isBatch ? Mode.Run(batch.Prepare, () => batch.PrepareAsync()) : Mode.Prepare(command));
        foreach (var (direction, value, result) in new[]
            { (ParameterDirection.Output, 5, 101), (ParameterDirection.InputOutput, 5, 6), (ParameterDirection.Output, 7, 101) })
        {
            (b.Direction, b.Value) = (direction, value);

            await (isBatch ? Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync()) : Mode.ExecuteNonQuery(command));

            Assert.That(b.Value, Is.EqualTo(result));
        }
    }

    [Test]
    public async Task A_placeholder_of_a_parameter_that_is_no_input_any_more_is_left_in_the_text()
    {
        await using var command = Command("SELECT @a");
        var a = command.Parameters.AddWithValue("a", 1);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));

        a.Direction = ParameterDirection.Output;
        await Catch<PostgresException>(() => Mode.ExecuteScalar(command));
        (a.Direction, a.Value) = (ParameterDirection.Input, 2);

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(2));
    }

    [Test]
    public async Task Replaced_parameters_are_the_ones_that_are_sent()
    {
        await using var command = Command("SELECT @a");
        command.Parameters.AddWithValue("a", 1);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));

        command.Parameters[0] = new PgParameter("a", "other");

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("other"));
    }

    [Test]
    public async Task A_command_moves_to_another_connection()
    {
        await using var other = await OpenAnother();
        await using var command = Command("SELECT pg_backend_pid()");
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(Connection.ProcessID));

        command.Connection = other;

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(other.ProcessID));
    }

    [Test]
    public async Task A_command_runs_again_after_it_failed()
    {
        await using var command = Command("SELECT 10 / $1", 0);
        await Catch<PostgresException>(() => Mode.ExecuteScalar(command));

        command.Parameters[0].Value = 2;

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(5));
    }

    [Test]
    public async Task The_reader_of_a_command_that_ran_again_is_fresh()
    {
        await using var command = Command("SELECT 1; SELECT 'a', 'b'");
        for (var i = 0; i < 3; i++)
        {
            var reader = await Mode.ExecuteReader(command, i == 1 ? CommandBehavior.SingleRow : CommandBehavior.Default);
            Assert.That(reader.IsClosed, Is.False);
            Assert.That(reader.RecordsAffected, Is.EqualTo(-1));
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(reader.GetInt32(0), Is.EqualTo(1));
            Assert.That(await Mode.NextResult(reader), Is.EqualTo(i != 1));
            await Mode.Close(reader);
            Assert.That(reader.IsClosed, Is.True);
        }
    }

    [Test]
    public async Task A_clone_is_a_command_of_its_own()
    {
        await using var command = Command("SELECT @a");
        command.Parameters.AddWithValue("a", 1);
        command.CommandTimeout = 77;
        await using var clone = command.Clone();

        clone.Parameters[0].Value = 2;

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
        Assert.That(await Mode.ExecuteScalar(clone), Is.EqualTo(2));
        Assert.That(clone.CommandTimeout, Is.EqualTo(77));
    }

    [Test]
    public async Task One_parameter_belongs_to_one_command()
    {
        await using var command = Command("SELECT @a");
        await using var other = Command("SELECT @a");
        var parameter = command.Parameters.AddWithValue("a", 1);

        Assert.Throws<InvalidOperationException>(() => other.Parameters.Add(parameter));
        command.Parameters.Remove(parameter);
        other.Parameters.Add(parameter);

        Assert.That(await Mode.ExecuteScalar(other), Is.EqualTo(1));
    }
}
