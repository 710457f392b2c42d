namespace Loxo.IntegrationTests.UserTypes;

/// <summary>Enum types, without anything having been said about them.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class EnumTests(WaitMode mode) : UserTypeTest(mode)
{
    public enum Mood
    {
        Sad,

        [PgName("just fine")]
        Fine,
        VeryHappy,
    }

    [SetUp]
    public async Task CreateMood() => await ElseWhere("CREATE TYPE mood AS ENUM ('sad', 'just fine', 'very_happy')");

    [Test]
    public async Task A_label_is_read_as_string_and_as_enum()
    {
        for (var run = 1; run <= 3; run++)
        {
            await using var command = Command("SELECT 'just fine'::mood, NULL::mood, '{sad,NULL}'::mood[], 'very_happy'::mood");
            var reader = await Mode.ExecuteReader(command);
            await Mode.Read(reader);
            Assert.That(reader.GetValue(0), Is.EqualTo("just fine"));
            Assert.That(reader.GetFieldType(0), Is.EqualTo(typeof(string)));
            Assert.That(reader.GetDataTypeName(0), Is.EqualTo(Schema + ".mood"));
            Assert.That(reader.GetFieldValue<Mood>(0), Is.EqualTo(Mood.Fine));
            Assert.That(reader.GetFieldValue<Mood?>(1), Is.Null);
            Assert.That(reader.GetFieldValue<Mood?>(3), Is.EqualTo(Mood.VeryHappy));
            Assert.That(reader.GetFieldValue<Mood?[]>(2), Is.EqualTo(new Mood?[] { Mood.Sad, null }));
            Assert.That(reader.GetFieldValue<List<Mood?>>(2), Is.EqualTo(new Mood?[] { Mood.Sad, null }));
            Assert.That(reader.GetFieldValue<string?[]>(2), Is.EqualTo(new[] { "sad", null }));
            await Mode.Close(reader);
        }
    }

    [Test]
    public async Task Ranges_over_an_enum_may_have_nullable_bounds([Values] bool mapped)
    {
        await ElseWhere("CREATE TYPE moods AS RANGE (subtype = mood, multirange_type_name = many_moods)");
        if (mapped)
            await UseSource(builder => builder.MapEnum<Mood>("mood"));
        PgRange<Mood?> range = new(Mood.Sad, true, Mood.Fine, false);
        PgRange<Mood?> open = new(Mood.VeryHappy, true, null, false);
        await using var command = Command("SELECT $1, $2, $3, ARRAY[$1], $1::text, $2::text, $3::text, $4::text",
            new PgParameter { Value = range, DataTypeName = "moods" }, new PgParameter { Value = new[] { range, open }, DataTypeName = "moods[]" },
            new PgParameter<PgRange<Mood?>[]>([range, open]) { DataTypeName = "many_moods" }, new PgParameter<PgRange<Mood?>>(range) { DataTypeName = "moods" });
        await using var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);

        Assert.That(reader.GetFieldValue<PgRange<Mood?>>(0), Is.EqualTo(range));
        Assert.That(reader.GetFieldValue<PgRange<Mood?>?>(0), Is.EqualTo(range));
        Assert.That(reader.GetFieldValue<PgRange<Mood>>(0), Is.EqualTo(new PgRange<Mood>(Mood.Sad, true, Mood.Fine, false)));
        Assert.That(reader.GetFieldValue<PgRange<Mood?>[]>(1), Is.EqualTo(new[] { range, open }));
        Assert.That(reader.GetFieldValue<List<PgRange<Mood?>>>(1), Is.EqualTo(new[] { range, open }));
        Assert.That(reader.GetFieldValue<PgRange<Mood?>?[]>(1), Is.EqualTo(new PgRange<Mood?>?[] { range, open }));
        Assert.That(reader.GetFieldValue<PgRange<Mood>[]>(3), Is.EqualTo(new PgRange<Mood>[] { new(Mood.Sad, true, Mood.Fine, false) }));
        Assert.That(reader.GetFieldValue<PgRange<Mood?>[]>(2), Is.EqualTo(new[] { range, open }));
        Assert.That(reader.GetFieldValue<List<PgRange<Mood?>>>(2), Is.EqualTo(new[] { range, open }));
        Assert.That((reader.GetString(4), reader.GetString(5), reader.GetString(6)),
            Is.EqualTo(("[sad,\"just fine\")", "{\"[sad,\\\"just fine\\\")\",\"[very_happy,)\"}", "{[sad,\"just fine\"),[very_happy,)}")));
        Assert.That(reader.GetString(7), Is.EqualTo("[sad,\"just fine\")"));
    }

    [TestCase("SELECT 'sad'::mood, '{sad}'::mood[]", "SELECT 1 / 0")]
    [TestCase("SELECT 'sad'::mood, '{sad}'::mood[] FROM generate_series(1, 3) i WHERE i < 2 OR 1 / (3 - i) > 0", null)]
    public async Task An_enum_that_is_first_met_in_a_transaction_that_fails_can_be_read(string first, string? second)
    {
        await using var transaction = await Mode.Run(() => Connection.BeginTransaction(), async () => await Connection.BeginTransactionAsync());
        await using var batch = new PgBatch(Connection) { BatchCommands = { new PgBatchCommand(first) } };
        if (second is not null)
            batch.BatchCommands.Add(new PgBatchCommand(second));

        await using var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
        await Mode.Read(reader);
        Assert.That((reader.GetDataTypeName(0), reader.GetFieldValue<Mood>(0)), Is.EqualTo((Schema + ".mood", Mood.Sad)));
        Assert.That(reader.GetFieldValue<Mood[]>(1), Is.EqualTo(new[] { Mood.Sad }));
        await Assert.ThrowsAsync<PostgresException>(async () =>
        {
            while (await Mode.Read(reader) || await Mode.NextResult(reader))
            {
            }
        });
    }

    [Test]
    public async Task An_enum_is_written_by_its_type_name_by_a_given_name_and_as_string()
    {
        Assert.That(await Value<string>("SELECT $1::text || pg_typeof($1)::text", Mood.Fine), Is.EqualTo("just finemood"));
        Assert.That(await Value<string>("SELECT $1::text || pg_typeof($1)::text", new PgParameter<Mood>(Mood.Sad)), Is.EqualTo("sadmood"));
        Assert.That(await Value<string>("SELECT $1::text", new PgParameter { Value = "sad", DataTypeName = Schema + ".mood" }), Is.EqualTo("sad"));
        Assert.That(await Value<string>("SELECT $1::text", new PgParameter { Value = new[] { Mood.Sad, Mood.VeryHappy } }), Is.EqualTo("{sad,very_happy}"));
        Assert.That(await Value<string>("SELECT $1::text", new PgParameter { Value = new List<string> { "sad" }, DataTypeName = "mood[]" }), Is.EqualTo("{sad}"));
        Assert.That(await Value<bool>("SELECT $1 IS NULL AND pg_typeof($1) = 'mood'::regtype", new PgParameter { Value = DBNull.Value, DataTypeName = "mood" }), Is.True);
    }

    [Test]
    public async Task A_label_that_the_enum_lacks_names_column_and_remedy_and_the_next_row_is_read()
    {
        await ElseWhere("ALTER TYPE mood ADD VALUE 'puzzled'");
        await using var command = Command("SELECT m::text::mood FROM (VALUES ('puzzled'), ('sad')) AS v(m)");
        var reader = await Mode.ExecuteReader(command);
        await Mode.Read(reader);

        var error = Assert.Throws<InvalidCastException>(() => reader.GetFieldValue<Mood>(0))!;

        Assert.That(error.Message, Does.Contain("puzzled").And.Contain("ordinal 0").And.Contain("[PgName]"));
        Assert.That(reader.GetString(0), Is.EqualTo("puzzled"));
        await Mode.Read(reader);
        Assert.That(reader.GetFieldValue<Mood>(0), Is.EqualTo(Mood.Sad));
        await Mode.Close(reader);
    }

    [Test]
    public async Task A_type_that_does_not_exist_is_named_and_found_once_it_exists()
    {
        var error = await Catch<PgException>(() => Value<string>("SELECT $1::text", new PgParameter { Value = "a", DataTypeName = "not_yet" }));
        Assert.That(error.Message, Does.Contain("not_yet").And.Contain("$1"));
        Assert.That(error.Code, Is.EqualTo(PgErrorCode.ParameterInvalid));

        await ElseWhere("CREATE TYPE not_yet AS ENUM ('a')");

        Assert.That(await Value<string>("SELECT $1::text", new PgParameter { Value = "a", DataTypeName = "not_yet" }), Is.EqualTo("a"));
    }

    [Test]
    public async Task A_type_of_an_open_transaction_is_found_and_forgotten_with_it()
    {
        await using var transaction = Connection.BeginTransaction();
        await Execute("CREATE TYPE brief AS ENUM ('x')");
        Assert.That(await Value<string>("SELECT $1", new PgParameter { Value = "x", DataTypeName = "brief" }), Is.EqualTo("x"));
        await Mode.Rollback(transaction);

        await Catch<PgException>(() => Value<string>("SELECT $1", new PgParameter { Value = "x", DataTypeName = "brief" }));

        await ElseWhere("CREATE TYPE brief AS ENUM ('y')");
        Assert.That(await Value<string>("SELECT $1", new PgParameter { Value = "y", DataTypeName = "brief" }), Is.EqualTo("y"));
    }

    [Test]
    public async Task A_name_without_schema_follows_the_search_path([Values] bool local)
    {
        await Execute($"CREATE SCHEMA {Schema}_b; CREATE TYPE {Schema}_b.mood AS ENUM ('other')");
        try
        {
            Assert.That(await Value<string>("SELECT pg_typeof($1)::regtype::oid::text", Mood.Sad), Is.EqualTo(await Value<string>($"SELECT '{Schema}.mood'::regtype::oid::text")));
            var transaction = local ? Connection.BeginTransaction() : null;
            await Execute($"SET {(local ? "LOCAL " : "")}search_path = {Schema}_b");
            Assert.That(await Value<string>("SELECT $1::text", new PgParameter { Value = "other", DataTypeName = "mood" }), Is.EqualTo("other"));
            if (transaction is not null)
                await Mode.Commit(transaction);
            else
                await Execute("RESET search_path");
            Assert.That(await Value<string>("SELECT $1::text", Mood.Sad), Is.EqualTo("sad"));
        }
        finally
        {
            await Execute($"DROP SCHEMA {Schema}_b CASCADE");
        }
    }

    [Test]
    public async Task A_type_that_was_dropped_and_made_anew_is_found_again()
    {
        Assert.That(await Value<string>("SELECT $1::text", Mood.Sad), Is.EqualTo("sad"));
        await ElseWhere("DROP TYPE mood; CREATE TYPE mood AS ENUM ('sad')");

        Assert.That(await Value<string>("SELECT $1::text", Mood.Sad), Is.EqualTo("sad"));
        Assert.That(await Value<Mood>("SELECT 'sad'::mood"), Is.EqualTo(Mood.Sad));
    }

    [Test]
    public async Task A_command_is_prepared_with_the_types_of_its_parameters()
    {
        await using var command = Command("SELECT pg_typeof($1)::text, $1::text", new PgParameter { DataTypeName = "mood" });
        await Mode.Prepare(command);
        command.Parameters[0].Value = "sad";

        await using var reader = await Mode.ExecuteReader(command);
        await Mode.Read(reader);

        Assert.That((reader.GetString(0), reader.GetString(1)), Is.EqualTo(("mood", "sad")));
        Assert.That(command.IsPrepared, Is.True);
    }

    [Test]
    public async Task A_batch_looks_up_the_types_of_all_its_commands_at_once()
    {
        await ElseWhere("CREATE TYPE size AS ENUM ('small')");
        await using var batch = new PgBatch(Connection)
        {
            BatchCommands = { new("SELECT 1"), new("SELECT $1::text"), new("SELECT $1::text") },
        };
        batch.BatchCommands[1].Parameters.Add(new PgParameter { Value = Mood.Sad });
        batch.BatchCommands[2].Parameters.Add(new PgParameter { Value = "small", DataTypeName = "size" });

        await using var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
        var values = new List<object>();
        do
        {
            await Mode.Read(reader);
            values.Add(reader.GetValue(0));
        }
        while (await Mode.NextResult(reader));

        Assert.That(values, Is.EqualTo(new object[] { 1, "sad", "small" }));
    }

    [Test]
    public async Task Types_are_found_in_the_first_command_of_a_transaction_and_a_failed_one_takes_no_lookup()
    {
        await using (var transaction = Connection.BeginTransaction())
        {
            Assert.That(await Value<Mood>("SELECT $1", Mood.Sad), Is.EqualTo(Mood.Sad));
            await Mode.Commit(transaction);
        }
        await using (var transaction = Connection.BeginTransaction())
        {
            await Catch<PostgresException>(() => Execute("SELECT 1/0"));
            var error = await Catch<PostgresException>(() => Value<string>("SELECT $1::text", new PgParameter { Value = "x", DataTypeName = "never_seen" }));
            Assert.That(error.SqlState, Is.EqualTo(SqlStates.InFailedSqlTransaction));
            await Mode.Rollback(transaction);
        }
        Assert.That(await Value<int>("SELECT 1"), Is.EqualTo(1));
    }

    [Test]
    public async Task Many_connections_meet_a_type_at_the_same_time()
    {
        await Task.WhenAll(Enumerable.Range(0, 16).Select(i => Task.Run(async () =>
        {
            await using var connection = Source.CreateConnection();
            await Mode.Open(connection);
            await using var command = new PgCommand("SELECT $1, '{sad,very_happy}'::mood[]", connection);
            command.Parameters.Add(new PgParameter { Value = Mood.Fine });
            await using var reader = await Mode.ExecuteReader(command);
            await Mode.Read(reader);
            Assert.That(reader.GetFieldValue<Mood>(0), Is.EqualTo(Mood.Fine));
            Assert.That(reader.GetFieldValue<Mood[]>(1), Is.EqualTo(new[] { Mood.Sad, Mood.VeryHappy }));
        })));
    }

    [Test]
    public async Task A_result_that_is_too_large_to_be_kept_knows_its_types_all_the_same()
    {
        await using var command = Command("SELECT 'sad'::mood, repeat('x', 10000) FROM generate_series(1, 4000)");
        await using var reader = await Mode.ExecuteReader(command);
        var rows = 0;
        while (await Mode.Read(reader))
        {
            Assert.That(reader.GetFieldValue<Mood>(0), Is.EqualTo(Mood.Sad));
            rows++;
        }
        Assert.That(rows, Is.EqualTo(4000));
    }

    [Test]
    public async Task Prepared_and_described_commands_know_the_type()
    {
        await using var command = Command("SELECT 'sad'::mood, $1::mood", new PgParameter { Value = Mood.Fine });
        await Mode.Prepare(command);
        var reader = await Mode.ExecuteReader(command);
        await Mode.Read(reader);
        Assert.That((reader.GetFieldValue<Mood>(0), reader.GetFieldValue<Mood>(1)), Is.EqualTo((Mood.Sad, Mood.Fine)));
        await Mode.Close(reader);
    }
}
