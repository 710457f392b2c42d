namespace Loxo.IntegrationTests.UserTypes;

/// <summary>What was found out about a type does not hold any more, or could never be found out.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class OutdatedTypeTests(WaitMode mode) : UserTypeTest(mode)
{
    public enum Mood
    {
        Sad,
        Ok,
    }

    public sealed record Pair(int? A, string? B);

    [SetUp]
    public async Task CreateTypes() => await ElseWhere("""
        CREATE TYPE mood AS ENUM ('sad', 'ok');
        CREATE TYPE pair AS (a integer, b text);
        CREATE DOMAIN small_pair AS pair CHECK ((value).a < 100)
        """);

    [Test]
    public async Task A_type_that_is_gone_for_good_is_an_error_after_two_runs()
    {
        // The server says of OID 999999 what it says of a parameter's type that was dropped.
        var error = await Catch<PgException>(() => Value<object>("SELECT array_in('{1}', 999999, -1), $1", Mood.Ok));

        Assert.That(error.Message, Does.Contain("cache lookup failed"));
        Assert.That(await Value<int>("SELECT 1"), Is.EqualTo(1));
    }

    [Test]
    public async Task A_record_with_a_field_that_the_server_cannot_send_is_an_error([Values("0", "256")] string maxAutoPrepare)
    {
        await UseSource(builder => builder.ConnectionStringBuilder.MaxAutoPrepare = int.Parse(maxAutoPrepare));
        for (var run = 1; run <= 4; run++)
        {
            var error = await Catch<Exception>(() => Value<object>("SELECT ROW(relacl) FROM pg_class WHERE relacl IS NOT NULL LIMIT 1"));
            Assert.That(error.Message, Does.Contain("aclitem"));
        }
    }

    [Test]
    public async Task A_name_that_cannot_be_sent_costs_the_command_alone()
    {
        await Catch<Exception>(() => Value<string>("SELECT $1", new PgParameter { Value = "x", DataTypeName = "a\0b" }));

        Assert.That(await Value<int>("SELECT 1"), Is.EqualTo(1));
    }

    [Test]
    public async Task Rows_that_are_being_read_stay_readable_when_others_define_types()
    {
        await using var command = Command("SELECT ROW(i, 'ok'::mood, ROW(i, 'x')::pair), ROW(i, 'y')::pair FROM generate_series(1, 3) i");
        await using var reader = await Mode.ExecuteReader(command);
        await using var other = await Source.OpenConnectionAsync();
        for (var i = 1; await Mode.Read(reader); i++)
        {
            Assert.That(reader.GetValue(0), Is.EqualTo(new object[] { i, "ok", new object[] { i, "x" } }));
            Assert.That(reader.GetFieldValue<Pair>(1), Is.EqualTo(new Pair(i, "y")));
            await using var definition = new PgCommand($"CREATE TEMP TABLE t{i} (id int)", other);
            await Mode.ExecuteNonQuery(definition);
            Source.ReloadTypes();
        }
    }

    [Test]
    public async Task A_composite_that_somebody_else_has_altered_is_written_with_its_new_fields()
    {
        PgParameter Given() => new() { Value = new Pair(1, "x"), DataTypeName = "pair" };
        Assert.That(await Value<string>("SELECT $1::text", Given()), Is.EqualTo("(1,x)"));
        await ElseWhere("ALTER TYPE pair DROP ATTRIBUTE b");

        Assert.That(await Value<string>("SELECT $1::text", Given()), Is.EqualTo("(1)"));
    }

    [Test]
    public async Task A_domain_over_a_composite_is_read_and_written_as_a_class()
    {
        var pair = new Pair(1, "x");
        Assert.That(await Value<string>("SELECT $1::text || pg_typeof($1)::text", new PgParameter { Value = pair, DataTypeName = "small_pair" }), Is.EqualTo("(1,x)small_pair"));
        Assert.That(await Value<Pair[]>("SELECT ARRAY[ROW(1, 'x')::small_pair]"), Is.EqualTo(new[] { pair }));
    }

    [Test]
    public async Task A_name_that_was_given_to_another_type_means_that_one()
    {
        Assert.That(await Value<string>("SELECT $1::text", Mood.Ok), Is.EqualTo("ok"));
        await Execute("ALTER TYPE mood RENAME TO feeling; CREATE TYPE mood AS ENUM ('ok', 'other')");
        await Connection.CloseAsync();
        await Mode.Open(Connection);

        Assert.That(await Value<string>("SELECT $1::text", new PgParameter { Value = "other", DataTypeName = "mood" }), Is.EqualTo("other"));
    }

    [Test]
    public async Task A_search_path_that_was_taken_back_with_a_savepoint_has_no_effect()
    {
        await ElseWhere($"CREATE SCHEMA {Schema}_b; CREATE TYPE {Schema}_b.mood AS ENUM ('b')");
        try
        {
            await using var transaction = Connection.BeginTransaction();
            await Execute("SELECT 1");
            await Mode.Run(() => transaction.Save("before"), () => transaction.SaveAsync("before"));
            await Execute($"SET LOCAL search_path = {Schema}_b");
            Assert.That(await Value<string>("SELECT $1::text", new PgParameter { Value = "b", DataTypeName = "mood" }), Is.EqualTo("b"));
            await Mode.Run(() => transaction.Rollback("before"), () => transaction.RollbackAsync("before"));

            Assert.That(await Value<string>("SELECT $1::text", new PgParameter { Value = "sad", DataTypeName = "mood" }), Is.EqualTo("sad"));
        }
        finally
        {
            await ElseWhere($"DROP SCHEMA {Schema}_b CASCADE");
        }
    }

    [Test]
    public async Task Without_type_loading_values_are_text_and_the_server_makes_out_the_parameters()
    {
        await UseSource(builder => builder.ConnectionStringBuilder.ConnectionString += ";Server Compatibility Mode=NoTypeLoading");

        for (var run = 1; run <= 3; run++)
            Assert.That(await Value<string>("SELECT $1::mood", new PgParameter { Value = "ok", DataTypeName = "mood" }), Is.EqualTo("ok"), $"run {run}");
    }
}
