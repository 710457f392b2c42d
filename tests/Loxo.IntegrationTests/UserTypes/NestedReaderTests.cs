using System.Data;
using System.Data.Common;

namespace Loxo.IntegrationTests.UserTypes;

/// <summary>Values that have fields, read by a reader of their own.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class NestedReaderTests(WaitMode mode) : UserTypeTest(mode)
{
    private const string Sample = "ROW('Main St', 5, ROW(1.5, NULL)::place)::address";

    [SetUp]
    public async Task CreateTypes() => await ElseWhere("""
        CREATE TYPE place AS (lat double precision, long double precision);
        CREATE TYPE address AS (street varchar(20), "House_Number" integer, location place);
        CREATE DOMAIN near AS place CHECK ((value).lat < 90);
        CREATE DOMAIN nears AS near[];
        CREATE DOMAIN doc AS jsonb;
        CREATE TYPE mood AS ENUM ('sad', 'happy')
        """);

    [Test]
    public async Task A_record_is_one_row_whose_fields_are_numbered()
    {
        for (var run = 1; run <= 3; run++)
        {
            await using var reader = await OnRow("SELECT 'before', ROW(1, 'x'::text, NULL::int, 'happy'::mood, 2.5), 'after'");
            await using var nested = reader.GetData(1);
            Assert.That((nested.Depth, nested.HasRows, nested.RecordsAffected, nested.FieldCount, nested.IsClosed), Is.EqualTo((1, true, -1, 5, false)));
            Assert.That(Enumerable.Range(0, 5).Select(nested.GetName), Is.EqualTo(new[] { "f1", "f2", "f3", "f4", "f5" }));
            Assert.That(Enumerable.Range(0, 5).Select(nested.GetFieldType), Is.EqualTo(new[] { typeof(int), typeof(string), typeof(int), typeof(string), typeof(decimal) }));
            Assert.That(nested.GetDataTypeName(3), Is.EqualTo(Schema + ".mood"));

            Assert.That(await Mode.Read(nested), Is.True);

            Assert.That(Values(nested), Is.EqualTo(new object?[] { 1, "x", null, "happy", 2.5m }));
            Assert.That((nested.IsDBNull(1), nested.IsDBNull(2), nested.GetFieldValue<int?>(2), nested.GetFieldValue<long>(0)), Is.EqualTo((false, true, (int?)null, 1L)));
            Assert.That(nested.GetFieldValue<object>(2), Is.EqualTo(DBNull.Value));
            Assert.That(await Mode.Read(nested), Is.False);
            Assert.That(await Mode.NextResult(nested), Is.False);
            Assert.That((reader.GetString(0), reader.GetString(2)), Is.EqualTo(("before", "after")));
        }
    }

    [Test]
    public async Task A_composite_has_names_and_nests()
    {
        for (var run = 1; run <= 3; run++)
        {
            await using var reader = await OnRow($"SELECT 1, {Sample}");
            var nested = reader.GetData(1);
            Assert.That((nested.GetName(0), nested.GetOrdinal("House_Number"), nested.GetOrdinal("HOUSE_number")), Is.EqualTo(("street", 1, 1)));
            Assert.That((nested.GetDataTypeName(0), nested.GetDataTypeName(2)), Is.EqualTo(("character varying(20)", Schema + ".place")));
            Assert.That(await Mode.Read(nested), Is.True);
            Assert.That((nested["street"], nested[1]), Is.EqualTo(((object)"Main St", (object)5)));
            Assert.That(nested.GetValue(2), Is.EqualTo(new object?[] { 1.5, null }));

            var place = nested.GetData(2);

            Assert.That((place.Depth, place.FieldCount, place.GetName(1)), Is.EqualTo((2, 2, "long")));
            Assert.That(await Mode.Read(place), Is.True);
            Assert.That(await Mode.Read(nested), Is.False);
            Assert.That((place.GetDouble(0), place.IsDBNull(1)), Is.EqualTo((1.5, true)), "whatever the reader around it does");
        }
    }

    [Test]
    public async Task Elements_are_rows_however_deep_they_lie()
    {
        await using var reader = await OnRow($"SELECT ROW(1, ARRAY[ROW('a'::text, ARRAY[{Sample}, NULL]), ROW('b'::text, ARRAY[]::address[])])");
        var outer = reader.GetData(0);
        Assert.That(await Mode.Read(outer), Is.True);
        var middle = outer.GetData(1);
        Assert.That(await Mode.Read(middle), Is.True);
        Assert.That(middle.GetString(0), Is.EqualTo("a"));
        var addresses = middle.GetData(1);
        Assert.That(addresses.Depth, Is.EqualTo(3));
        Assert.That(await All(addresses), Is.EqualTo(new object?[][] { ["Main St", 5, new object?[] { 1.5, null }], [null, null, null] }));
        Assert.That(await Mode.Read(middle), Is.True);
        addresses = middle.GetData(1);
        Assert.That((middle.GetString(0), addresses.HasRows, addresses.FieldCount), Is.EqualTo(("b", false, 3)));
        Assert.That(await Mode.Read(addresses), Is.False);
        Assert.That(await Mode.Read(middle), Is.False);
    }

    [Test]
    public async Task An_element_that_is_NULL_is_a_row_of_NULLs_as_of_unnest()
    {
        const string Places = "ARRAY[ROW(1, 2), NULL, ROW(NULL, NULL)]::place[]";
        var unnested = await Rows($"SELECT * FROM unnest({Places})");
        await using var reader = await OnRow("SELECT " + Places);
        Assert.That(await All(reader.GetData(0)), Is.EqualTo(unnested));
    }

    [Test]
    public async Task Records_in_an_array_can_have_other_fields_each()
    {
        await using var reader = await OnRow("SELECT ARRAY[NULL, ROW(1), ROW('a'::text, 2), ROW()]");
        var nested = reader.GetData(0);
        Assert.That((nested.FieldCount, nested.GetFieldType(0)), Is.EqualTo((1, typeof(int))));
        Assert.That(await All(nested), Is.EqualTo(new object?[][] { [null], [1], ["a", 2], [] }));
    }

    [Test]
    public async Task Every_type_of_a_field_has_its_getter()
    {
        await using var reader = await OnRow("""
            SELECT ROW(true, 1::int2, 2::int4, 3::int8, 4.5::float4, 5.5::float8, 6.5::numeric, 'c'::text, '01020304-0506-0708-090a-0b0c0d0e0f10'::uuid,
                '2020-01-02 03:04:05'::timestamp, '01:02:03'::time, '\x010203'::bytea, '{"a": 1}'::jsonb, '{"a": 1}'::doc, 'äbc'::text)
            """);
        var nested = reader.GetData(0);
        Assert.That(await Mode.Read(nested), Is.True);
        Assert.That((nested.GetBoolean(0), nested.GetByte(1), nested.GetInt16(1), nested.GetInt32(2), nested.GetInt64(3)), Is.EqualTo((true, (byte)1, (short)1, 2, 3L)));
        Assert.That((nested.GetFloat(4), nested.GetDouble(5), nested.GetDecimal(6), nested.GetChar(7)), Is.EqualTo((4.5f, 5.5, 6.5m, 'c')));
        Assert.That((nested.GetGuid(8), nested.GetDateTime(9), nested.GetTimeSpan(10)),
            Is.EqualTo((new Guid("01020304-0506-0708-090a-0b0c0d0e0f10"), new DateTime(2020, 1, 2, 3, 4, 5), new TimeSpan(1, 2, 3))));
        var bytes = new byte[2];
        Assert.That((nested.GetBytes(11, 0, null, 0, 0), nested.GetBytes(11, 1, bytes, 0, 2), bytes[0], bytes[1]), Is.EqualTo((3L, 2L, (byte)2, (byte)3)));
        Assert.That((nested.GetBytes(11, 9, bytes, 0, 2), nested.GetBytes(12, 0, bytes, 0, 1), nested.GetBytes(13, 0, bytes, 1, 1)), Is.EqualTo((0L, 1L, 1L)));
        Assert.That(bytes, Is.EqualTo("{{"u8.ToArray()));
        var chars = new char[2];
        Assert.That((nested.GetChars(14, 0, null, 0, 0), nested.GetChars(14, 0, chars, 0, 2), new string(chars)), Is.EqualTo((3L, 2L, "äb")));
        Assert.That((nested.GetChars(14, 2, chars, 1, 1), new string(chars)), Is.EqualTo((1L, "äc")));
        Assert.That((nested.GetChars(7, 0, chars, 0, 2), chars[0]), Is.EqualTo((1L, 'c')));
        using var stream = nested.GetFieldValue<Stream>(11);
        using var text = nested.GetFieldValue<TextReader>(14);
        Assert.That((stream.Length, await text.ReadToEndAsync()), Is.EqualTo((3L, "äbc")));
        Assert.That(await nested.GetFieldValueAsync<int>(2), Is.EqualTo(2));
    }

    [Test]
    public async Task Domains_and_row_types_of_tables_are_composites()
    {
        await ElseWhere("CREATE TABLE person (id int, gone int, name text, home nears); ALTER TABLE person DROP COLUMN gone; INSERT INTO person VALUES (1, 'Ann', ARRAY[ROW(1, 2)::near])");
        await using var reader = await OnRow("SELECT person, ROW(3, 4)::near, person.home FROM person");
        var person = reader.GetData(0);
        Assert.That(await Mode.Read(person), Is.True);
        Assert.That((person.GetInt32(0), person.GetString(1), person.GetName(2)), Is.EqualTo((1, "Ann", "home")));
        Assert.That(await All(person.GetData(2)), Is.EqualTo(new object?[][] { [1.0, 2.0] }));
        Assert.That(await All(reader.GetData(1)), Is.EqualTo(new object?[][] { [3.0, 4.0] }));
        Assert.That(await All(reader.GetData(2)), Is.EqualTo(new object?[][] { [1.0, 2.0] }));
    }

    [Test]
    public async Task Programs_that_know_only_ADO_NET_read_it()
    {
        await using DbDataReader reader = await OnRow("SELECT ARRAY[ROW(1, ROW('x'::text)), ROW(2, ROW('y'::text))], ARRAY[ROW(1, 2), NULL]::place[]");
        DbDataReader nested = reader.GetData(0);
        foreach (DbDataRecord record in nested)
            Assert.That(record.FieldCount, Is.EqualTo(2));
        nested = reader.GetData(0);
        Assert.That(await Mode.Read(nested), Is.True);
        Assert.That(((IDataRecord)nested).GetData(1), Is.TypeOf<PgNestedDataReader>().And.Property("Depth").EqualTo(2));
        using var table = new DataTable();
        table.Load(reader.GetData(1));
        Assert.That((table.Rows.Count, table.Columns[1].ColumnName, table.Rows[0]["lat"], table.Rows[1].IsNull(0)), Is.EqualTo((2, "long", (object)1.0, true)));
    }

    [Test]
    public async Task A_nested_reader_ends_with_the_row()
    {
        await using var command = Command("SELECT ROW(i, ROW(i)) FROM generate_series(1, 3) i; SELECT 1");
        var reader = await Mode.ExecuteReader(command);
        var kept = new List<PgNestedDataReader>();
        while (await Mode.Read(reader))
        {
            foreach (var old in kept)
                AssertEnded(old);
            kept.Add(reader.GetData(0));
            Assert.That(await Mode.Read(kept[^1]), Is.True);
            kept.Add(kept[^1].GetData(1));
            Assert.That(await Mode.Read(kept[^1]), Is.True);
            Assert.That(kept[^1].GetInt32(0), Is.EqualTo(kept.Count / 2));
        }
        kept.ForEach(AssertEnded);
        await Mode.NextResult(reader);
        await Mode.Read(reader);
        kept.ForEach(AssertEnded);
        await Mode.Close(reader);
        kept.ForEach(AssertEnded);

        await using var next = await OnRow("SELECT ROW(4, ROW(5))");
        kept.ForEach(AssertEnded);
    }

    [Test]
    public async Task A_nested_reader_is_closed_alone()
    {
        await using var reader = await OnRow("SELECT ROW(1, ROW(2))");
        var nested = reader.GetData(0);
        await Mode.Read(nested);
        var inner = nested.GetData(1);
        await Mode.Close(nested);

        Assert.That(nested.IsClosed, Is.True);
        Assert.That(() => nested.GetInt32(0), Throws.InvalidOperationException);
        Assert.That(() => nested.FieldCount, Throws.InvalidOperationException);
        Assert.That(await Mode.Read(inner), Is.True);
        Assert.That(inner.GetInt32(0), Is.EqualTo(2));
        Assert.That(reader.GetData(0).HasRows, Is.True);
    }

    [Test]
    public async Task Without_a_row_there_are_no_values()
    {
        await using var reader = await OnRow("SELECT ROW(1)");
        var nested = reader.GetData(0);
        Assert.That(() => nested.GetInt32(0), Throws.InvalidOperationException.With.Message.Contains("call Read first"));
        await Mode.Read(nested);
        Assert.That(() => nested.GetValue(1), Throws.TypeOf<IndexOutOfRangeException>());
        Assert.That(() => nested.GetName(-1), Throws.TypeOf<IndexOutOfRangeException>());
        Assert.That(() => nested.GetOrdinal("x"), Throws.TypeOf<IndexOutOfRangeException>());
        await Mode.NextResult(nested);
        Assert.That(() => nested.GetInt32(0), Throws.InvalidOperationException);
        Assert.That(await Mode.Read(nested), Is.False);
    }

    [Test]
    public async Task Errors_name_the_column_and_the_field()
    {
        await using var reader = await OnRow($"SELECT ARRAY[{Sample}] AS homes, NULL::place AS nowhere, 7 AS seven, ARRAY[[ROW(1)], [ROW(2)]] AS grid");
        var nested = reader.GetData(0);
        await Mode.Read(nested);
        var place = nested.GetData(2);
        await Mode.Read(place);

        Assert.That(() => nested.GetGuid(1), Throws.TypeOf<InvalidCastException>().With.Message.Contains("Column 'homes' (ordinal 0)").And.Message.Contains("Field 'House_Number' (ordinal 1)"));
        Assert.That(() => place.GetDouble(1), Throws.TypeOf<InvalidCastException>().With.Message.Matches(
            @"^Column 'homes' \(ordinal 0\) .* Field 'location' \(ordinal 2\) .* Field 'long' \(ordinal 1\) is NULL, .* Ask IsDBNull first"));
        Assert.That(() => nested.GetData(1), Throws.TypeOf<InvalidCastException>().With.Message.Contains("'House_Number'").And.Message.Contains("GetFieldValue"));
        Assert.That(() => place.GetData(1), Throws.TypeOf<InvalidCastException>().With.Message.Contains("'long'"));
        Assert.That(() => reader.GetData(1), Throws.TypeOf<InvalidCastException>().With.Message.Contains("'nowhere'").And.Message.Contains("NULL"));
        Assert.That(() => reader.GetData(2), Throws.TypeOf<InvalidCastException>().With.Message.EqualTo("Column 'seven' (ordinal 2) of type integer cannot be read: "
            + "A value of PostgreSQL type integer cannot become Loxo.PgNestedDataReader. Records, composites and arrays of them with one dimension have rows and fields; read others with GetValue or GetFieldValue."));
        Assert.That(() => reader.GetData(3), Throws.TypeOf<InvalidCastException>().With.Message.Contains("2 dimensions").And.Message.Contains("unnest"));
        Assert.That(place.GetDouble(0), Is.EqualTo(1.5), "reading goes on");
    }

    [Test]
    public async Task A_value_in_text_format_is_refused()
    {
        await using var command = Command($"SELECT {Sample}");
        command.AllResultTypesAreUnknown = true;
        await using var reader = await Mode.ExecuteReader(command);
        await Mode.Read(reader);

        Assert.That(() => reader.GetData(0), Throws.TypeOf<PgException>().With.Message.Contains("text format").And.Property("Code").EqualTo(PgErrorCode.NotSupported));
        Assert.That(reader.GetString(0), Does.StartWith("(\"Main St\""));
    }

    [Test]
    public async Task A_composite_with_a_field_that_is_text_only_comes_as_text_and_says_so()
    {
        await ElseWhere("CREATE TYPE odd AS (n int, rights aclitem)");
        await using var reader = await OnRow("SELECT ROW(1, (acldefault('r', 10))[1])::odd");

        Assert.That(() => reader.GetData(0), Throws.TypeOf<PgException>().With.Message.Contains("select the fields as columns of their own"));
    }

    [Test]
    public async Task With_SequentialAccess_short_rows_are_read_and_long_ones_refused()
    {
        await ElseWhere("CREATE TYPE noted AS (n int, note text)");
        await using (await OnRow("SELECT ROW(1, '')::noted"))
        {
            // The first row of a type waits for what the catalogue says of it, and is whole.
        }
        await using var command = Command("SELECT ROW(i, repeat('x', i))::noted FROM unnest(ARRAY[10, 1000000]) i");
        await using var reader = await Mode.ExecuteReader(command, CommandBehavior.SequentialAccess);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(await All(reader.GetData(0)), Is.EqualTo(new object?[][] { [10, "xxxxxxxxxx"] }));
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(() => reader.GetData(0), Throws.InvalidOperationException.With.Message.Contains("SequentialAccess"));
    }

    [Test]
    public async Task A_composite_that_somebody_else_has_changed_is_an_error_once_and_then_read()
    {
        await using (var before = await OnRow("SELECT ROW(1, 2)::place"))
            Assert.That(await All(before.GetData(0)), Is.EqualTo(new object?[][] { [1.0, 2.0] }));
        await ElseWhere("ALTER TYPE place ADD ATTRIBUTE height integer");

        await using (var changed = await OnRow("SELECT ROW(1, 2, 3)::place"))
        {
            var nested = changed.GetData(0);
            var error = await Catch<PgException>(() => Mode.Read(nested));
            Assert.That(error.Message, Does.Contain("ordinal 0").And.Contain("other fields"));
        }

        await using var after = await OnRow("SELECT ROW(1, 2, 3)::place");
        Assert.That(await All(after.GetData(0)), Is.EqualTo(new object?[][] { [1.0, 2.0, 3] }));
    }

    private async Task<PgDataReader> OnRow(string sql)
    {
        var command = Command(sql);
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        return reader;
    }

    private async Task<List<object?[]>> All(DbDataReader reader)
    {
        var rows = new List<object?[]>();
        while (await Mode.Read(reader))
            rows.Add(Values(reader));
        return rows;
    }

    private static object?[] Values(DbDataReader reader)
    {
        var values = new object[reader.FieldCount];
        Assert.That(reader.GetValues(values), Is.EqualTo(values.Length));
        return Array.ConvertAll(values, value => value is DBNull ? null : value);
    }

    private static void AssertEnded(PgNestedDataReader reader)
    {
        Assert.That(() => reader.Read(), Throws.InvalidOperationException.With.Message.Contains("has left the row"));
        Assert.That(() => reader.GetInt32(0), Throws.InvalidOperationException);
        Assert.That(() => reader.GetName(0), Throws.InvalidOperationException);
        Assert.That(() => reader.HasRows, Throws.InvalidOperationException);
    }
}
