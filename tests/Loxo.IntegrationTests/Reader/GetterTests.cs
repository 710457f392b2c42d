using System.Numerics;

namespace Loxo.IntegrationTests.Reader;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class GetterTests(WaitMode mode) : DatabaseTest(mode)
{
    private const string OneOfEach = """
        SELECT true, 1::int2, 2::int4, 3::int8, 1.5::float4, 2.5::float8, 3.25::numeric, 'text', 'x', '6f9619ff-8b86-d011-b42d-00c04fc964ff'::uuid,
               '2024-05-06 07:08:09'::timestamp, '2024-05-06 07:08:09Z'::timestamptz, '2024-05-06'::date, '07:08:09'::time, '1 day 02:00'::interval, '\x0102'::bytea
        """;

    private static readonly Guid Uuid = new("6f9619ff-8b86-d011-b42d-00c04fc964ff");

    [Test]
    public async Task Every_typed_getter_reads_its_type() => await OnRow(OneOfEach, reader =>
    {
        Assert.That(reader.GetBoolean(0), Is.True);
        Assert.That(reader.GetInt16(1), Is.EqualTo(1));
        Assert.That(reader.GetInt32(2), Is.EqualTo(2));
        Assert.That(reader.GetInt64(3), Is.EqualTo(3));
        Assert.That(reader.GetFloat(4), Is.EqualTo(1.5f));
        Assert.That(reader.GetDouble(5), Is.EqualTo(2.5));
        Assert.That(reader.GetDecimal(6), Is.EqualTo(3.25m));
        Assert.That(reader.GetString(7), Is.EqualTo("text"));
        Assert.That(reader.GetChar(8), Is.EqualTo('x'));
        Assert.That(reader.GetGuid(9), Is.EqualTo(Uuid));
        Assert.That(reader.GetDateTime(10), Is.EqualTo(new DateTime(2024, 5, 6, 7, 8, 9)));
        Assert.That(reader.GetDateTime(11), Is.EqualTo(new DateTime(2024, 5, 6, 7, 8, 9, DateTimeKind.Utc)).And.Property("Kind").EqualTo(DateTimeKind.Utc));
        Assert.That(reader.GetDateTime(12), Is.EqualTo(new DateTime(2024, 5, 6)));
        Assert.That(reader.GetTimeSpan(13), Is.EqualTo(new TimeSpan(7, 8, 9)));
        Assert.That(reader.GetTimeSpan(14), Is.EqualTo(new TimeSpan(1, 2, 0, 0)));
        Assert.That(reader.GetByte(1), Is.EqualTo(1));
    });

    [Test]
    public async Task GetValue_and_the_indexers_give_the_default_type_and_GetFieldType_tells_it() => await OnRow(OneOfEach, reader =>
    {
        object[] expected =
        [
            true, (short)1, 2, 3L, 1.5f, 2.5, 3.25m, "text", "x", Uuid, new DateTime(2024, 5, 6, 7, 8, 9), new DateTime(2024, 5, 6, 7, 8, 9, DateTimeKind.Utc),
            new DateOnly(2024, 5, 6), new TimeOnly(7, 8, 9), new TimeSpan(1, 2, 0, 0), new byte[] { 1, 2 },
        ];
        for (var i = 0; i < expected.Length; i++)
        {
            Assert.That(reader.GetValue(i), Is.EqualTo(expected[i]));
            Assert.That(reader[i], Is.EqualTo(expected[i]));
            Assert.That(reader.GetFieldValue<object>(i), Is.EqualTo(expected[i]));
            Assert.That(reader.GetFieldType(i), Is.EqualTo(expected[i].GetType()));
        }
    });

    [Test]
    public async Task Columns_are_read_in_any_order_and_more_than_once() => await OnRow("SELECT 1, 'two', 3", reader =>
    {
        Assert.That(reader.GetInt32(2), Is.EqualTo(3));
        Assert.That(reader.GetString(1), Is.EqualTo("two"));
        Assert.That(reader.GetInt32(0), Is.EqualTo(1));
        Assert.That(reader.GetInt64(2), Is.EqualTo(3));
        Assert.That(reader.GetInt32(2), Is.EqualTo(3));
    });

    [Test]
    public async Task Numbers_widen_and_narrow_where_the_value_fits() => await OnRow("SELECT 7::int2, 7::int4, 7::int8, 300::int4, 7::numeric", reader =>
    {
        for (var i = 0; i < 3; i++)
        {
            Assert.That(reader.GetFieldValue<byte>(i), Is.EqualTo(7));
            Assert.That(reader.GetFieldValue<sbyte>(i), Is.EqualTo(7));
            Assert.That(reader.GetInt16(i), Is.EqualTo(7));
            Assert.That(reader.GetInt32(i), Is.EqualTo(7));
            Assert.That(reader.GetInt64(i), Is.EqualTo(7));
            Assert.That(reader.GetDouble(i), Is.EqualTo(7));
            Assert.That(reader.GetDecimal(i), Is.EqualTo(7));
        }
        Assert.That(Assert.Throws<OverflowException>(() => reader.GetByte(3))!.Message, Does.Contain("ordinal 3").And.Contain("300"));
        Assert.That(reader.GetInt32(4), Is.EqualTo(7));
        Assert.That(reader.GetFieldValue<BigInteger>(4), Is.EqualTo(new BigInteger(7)));
    });

    [Test]
    public async Task GetFieldValue_reads_nullables([Values] bool isNull) => await OnRow(
        isNull ? "SELECT NULL::int, NULL::uuid, NULL::timestamptz, NULL::bool" : "SELECT 5, '6f9619ff-8b86-d011-b42d-00c04fc964ff'::uuid, '2024-05-06Z'::timestamptz, true",
        reader =>
        {
            Assert.That(reader.GetFieldValue<int?>(0), Is.EqualTo(isNull ? null : 5));
            Assert.That(reader.GetFieldValue<long?>(0), Is.EqualTo(isNull ? null : 5L));
            Assert.That(reader.GetFieldValue<Guid?>(1), Is.EqualTo(isNull ? null : Uuid));
            Assert.That(reader.GetFieldValue<DateTime?>(2), Is.EqualTo(isNull ? null : new DateTime(2024, 5, 6, 0, 0, 0, DateTimeKind.Utc)));
            Assert.That(reader.GetFieldValue<bool?>(3), Is.EqualTo(isNull ? null : true));
        });

    [Test]
    public async Task GetFieldValue_reads_arrays_and_lists() => await OnRow(
        "SELECT ARRAY[1,2,3], ARRAY['a',NULL,'c'], ARRAY[1,NULL], '{}'::int8[], ARRAY['2024-05-06'::date]", reader =>
    {
        Assert.That(reader.GetFieldValue<int[]>(0), Is.EqualTo(new[] { 1, 2, 3 }));
        Assert.That(reader.GetFieldValue<List<int>>(0), Is.EqualTo(new[] { 1, 2, 3 }));
        Assert.That(reader.GetFieldValue<IList<int>>(0), Is.EqualTo(new[] { 1, 2, 3 }));
        Assert.That(reader.GetFieldValue<int?[]>(0), Is.EqualTo(new int?[] { 1, 2, 3 }));
        Assert.That(reader.GetFieldValue<string?[]>(1), Is.EqualTo(new[] { "a", null, "c" }));
        Assert.That(reader.GetFieldValue<List<string?>>(1), Is.EqualTo(new[] { "a", null, "c" }));
        Assert.That(reader.GetFieldValue<int?[]>(2), Is.EqualTo(new int?[] { 1, null }));
        Assert.That(Assert.Throws<InvalidCastException>(() => reader.GetFieldValue<int[]>(2))!.Message, Does.Contain("ordinal 2").And.Contain("int?[]"));
        Assert.That(reader.GetFieldValue<long[]>(3), Is.Empty);
        Assert.That(reader.GetFieldValue<DateOnly[]>(4), Is.EqualTo(new[] { new DateOnly(2024, 5, 6) }));
        Assert.That(reader.GetValue(0), Is.EqualTo(new[] { 1, 2, 3 }));
    });

    [Test]
    public async Task GetFieldValueAsync_reads_the_same() => await OnRowAsync("SELECT 5, NULL::int, 'x'", async reader =>
    {
        Assert.That(await reader.GetFieldValueAsync<int>(0), Is.EqualTo(5));
        Assert.That(await reader.GetFieldValueAsync<int?>(1), Is.Null);
        Assert.That(await reader.IsDBNullAsync(1), Is.True);
        Assert.That(await reader.IsDBNullAsync(0), Is.False);
        await Catch<InvalidCastException>(() => reader.GetFieldValueAsync<int>(1));
        await Catch<InvalidCastException>(() => reader.GetFieldValueAsync<int>(2));
        await Catch<TaskCanceledException>(() => reader.GetFieldValueAsync<int>(0, new CancellationToken(canceled: true)));
    });

    [Test]
    public async Task NULL_is_DBNull_for_objects_and_an_error_for_values() => await OnRow("SELECT NULL::int AS missing, NULL::text", reader =>
    {
        Assert.That(reader.IsDBNull(0), Is.True);
        Assert.That(reader.GetValue(0), Is.EqualTo(DBNull.Value));
        Assert.That(reader["missing"], Is.EqualTo(DBNull.Value));
        Assert.That(reader.GetFieldValue<object>(0), Is.EqualTo(DBNull.Value));
        foreach (var read in new Action[]
            { () => reader.GetInt32(0), () => reader.GetFieldValue<int>(0), () => reader.GetInt64(0) })
            Assert.That(Assert.Throws<InvalidCastException>(() => read())!.Message, Does.Contain("'missing'").And.Contain("ordinal 0").And.Contain("NULL"));
        Assert.Throws<InvalidCastException>(() => reader.GetString(1));
        Assert.Throws<InvalidCastException>(() => reader.GetFieldValue<string>(1));
        Assert.Throws<InvalidCastException>(() => reader.GetStream(1));
        Assert.Throws<InvalidCastException>(() => reader.GetTextReader(1));
        Assert.Throws<InvalidCastException>(() => reader.GetBytes(1, 0, null, 0, 0));
    });

    [Test]
    public async Task GetBytes_copies_as_many_bytes_of_jsonb_as_it_says_there_are() => await OnRow("""SELECT '{"a": 1}'::jsonb""", reader =>
    {
        var bytes = new byte[reader.GetBytes(0, 0, null, 0, 0)];
        Assert.That(reader.GetBytes(0, 0, bytes, 0, bytes.Length), Is.EqualTo(bytes.Length));
        Assert.That(bytes, Is.EqualTo("""{"a": 1}"""u8.ToArray()));
    });

    [Test]
    public async Task A_type_that_a_column_is_not_read_as_is_refused_by_name() => await OnRow("SELECT 'abc' AS name, 5 AS number", reader =>
    {
        Assert.That(Assert.Throws<InvalidCastException>(() => reader.GetInt32(0))!.Message,
            Does.Contain("'name'").And.Contain("ordinal 0").And.Contain("text").And.Contain("int"));
        Assert.That(Assert.Throws<InvalidCastException>(() => reader.GetGuid(1))!.Message, Does.Contain("'number'").And.Contain("integer"));
        Assert.Throws<InvalidCastException>(() => reader.GetString(1));
        Assert.Throws<InvalidCastException>(() => reader.GetFieldValue<Version>(1));
    });

    [Test]
    public async Task A_failed_conversion_leaves_the_row_and_the_rows_after_it_readable()
    {
        await using var command = Command("SELECT i, 1e40::numeric AS large, 'x' || i, NULL::int FROM generate_series(1, 3) i");
        var reader = await Mode.ExecuteReader(command);
        for (var i = 1; i <= 3; i++)
        {
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That(Assert.Throws<OverflowException>(() => reader.GetDecimal(1))!.Message, Does.Contain("'large'").And.Contain("ordinal 1"));
            Assert.Throws<OverflowException>(() => reader.GetValue(1));
            Assert.Throws<OverflowException>(() => reader.GetValues(new object[4]));
            Assert.Throws<InvalidCastException>(() => reader.GetInt32(3));
            Assert.That(reader.GetString(2), Is.EqualTo("x" + i));
            Assert.That(reader.GetInt32(0), Is.EqualTo(i));
            Assert.That(reader.GetFieldValue<BigInteger>(1), Is.EqualTo(BigInteger.Pow(10, 40)));
        }
        Assert.That(await Mode.Read(reader), Is.False);
        await Mode.Close(reader);
        await AssertUsable();
    }

    [Test]
    public async Task GetValues_fills_as_many_as_there_is_room_for() => await OnRow("SELECT 1, NULL::int, 'c'", reader =>
    {
        var all = new object[5];
        var two = new object[2];

        Assert.That(reader.GetValues(all), Is.EqualTo(3));
        Assert.That(all, Is.EqualTo(new object?[] { 1, DBNull.Value, "c", null, null }));
        Assert.That(reader.GetValues(two), Is.EqualTo(2));
        Assert.That(two, Is.EqualTo(new object[] { 1, DBNull.Value }));
        Assert.Throws<ArgumentNullException>(() => reader.GetValues(null!));
    });

    private async Task OnRow(string sql, Action<PgDataReader> test) => await OnRowAsync(sql, reader =>
    {
        test(reader);
        return Task.CompletedTask;
    });

    private async Task OnRowAsync(string sql, Func<PgDataReader, Task> test)
    {
        await using var command = Command(sql);
        foreach (var prepared in new[] { false, true })
        {
            if (prepared)
                await Mode.Prepare(command);
            var reader = await Mode.ExecuteReader(command);
            Assert.That(await Mode.Read(reader), Is.True);
            await test(reader);
            await Mode.Close(reader);
        }
        await AssertUsable();
    }
}
