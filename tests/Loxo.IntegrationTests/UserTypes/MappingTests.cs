using System.Buffers.Binary;

namespace Loxo.IntegrationTests.UserTypes;

/// <summary>What is said about types: mappings, codecs, policies.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class MappingTests(WaitMode mode) : UserTypeTest(mode)
{
    public enum Level
    {
        Low,
        High,
    }

    public enum GlobalLevel
    {
        Low,
        High,
    }

    public readonly record struct Celsius(double Degrees);

    [SetUp]
    public async Task CreateTypes() => await ElseWhere("""
        CREATE TYPE level AS ENUM ('low', 'high');
        CREATE TYPE "Level" AS ENUM ('Low', 'High');
        CREATE TYPE celsius_range AS RANGE (subtype = float8, subtype_diff = float8mi)
        """);

    [Test]
    public async Task A_mapped_enum_is_what_its_columns_are_read_as()
    {
        await UseSource(builder => builder.MapEnum<Level>());

        Assert.That(await Value<object>("SELECT 'high'::level"), Is.EqualTo(Level.High));
        Assert.That(await Value<object>("SELECT '{high,low}'::level[]"), Is.EqualTo(new[] { Level.High, Level.Low }));
        Assert.That(await Value<string>("SELECT 'high'::level"), Is.EqualTo("high"));
    }

    [Test]
    public async Task A_name_and_a_translator_are_taken()
    {
        await UseSource(builder => builder.MapEnum<Level>($"{Schema}.\"Level\"", new PgNullNameTranslator()));

        Assert.That(await Value<object>("SELECT 'High'::\"Level\""), Is.EqualTo(Level.High));
        Assert.That(await Value<string>("SELECT pg_typeof($1)::text", Level.Low), Is.EqualTo("\"Level\""));
    }

    [Test]
    public async Task A_mapping_that_was_taken_back_has_no_effect_and_neither_has_a_later_one()
    {
        PgDataSourceBuilder? builder = null;
        await UseSource(b => builder = b.MapEnum<Level>());
        Assert.That(builder!.UnmapEnum<Level>(), Is.True);
        Assert.That(builder.UnmapEnum<Level>(), Is.False);
        Assert.That(await Value<object>("SELECT 'high'::level"), Is.EqualTo(Level.High));

        await using var without = builder.Build();
        await using var connection = await without.OpenConnectionAsync();
        await using var command = new PgCommand("SELECT 'high'::level", connection);
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("high"));
    }

    [Test]
    public async Task What_is_said_for_all_data_sources_holds_for_those_that_are_there()
    {
        Assert.That(await Value<object>("SELECT 'high'::level"), Is.EqualTo("high"));
        PgConnection.GlobalTypeMapper.MapEnum<GlobalLevel>($"{Schema}.level");
        try
        {
            Assert.That(await Value<object>("SELECT 'high'::level"), Is.EqualTo(GlobalLevel.High));
            Assert.That(await Value<string>("SELECT pg_typeof($1)::text", GlobalLevel.Low), Is.EqualTo("level"));
        }
        finally
        {
            Assert.That(PgConnection.GlobalTypeMapper.UnmapEnum<GlobalLevel>($"{Schema}.level"), Is.True);
        }
        Assert.That(await Value<object>("SELECT 'high'::level"), Is.EqualTo("high"));
    }

    [Test]
    public async Task A_codec_of_the_user_s_brings_arrays_ranges_and_nullable_forms()
    {
        await UseSource(builder => builder.AddCodec("float8", new CelsiusCodec()));

        Assert.That(await Value<object>("SELECT 1.5::float8"), Is.EqualTo(new Celsius(1.5)));
        Assert.That(await Value<double>("SELECT 1.5::float8"), Is.EqualTo(1.5));
        Assert.That(await Value<Celsius?>("SELECT NULL::float8"), Is.Null);
        Assert.That(await Value<Celsius?[]>("SELECT '{1,NULL}'::float8[]"), Is.EqualTo(new Celsius?[] { new(1), null }));
        Assert.That(await Value<PgRange<Celsius>>("SELECT '[1,2)'::celsius_range"), Is.EqualTo(new PgRange<Celsius>(new(1), true, new(2), false)));
        Assert.That(await Value<string>("SELECT $1::text || pg_typeof($1)::text", new Celsius(2.5)), Is.EqualTo("2.5double precision"));
        Assert.That(await Value<string>("SELECT $1::text", new PgParameter { Value = new[] { new Celsius(1), new Celsius(2) } }), Is.EqualTo("{1,2}"));
        Assert.That(await Value<string>("SELECT $1::text", new PgParameter<Celsius>(new(3))), Is.EqualTo("3"));
    }

    [Test]
    public async Task Policies_are_those_of_the_data_source_or_of_the_parameter()
    {
        var unspecified = new DateTime(2024, 2, 29, 12, 0, 0);
        PgParameter Instant() => new() { Value = unspecified, PgDbType = PgDbType.TimestampTz };
        await Catch<ArgumentException>(() => Value<object>("SELECT $1", Instant()));
        Assert.That(await Value<string>("SELECT ($1 AT TIME ZONE 'UTC')::text", new PgParameter { Value = unspecified, PgDbType = PgDbType.TimestampTz, TimestampPolicy = TimestampPolicy.AssumeUtc }),
            Is.EqualTo("2024-02-29 12:00:00"));
        var tooPrecise = "SELECT 0.12345678901234567890123456789012345";
        await Catch<OverflowException>(() => Value<decimal>(tooPrecise));

        await UseSource(builder =>
        {
            builder.TimestampPolicy = TimestampPolicy.AssumeUtc;
            builder.NumericPolicy = NumericPolicy.Round;
        });

        Assert.That(await Value<string>("SELECT ($1 AT TIME ZONE 'UTC')::text", Instant()), Is.EqualTo("2024-02-29 12:00:00"));
        Assert.That(await Value<decimal>(tooPrecise), Is.EqualTo(0.1234567890123456789012345679m));

        await UseSource(builder => builder.NumericPolicy = NumericPolicy.PgNumeric);
        Assert.That((await Value<object>(tooPrecise)).ToString(), Is.EqualTo("0.12345678901234567890123456789012345"));
    }

    // The expected values are those of Npgsql 10.0.0 with its switch EnableLegacyTimestampBehavior.
    [Test]
    public async Task The_legacy_policy_takes_a_DateTime_for_a_timestamp_and_reads_instants_in_local_time()
    {
        await UseSource(builder => builder.TimestampPolicy = TimestampPolicy.Legacy);
        var instant = new DateTime(2024, 2, 29, 12, 0, 0, DateTimeKind.Utc);
        foreach (var kind in Enum.GetValues<DateTimeKind>())
        {
            var value = DateTime.SpecifyKind(instant, kind);
            foreach (var parameter in new[] { new PgParameter { Value = value }, new PgParameter<DateTime>(value) })
            {
                Assert.That(await Value<string>("SELECT $1 || ' ' || pg_typeof($1)", parameter),
                    Is.EqualTo("2024-02-29 12:00:00 timestamp without time zone"));
            }
            Assert.That(await Value<string>("SELECT pg_typeof($1)::text", new PgParameter { Value = new[] { value } }), Is.EqualTo("timestamp without time zone[]"));
            Assert.That(await Value<string>("SELECT pg_typeof($1)::text", new PgParameter { Value = new PgRange<DateTime>(value, value) }), Is.EqualTo("tsrange"));
            var expected = kind == DateTimeKind.Local ? value.ToUniversalTime() : instant;
            Assert.That(await Value<string>("SELECT to_char($1 AT TIME ZONE 'UTC', 'HH24:MI')", new PgParameter { Value = value, PgDbType = PgDbType.TimestampTz }),
                Is.EqualTo(expected.ToString("HH:mm", null)));
        }

        const string Noon = "'2024-02-29 12:00:00+00'::timestamptz";
        var read = (DateTime)await Value<object>($"SELECT {Noon}");
        Assert.That((read, read.Kind), Is.EqualTo((instant.ToLocalTime(), DateTimeKind.Local)));
        Assert.That((await Value<DateTime[]>($"SELECT ARRAY[{Noon}]"))[0].Kind, Is.EqualTo(DateTimeKind.Local));
        Assert.That(await Value<PgRange<DateTime>>($"SELECT tstzrange({Noon}, NULL)"), Has.Property("LowerBound").EqualTo(instant.ToLocalTime()));
        var offset = await Value<DateTimeOffset>($"SELECT {Noon}");
        Assert.That((offset.DateTime, offset.Offset), Is.EqualTo((instant.ToLocalTime(), TimeZoneInfo.Local.GetUtcOffset(instant))));
    }

    [Test]
    public async Task Arrays_are_read_as_the_connection_string_says()
    {
        await UseSource(builder => builder.ConnectionStringBuilder.ArrayNullabilityMode = ArrayNullabilityMode.PerInstance);

        Assert.That(await Value<object>("SELECT '{1,2}'::int[]"), Is.EqualTo(new[] { 1, 2 }).And.TypeOf<int[]>());
        Assert.That(await Value<object>("SELECT '{1,NULL}'::int[]"), Is.EqualTo(new int?[] { 1, null }).And.TypeOf<int?[]>());
    }

    [Test]
    public async Task A_column_s_type_is_described_with_what_it_is_made_of()
    {
        await using var command = Command("SELECT 'low'::level, '{low}'::level[], 1::int4, int4range(1, 2), celsius_range(1, 2), 1::float8");
        await using var reader = await Mode.ExecuteReader(command);

        var level = (PostgresEnumType)reader.GetPostgresType(0);
        Assert.That((level.Labels, level.FullName), Is.EqualTo((new[] { "low", "high" }, Schema + ".level")));
        Assert.That(((PostgresArrayType)reader.GetPostgresType(1)).Element, Is.SameAs(level));
        Assert.That(level.Array, Is.SameAs(reader.GetPostgresType(1)));
        Assert.That((reader.GetPostgresType(2).Name, reader.GetPostgresType(2).InternalName), Is.EqualTo(("integer", "int4")));
        Assert.That(((PostgresRangeType)reader.GetPostgresType(3)).Subtype, Is.SameAs(reader.GetPostgresType(2)));
        Assert.That(((PostgresRangeType)reader.GetPostgresType(4)).Subtype.Name, Is.EqualTo("double precision"));
        Assert.That(reader.GetColumnSchema()[0].PostgresType, Is.SameAs(level));
    }

    private sealed class CelsiusCodec : ValueCodec<Celsius>
    {
        public override Celsius Read(ReadOnlySpan<byte> value) => new(BinaryPrimitives.ReadDoubleBigEndian(value));

        public override void Write(MessageWriter writer, Celsius value) => writer.WriteDouble(value.Degrees);
    }
}
