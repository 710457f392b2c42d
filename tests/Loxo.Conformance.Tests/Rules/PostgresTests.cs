using System.Data;
using System.Data.Common;
using Npgsql;

namespace Loxo.Conformance.Rules;

/// <summary>What ADO.NET leaves open, and programs written for Npgsql rely on: both drivers do the same.</summary>
[TestFixtureSource(typeof(Drivers), nameof(Drivers.Postgres))]
public sealed class PostgresTests(Driver driver, WaitMode mode) : RuleTest(driver, mode)
{
    [Test]
    public async Task A_function_that_returns_nothing_has_no_scalar()
    {
        await using var command = Command("SELECT pg_sleep(0)");

        Assert.That(await Mode.ExecuteScalar(command), Is.Null);
    }

    [Test]
    public async Task ReaderClosed_is_raised_when_the_connection_closes()
    {
        var another = await OpenAnother();
        await using var command = another.CreateCommand();
        command.CommandText = "SELECT generate_series(1, 1000)";
        var reader = await Read(command);
        var raised = 0;
        EventHandler count = (_, _) => raised++;
        if (reader is PgDataReader ours)
            ours.ReaderClosed += count;
        else
            ((NpgsqlDataReader)reader).ReaderClosed += count;
        await Mode.Close(another);
        await Mode.Close(reader);

        Assert.That((raised, reader.IsClosed), Is.EqualTo((1, true)));
    }

    [Test]
    public async Task An_output_parameter_of_another_type_is_filled()
    {
        await using var command = Command("SELECT 'abc'::text AS p");
        var text = Driver == Driver.Loxo
            ? (DbParameter)new PgParameter<char[]> { ParameterName = "p", Direction = ParameterDirection.Output }
            : new NpgsqlParameter<char[]> { ParameterName = "p", Direction = ParameterDirection.Output };
        command.Parameters.Add(text);
        await Mode.ExecuteNonQuery(command);

        Assert.That(text.Value, Is.EqualTo("abc"));
    }

    [Test]
    public async Task DBNull_is_NULL_wherever_a_value_may_be_an_object()
    {
        await using var command = Command("SELECT @typed IS NULL, @array::text");
        command.Parameters.Add(Driver == Driver.Loxo
            ? new PgParameter<object> { ParameterName = "typed", TypedValue = DBNull.Value, PgDbType = PgDbType.Integer }
            : new NpgsqlParameter<object> { ParameterName = "typed", TypedValue = DBNull.Value, NpgsqlDbType = NpgsqlTypes.NpgsqlDbType.Integer });
        command.Parameters.Add(Parameter("array", new object[] { 1, DBNull.Value }, "integer[]"));
        var reader = await Read(command);
        await Mode.Read(reader);

        Assert.That((reader.GetBoolean(0), reader.GetString(1)), Is.EqualTo((true, "{1,NULL}")));
        await Mode.Close(reader);
    }

    [TestCase("@p")]
    [TestCase(":p")]
    [TestCase("p")]
    public async Task A_parameter_keeps_its_name_as_it_was_set(string name)
    {
        await using var command = Command("SELECT @p");
        command.Parameters.Add(Parameter(name, 5));

        Assert.That(command.Parameters[0].ParameterName, Is.EqualTo(name));
        Assert.That((command.Parameters.IndexOf("p"), command.Parameters.IndexOf("@P")), Is.EqualTo((0, 0)));
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(5));
    }

    [Test]
    public async Task A_batch_of_a_data_source_runs_on_a_connection_of_its_own()
    {
        await using var source = Factory.CreateDataSource(Driver.ConnectionString());
        await using var batch = source.CreateBatch();
        for (var i = 1; i <= 2; i++)
        {
            var command = batch.CreateBatchCommand();
            command.CommandText = $"SELECT {i}";
            batch.BatchCommands.Add(command);
        }
        for (var run = 0; run < 2; run++)
        {
            var values = new List<int>();
            await using var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
            do
            {
                while (await Mode.Read(reader))
                    values.Add(reader.GetInt32(0));
            }
            while (await Mode.NextResult(reader));

            Assert.That(values, Is.EqualTo([1, 2]));
        }
        Assert.That(await Mode.Run(batch.ExecuteScalar, () => batch.ExecuteScalarAsync()), Is.EqualTo(1));
    }

    [Test]
    public async Task The_statements_of_a_command_tell_their_rows()
    {
        await using var command = Command("CREATE TEMP TABLE counted (x int); INSERT INTO counted SELECT generate_series(1, 3); "
            + "SELECT * FROM counted; UPDATE counted SET x = 0 WHERE x > 1");
        var reader = await Read(command);
        var before = StatementsOf(reader);
        while (await Mode.NextResult(reader))
        {
        }
        var after = StatementsOf(reader);
        var rows = reader is PgDataReader ours ? ours.Rows : ((NpgsqlDataReader)reader).Rows;
        await Mode.Close(reader);

        Assert.That(before[1], Is.EqualTo(("Insert", 3ul)));
        Assert.That(after, Is.EqualTo(new[] { after[0], ("Insert", 3ul), ("Select", 3ul), ("Update", 2ul) }));
        Assert.That((rows, reader.RecordsAffected), Is.EqualTo((5ul, 5)));
    }

    [Test]
    public async Task Each_failed_statement_between_barriers_is_named()
    {
        await using var another = await OpenWith(";Include Failed Batched Command=true");
        await using var batch = another.CreateBatch();
        foreach (var sql in new[] { "SELECT 1", "SELECT 1/0", "SELECT 2", "SELECT 'x'::int" })
        {
            var command = batch.CreateBatchCommand();
            command.CommandText = sql;
            batch.BatchCommands.Add(command);
        }
        if (batch is PgBatch ours)
            ours.EnableErrorBarriers = true;
        else
            ((NpgsqlBatch)batch).EnableErrorBarriers = true;

        DbException error = null!;
        try
        {
            await Mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync());
        }
        catch (DbException expected)
        {
            error = expected;
        }
        var all = error.InnerException is AggregateException several ? several.InnerExceptions.Cast<DbException>() : [error];

        Assert.That(error.BatchCommand?.CommandText ?? all.First().BatchCommand?.CommandText, Is.EqualTo("SELECT 1/0"));
        Assert.That(all.Select(one => one.BatchCommand?.CommandText), Is.EqualTo(["SELECT 1/0", "SELECT 'x'::int"]));
    }

    [Test]
    public async Task A_clone_with_another_string_keeps_the_password()
    {
        var other = Factory.CreateConnectionStringBuilder()!;
        other.ConnectionString = Driver.ConnectionString();
        other.Remove("Password");
        other["Application Name"] = "clone";
        await using var clone = await Mode.Run(
            () => Connection is PgConnection ours ? ours.CloneWith(other.ConnectionString)
                : (DbConnection)((NpgsqlConnection)Connection).CloneWith(other.ConnectionString),
            async () => Connection is PgConnection ours ? await ours.CloneWithAsync(other.ConnectionString)
                : (DbConnection)await ((NpgsqlConnection)Connection).CloneWithAsync(other.ConnectionString));
        await Mode.Open(clone);
        await using var command = clone.CreateCommand();
        command.CommandText = "SHOW application_name";

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("clone"));
    }

    [TestCase("macaddr8", "08:00:2b:ff:fe:01:02:03")]
    [TestCase("macaddr", "08:00:2b:01:02:03")]
    public async Task An_address_of_6_bytes_goes_to_either_type(string type, string shown)
    {
        await using var command = Command("SELECT @p::text");
        command.Parameters.Add(Parameter("p", System.Net.NetworkInformation.PhysicalAddress.Parse("08-00-2B-01-02-03"), type));

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(shown));
    }

    [TestCase("1")]
    [TestCase("true")]
    [TestCase("DATE '2024-02-29'")]
    [TestCase("gen_random_uuid()")]
    [TestCase("ARRAY[1]")]
    public async Task A_value_that_is_no_text_is_no_string_unless_text_was_asked_for(string expression)
    {
        await using var command = Command($"SELECT {expression}");
        foreach (var isText in new[] { false, true })
        {
            if (command is PgCommand ours)
                ours.AllResultTypesAreUnknown = isText;
            else
                ((NpgsqlCommand)command).AllResultTypesAreUnknown = isText;
            await using var reader = await Read(command);
            await Mode.Read(reader);
            if (isText)
                Assert.That(reader.GetString(0), Is.Not.Empty);
            else
                Assert.That(() => reader.GetString(0), Throws.TypeOf<InvalidCastException>());
        }
    }

    [TestCase(DateTimeKind.Local, "timestamp with time zone")]
    [TestCase(DateTimeKind.Unspecified, "timestamp with time zone")]
    [TestCase(DateTimeKind.Utc, "timestamp without time zone")]
    public async Task A_time_of_the_wrong_kind_is_a_wrong_argument(DateTimeKind kind, string type)
    {
        await using var command = Command("SELECT @p");
        command.Parameters.Add(Parameter("p", new DateTime(2024, 2, 29, 1, 2, 3, kind), type));

        Assert.That(async () => await Mode.ExecuteScalar(command), Throws.ArgumentException);
        await AssertUsable();
    }

    [TestCase("citext", "Citext")]
    [TestCase("ltree", "LTree")]
    [TestCase("hstore", "Hstore")]
    [TestCase("hstore[]", "Array, Hstore")]
    [TestCase("cube[]", "Array, Cube")]
    [TestCase("character(1)", "Char")]
    [TestCase("numeric(1000,0)", "Numeric")]
    public void The_name_of_a_type_tells_its_member_of_the_enumeration(string name, string member)
    {
        var expected = member.Split(", ").Aggregate(0, (flags, one) => flags | (int)Enum.Parse<NpgsqlTypes.NpgsqlDbType>(one));
        var actual = Driver == Driver.Loxo
            ? (int)new PgParameter { DataTypeName = name }.PgDbType
            : (int)new NpgsqlParameter { DataTypeName = name }.NpgsqlDbType;

        Assert.That(actual, Is.EqualTo(expected));
    }

    // Each member by itself: DataTypeName counts before the enumeration, and that before DbType, whatever the order in which they were set.
    [Test]
    public void The_type_of_a_parameter_does_not_depend_on_the_order_of_its_members()
    {
        (string Name, Action<PgParameter> Ours, Action<NpgsqlParameter> Theirs)[] steps =
        [
            ("DataTypeName = jsonb", one => one.DataTypeName = "jsonb", one => one.DataTypeName = "jsonb"),
            ("DataTypeName = citext", one => one.DataTypeName = "citext", one => one.DataTypeName = "citext"),
            ("DataTypeName = null", one => one.DataTypeName = null, one => one.DataTypeName = null),
            ("Text", one => one.PgDbType = PgDbType.Text, one => one.NpgsqlDbType = NpgsqlTypes.NpgsqlDbType.Text),
            ("Citext", one => one.PgDbType = PgDbType.Citext, one => one.NpgsqlDbType = NpgsqlTypes.NpgsqlDbType.Citext),
            ("Unknown", one => one.PgDbType = PgDbType.Unknown, one => one.NpgsqlDbType = NpgsqlTypes.NpgsqlDbType.Unknown),
            ("DbType.Int32", one => one.DbType = DbType.Int32, one => one.DbType = DbType.Int32),
            ("DbType.Object", one => one.DbType = DbType.Object, one => one.DbType = DbType.Object),
            ("Value = 1", one => one.Value = 1, one => one.Value = 1),
            ("ResetDbType", one => one.ResetDbType(), one => one.ResetDbType()),
        ];
        // Npgsql knows no types before its first data source.
        using var source = NpgsqlDataSource.Create("Host=nowhere");
        var differences = new List<string>();
        foreach (var first in steps)
        {
            foreach (var second in steps)
            {
                foreach (var third in steps)
                {
                    var (ours, theirs) = (new PgParameter(), new NpgsqlParameter());
                    foreach (var step in new[] { first, second, third })
                    {
                        step.Ours(ours);
                        step.Theirs(theirs);
                    }
                    var expected = $"{theirs.DataTypeName ?? "null"}, {(int)theirs.NpgsqlDbType}, {theirs.DbType}";
                    var actual = $"{ours.DataTypeName ?? "null"}, {(int)ours.PgDbType}, {ours.DbType}";
                    if (actual != expected)
                        differences.Add($"{first.Name}, {second.Name}, {third.Name}: {actual} and not {expected}");
                }
            }
        }
        Assert.That(differences, Is.Empty);
    }

#pragma warning disable CS0618 // Npgsql calls it obsolete, and Entity Framework uses it
    private static (string Type, ulong Rows)[] StatementsOf(DbDataReader reader) => reader is PgDataReader ours
        ? [.. ours.Statements.Select(one => (one.StatementType.ToString(), one.Rows))]
        : [.. ((NpgsqlDataReader)reader).Statements.Select(one => (one.StatementType.ToString(), one.Rows))];

#pragma warning restore CS0618

    private async Task<DbConnection> OpenWith(string more)
    {
        var connection = Factory.CreateConnection()!;
        connection.ConnectionString = Driver.ConnectionString() + more;
        await Mode.Open(connection);
        return connection;
    }

    private DbParameter Parameter(string name, object value, string type)
    {
        var parameter = Parameter(name, value);
        if (parameter is PgParameter ours)
            ours.DataTypeName = type;
        else
            ((NpgsqlParameter)parameter).DataTypeName = type;
        return parameter;
    }
}
