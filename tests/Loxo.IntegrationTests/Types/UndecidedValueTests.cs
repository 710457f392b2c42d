namespace Loxo.IntegrationTests.Types;

/// <summary>Values of DateTime that hold none, so that no kind tells their type.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class UndecidedValueTests(WaitMode mode) : DatabaseTest(mode)
{
    private static readonly PgRange<DateTime> Unbounded = new(default, false, true, default, false, true);

    [SetUp]
    public Task CreateTable() => Execute("""
        CREATE TEMP TABLE undecided (ts timestamp[], tz timestamptz[], r tsrange, rz tstzrange, m tsmultirange, mz tstzmultirange);
        CREATE FUNCTION pg_temp.of_instants(timestamptz[]) RETURNS integer LANGUAGE SQL AS 'SELECT cardinality($1)'
        """);

    [Test]
    public async Task An_array_without_elements_fits_both_timestamps()
    {
        foreach (var empty in new object[] { Array.Empty<DateTime>(), new List<DateTime>(), new PgParameter<DateTime[]>([]), new ReadOnlyMemory<DateTime>() })
        {
            Assert.That(await Execute("INSERT INTO undecided (ts, tz) VALUES ($1, $1)", Same(empty)), Is.EqualTo(1));
            Assert.That(await Scalar<bool>("SELECT now() = ANY($1) OR localtimestamp = ANY($1)", Same(empty)), Is.False);
            Assert.That(await Scalar<long>("SELECT count(*) FROM unnest($1)", Same(empty)), Is.Zero);
            Assert.That(await Scalar<int>("SELECT pg_temp.of_instants($1)", Same(empty)), Is.Zero);
        }
        Assert.That(await Scalar<long>("SELECT count(*) FROM undecided WHERE ts = '{}' AND tz = '{}'"), Is.EqualTo(4));
    }

    [Test]
    public async Task A_range_without_bounds_is_of_the_type_that_the_server_expects()
    {
        foreach (var (range, text) in new[] { (PgRange<DateTime>.Empty, "empty"), (Unbounded, "(,)") })
        {
            foreach (var value in new object[] { range, new PgParameter<PgRange<DateTime>>(range), new PgParameter<PgRange<DateTime>?>(range), new PgParameter<object>(range) })
            {
                Assert.That(await Execute("INSERT INTO undecided (r) VALUES ($1)", Same(value)), Is.EqualTo(1));
                Assert.That(await Execute("INSERT INTO undecided (rz) VALUES ($1)", Same(value)), Is.EqualTo(1));
                Assert.That(await Scalar<string>("SELECT r::text FROM undecided WHERE r = $1 LIMIT 1", Same(value)), Is.EqualTo(text));
                Assert.That(await Scalar<string>("SELECT rz::text FROM undecided WHERE rz = $1 LIMIT 1", Same(value)), Is.EqualTo(text));
            }
        }
    }

    [Test]
    public async Task A_multirange_without_bounds_is_of_the_type_that_the_server_expects()
    {
        foreach (var value in new object[] { Array.Empty<PgRange<DateTime>>(), new List<PgRange<DateTime>> { PgRange<DateTime>.Empty }, new[] { Unbounded } })
        {
            await Execute("INSERT INTO undecided (m) VALUES ($1)", value);
            await Execute("INSERT INTO undecided (mz) VALUES ($1)", value);
        }
        Assert.That(await Rows("SELECT m::text FROM undecided WHERE m IS NOT NULL"), Is.EqualTo(new[] { new[] { "{}" }, ["{}"], ["{(,)}"] }));
        Assert.That(await Rows("SELECT mz::text FROM undecided WHERE mz IS NOT NULL"), Is.EqualTo(new[] { new[] { "{}" }, ["{}"], ["{(,)}"] }));
    }

    [Test]
    public async Task The_type_that_a_parameter_names_is_the_one_that_is_sent()
    {
        foreach (var type in new[] { PgDbType.Timestamp, PgDbType.TimestampTz })
        {
            Assert.That(await Scalar<string>("SELECT pg_typeof($1)::text", new PgParameter { Value = Array.Empty<DateTime>(), PgDbType = type | PgDbType.Array }),
                Is.EqualTo(type == PgDbType.Timestamp ? "timestamp without time zone[]" : "timestamp with time zone[]"));
            Assert.That(await Scalar<string>("SELECT pg_typeof($1)::text", new PgParameter { Value = PgRange<DateTime>.Empty, PgDbType = type | PgDbType.Range }),
                Is.EqualTo(type == PgDbType.Timestamp ? "tsrange" : "tstzrange"));
            Assert.That(await Scalar<string>("SELECT pg_typeof($1)::text", new PgParameter<PgRange<DateTime>>(Unbounded) { PgDbType = type | PgDbType.Range }),
                Is.EqualTo(type == PgDbType.Timestamp ? "tsrange" : "tstzrange"));
        }
    }

    [Test]
    public async Task A_bound_decides_wherever_it_stands()
    {
        var utc = new PgRange<DateTime>(new DateTime(2024, 1, 1, 0, 0, 0, DateTimeKind.Utc), DateTime.MaxValue);
        Assert.That(await Scalar<string>("SELECT pg_typeof($1)::text", new[] { PgRange<DateTime>.Empty, Unbounded, utc }), Is.EqualTo("tstzmultirange"));
        Assert.That(await Scalar<string>("SELECT pg_typeof($1)::text", new Memory<DateTime>([DateTime.UtcNow])), Is.EqualTo("timestamp with time zone[]"));
    }

    [Test]
    public async Task A_command_that_runs_again_follows_its_values()
    {
        await using var command = Command("INSERT INTO undecided (rz) VALUES ($1) RETURNING rz::text");
        var parameter = new PgParameter<PgRange<DateTime>>(PgRange<DateTime>.Empty);
        command.Parameters.Add(parameter);
        await Execute("SET TimeZone TO 'UTC'");
        for (var i = 0; i < 4; i++)
        {
            parameter.TypedValue = PgRange<DateTime>.Empty;
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("empty"));
            parameter.TypedValue = new PgRange<DateTime>(new DateTime(2024, 1, 1, 0, 0, 0, DateTimeKind.Utc), true, false, default, false, true);
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("[\"2024-01-01 00:00:00+00\",)"));
            parameter.TypedValue = Unbounded;
            Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("(,)"));
        }
        await Mode.Prepare(command);
        parameter.TypedValue = PgRange<DateTime>.Empty;
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("empty"));
    }

    [Test]
    public async Task NULL_of_such_a_type_fits_both()
    {
        await Execute("INSERT INTO undecided (ts, r) VALUES ($1, $2)", new PgParameter<DateTime[]>(null), new PgParameter<PgRange<DateTime>?>(null));
        await Execute("INSERT INTO undecided (tz, rz) VALUES ($1, $2)", new PgParameter<DateTime[]>(null), new PgParameter<PgRange<DateTime>?>(null));
        await AssertUsable();
    }

    [Test]
    public async Task Characters_in_memory_are_text()
    {
        var memory = new Memory<char>("a text".ToCharArray(), 2, 4);
        Assert.That(await Scalar<string>("SELECT pg_typeof($1) || ' ' || $1", memory), Is.EqualTo("text text"));
        Assert.That(await Scalar<string>("SELECT pg_typeof($1) || ' ' || $1", new PgParameter<Memory<char>>(memory)), Is.EqualTo("text text"));
        Assert.That(await Scalar<string>("SELECT $1 ->> 'a'", new PgParameter { Value = new Memory<char>("{\"a\": 1}".ToCharArray()), PgDbType = PgDbType.Jsonb }), Is.EqualTo("1"));
    }

    [Test]
    public async Task A_time_on_the_first_day_is_written_as_that_day()
    {
        foreach (var value in new[] { new DateTime(1, 1, 1, 0, 0, 1), new DateTime(1, 1, 1, 23, 59, 59) })
            Assert.That(await Scalar<string>("SELECT $1::text", new PgParameter { Value = value, PgDbType = PgDbType.Date }), Is.EqualTo("0001-01-01"));
        Assert.That(await Scalar<string>("SELECT $1::text", new PgParameter { Value = DateTime.MinValue, PgDbType = PgDbType.Date }), Is.EqualTo("-infinity"));
    }

    private static object Same(object value) => value is PgParameter parameter ? parameter.Clone() : value;
}
