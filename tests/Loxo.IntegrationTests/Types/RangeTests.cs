using Npgsql;
using NpgsqlTypes;

namespace Loxo.IntegrationTests.Types;

/// <summary>Ranges, multiranges and records where the table of samples does not reach.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class RangeTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task Several_ranges_are_a_multirange_unless_an_array_is_asked_for()
    {
        PgRange<int>[] ranges = [new(1, true, 3, false), new(5, true, 8, false)];
        await using var reader = await Row("SELECT pg_typeof($1)::text, pg_typeof($2)::text, $1, $2, $1::text, $2::text",
            new PgParameter { Value = ranges }, new PgParameter { Value = ranges, PgDbType = PgDbType.Array | PgDbType.IntegerRange });
        Assert.That((reader.GetString(0), reader.GetString(1)), Is.EqualTo(("int4multirange", "int4range[]")));
        Assert.That(reader.GetFieldValue<PgRange<int>[]>(2), Is.EqualTo(ranges));
        Assert.That(reader.GetFieldValue<PgRange<int>[]>(3), Is.EqualTo(ranges));
        Assert.That((reader.GetString(4), reader.GetString(5)), Is.EqualTo(("{[1,3),[5,8)}", "{\"[1,3)\",\"[5,8)\"}")));
    }

    [Test]
    public async Task An_array_of_multiranges_is_an_array_of_arrays()
    {
        PgRange<int>[][] value = [[new(1, true, 3, false)], []];
        await using var reader = await Row("SELECT $1, pg_typeof($1)::text", new PgParameter { Value = value });
        Assert.That(reader.GetFieldValue<PgRange<int>[][]>(0), Is.EqualTo(value));
        Assert.That(reader.GetString(1), Is.EqualTo("int4multirange[]"));
    }

    [Test]
    public async Task The_kind_of_a_bound_chooses_the_type_anew_for_each_value()
    {
        var parameter = new PgParameter { Value = new PgRange<DateTime>(new(2024, 1, 1), new(2024, 1, 2)) };
        await using (var reader = await Row("SELECT pg_typeof($1)::text", parameter))
            Assert.That(reader.GetString(0), Is.EqualTo("tsrange"));
        parameter = new PgParameter { Value = new PgRange<DateTime>(DateTime.UnixEpoch, DateTime.UnixEpoch.AddDays(1)) };
        await using (var reader = await Row("SELECT pg_typeof($1)::text", parameter))
            Assert.That(reader.GetString(0), Is.EqualTo("tstzrange"));
    }

    [Test]
    public async Task Bounds_may_be_nullable()
    {
        await using var reader = await Row("SELECT $1, $2, $3, $1::text, $2::text, $3::text, pg_typeof($1)::text",
            new PgParameter<PgRange<int?>>(new PgRange<int?>(null, true, 5, false)), new PgParameter { Value = new PgRange<int?>(null, null) },
            new PgParameter { Value = new PgRange<DateOnly?>(new DateOnly(2024, 2, 29), true, null, false), PgDbType = PgDbType.DateRange });

        Assert.That(reader.GetFieldValue<PgRange<int?>>(0), Is.EqualTo(new PgRange<int?>(null, true, 5, false)));
        Assert.That(reader.GetFieldValue<PgRange<long?>?>(0), Is.EqualTo(new PgRange<long?>(null, true, 5, false)));
        Assert.That(reader.GetFieldValue<PgRange<int?>>(1), Is.EqualTo(new PgRange<int?>(null, null)));
        Assert.That(reader.GetFieldValue<PgRange<DateOnly?>>(2).LowerBound, Is.EqualTo(new DateOnly(2024, 2, 29)));
        Assert.That(reader.GetFieldValue<PgRange<DateOnly?>>(2).UpperBound, Is.Null);
        Assert.That((reader.GetString(3), reader.GetString(4), reader.GetString(5)), Is.EqualTo(("(,5)", "(,)", "[2024-02-29,)")));
        Assert.That((reader.GetString(6), reader.GetFieldValue<PgRange<int?>>(0).ToString()), Is.EqualTo(("int4range", "(,5)")));
    }

    [Test]
    public async Task Bounds_of_ranges_in_arrays_and_multiranges_may_be_nullable_as_with_Npgsql([Values] bool asText)
    {
        const string sql = "SELECT '{\"[1,3)\",\"(,5)\",empty}'::int4range[], '{(,3),[5,)}'::int4multirange, ARRAY[[numrange(1, NULL)]], ARRAY[int4range(1, 3), NULL]";
        await using var source = new NpgsqlDataSourceBuilder(TestServer.Default.ConnectionString).EnableUnmappedTypes().Build();
        await using var npgsql = await source.OpenConnectionAsync();
        await using var theirs = new NpgsqlCommand(sql, npgsql);
        await using var peer = await theirs.ExecuteReaderAsync();
        await peer.ReadAsync();
        await using var command = Command(sql);
        command.AllResultTypesAreUnknown = asText;
        await using var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);

        Assert.That(Bounds(reader.GetFieldValue<PgRange<int?>[]>(0)), Is.EqualTo(Bounds(peer.GetFieldValue<NpgsqlRange<int?>[]>(0))));
        Assert.That(Bounds(reader.GetFieldValue<List<PgRange<int?>>>(0)), Is.EqualTo(Bounds(peer.GetFieldValue<List<NpgsqlRange<int?>>>(0))));
        Assert.That(Bounds(reader.GetFieldValue<IList<PgRange<int?>>>(0)), Is.EqualTo(Bounds(peer.GetFieldValue<IList<NpgsqlRange<int?>>>(0))));
        Assert.That(Bounds(reader.GetFieldValue<PgRange<long?>[]>(0)), Is.EqualTo(Bounds(peer.GetFieldValue<NpgsqlRange<long?>[]>(0))));
        Assert.That(Bounds(reader.GetFieldValue<PgRange<int?>[]>(1)), Is.EqualTo(Bounds(peer.GetFieldValue<NpgsqlRange<int?>[]>(1))));
        Assert.That(Bounds(reader.GetFieldValue<PgRange<decimal?>[,]>(2).Cast<PgRange<decimal?>>()), Is.EqualTo(Bounds(peer.GetFieldValue<NpgsqlRange<decimal?>[,]>(2).Cast<NpgsqlRange<decimal?>>())));
        // Npgsql refuses these.
        Assert.That(Bounds(reader.GetFieldValue<List<PgRange<int?>>>(1)), Is.EqualTo(Bounds(reader.GetFieldValue<PgRange<int?>[]>(1))));
        Assert.That(reader.GetFieldValue<PgRange<int?>?[]>(3), Is.EqualTo(new PgRange<int?>?[] { new(1, true, 3, false), null }));
    }

    [Test]
    public async Task Arrays_and_multiranges_with_nullable_bounds_are_written_as_with_Npgsql([Values("int4range[]", "int4multirange")] string type, [Values] bool list)
    {
        await using var source = new NpgsqlDataSourceBuilder(TestServer.Default.ConnectionString).EnableUnmappedTypes().Build();
        await using var npgsql = await source.OpenConnectionAsync();
        PgRange<int?>[] ours = [new(1, true, 3, false), new(7, true, null, false)];
        NpgsqlRange<int?>[] theirs = [new(1, true, false, 3, false, false), new(7, true, false, null, false, true)];
        await using var peer = new NpgsqlCommand("SELECT $1::text", npgsql);
        // Npgsql takes no list for a multirange.
        peer.Parameters.Add(new NpgsqlParameter { Value = list && type.EndsWith(']') ? theirs.ToList() : theirs, DataTypeName = type });
        var expected = (string?)await Mode.ExecuteScalar(peer);

        Assert.That(await Scalar<string>("SELECT $1::text", new PgParameter { Value = list ? ours.ToList() : ours, DataTypeName = type }), Is.EqualTo(expected));
        Assert.That(await Scalar<string>("SELECT $1::text", list ? new PgParameter<List<PgRange<int?>>>([.. ours]) { DataTypeName = type } : new PgParameter<PgRange<int?>[]>(ours) { DataTypeName = type }), Is.EqualTo(expected));
        Assert.That(await Scalar<string>("SELECT pg_typeof($1)::text", new PgParameter { Value = ours }), Is.EqualTo("int4multirange"));
    }

    [Test]
    public void Bounds_of_two_kinds_are_refused() => Assert.That(
        async () => await Row("SELECT $1", new PgParameter { Value = new PgRange<DateTime>(DateTime.UnixEpoch, DateTime.Now) }), Throws.InstanceOf<ArgumentException>());

    [Test]
    public async Task The_server_brings_whole_numbers_into_one_form()
    {
        await using var reader = await Row("SELECT $1", new PgParameter<PgRange<int>>(new(1, 5)));
        Assert.That(reader.GetFieldValue<PgRange<int>>(0), Is.EqualTo(new PgRange<int>(1, true, 6, false)));
    }

    [TestCase("int4range", "'[3,7]', '(,5)', '[-1,)', '(,)', 'empty', '(3,4)'")]
    [TestCase("numrange", "'[3.50,7]', '(,5)', '[-1e-7,)', '[NaN,NaN]', '(-Infinity,Infinity)'")]
    [TestCase("daterange", "'[0044-03-15 BC,2024-02-29)', '(-infinity,infinity)', '[4714-11-24 BC,5874897-12-31)'")]
    [TestCase("tsrange", "'[0044-03-15 10:00 BC,2024-02-29 23:59:59.999999)', '(-infinity,infinity)'")]
    [TestCase("tstzrange", "'[2024-02-29 10:00+05:30,)', '(,infinity]'")]
    [TestCase("tsmultirange", "'{}', '{[2024-02-29,2024-03-01),[2025-01-01,)}'")]
    public async Task A_range_as_a_string_is_what_the_server_shows_both_ways(string type, string literals)
    {
        await Execute("SET TimeZone = 'UTC'");
        foreach (var literal in literals.Split(", "))
        {
            await using var first = await Row($"SELECT {literal}::{type}, {literal}::{type}::text");
            var text = first.GetString(0);
            Assert.That(text, Is.EqualTo(first.GetString(1)));
            await Mode.Dispose(first);
            await using var second = await Row($"SELECT $1 = {literal}::{type}, $1::text", new PgParameter { Value = text, DataTypeName = type });
            Assert.That((second.GetBoolean(0), second.GetString(1)), Is.EqualTo((true, text)));
        }
    }

    [Test]
    public async Task A_record_is_its_fields_or_a_tuple()
    {
        await using var reader = await Row("SELECT ROW(1, NULL::text, 1.50, ROW(true, DATE '2024-02-29')), ARRAY[ROW(1, 'a'), ROW(2, NULL)]");
        Assert.That(reader.GetValue(0), Is.EqualTo(new object?[] { 1, null, 1.50m, new object[] { true, new DateOnly(2024, 2, 29) } }));
        Assert.That(reader.GetFieldValue<(int, string?, decimal, (bool, DateOnly))>(0), Is.EqualTo((1, (string?)null, 1.50m, (true, new DateOnly(2024, 2, 29)))));
        Assert.That(reader.GetFieldValue<Tuple<long, string?, double, object>>(0).Item3, Is.EqualTo(1.5));
        Assert.That(reader.GetString(0), Is.EqualTo("(1,,1.50,\"(t,2024-02-29)\")"));
        Assert.That(reader.GetFieldValue<object?[][]>(1), Is.EqualTo(new[] { new object?[] { 1, "a" }, [2, null] }));
    }

    private static IEnumerable<(object?, object?, bool, bool, bool)> Bounds<T>(IEnumerable<PgRange<T>> ranges) =>
        ranges.Select(one => ((object?)one.LowerBound, (object?)one.UpperBound, one.LowerBoundInfinite, one.UpperBoundInfinite, one.IsEmpty));

    private static IEnumerable<(object?, object?, bool, bool, bool)> Bounds<T>(IEnumerable<NpgsqlRange<T>> ranges) =>
        ranges.Select(one => ((object?)one.LowerBound, (object?)one.UpperBound, one.LowerBoundInfinite, one.UpperBoundInfinite, one.IsEmpty));

    private async Task<PgDataReader> Row(string sql, params PgParameter[] parameters)
    {
        var reader = await Mode.ExecuteReader(Command(sql, parameters));
        Assert.That(await Mode.Read(reader), Is.True);
        return reader;
    }
}
