using System.Data;
using System.Data.Common;

namespace Loxo.Conformance.Rules;

[TestFixtureSource(typeof(Drivers), nameof(Drivers.All))]
public sealed class ReaderRules(Driver driver, WaitMode mode) : RuleTest(driver, mode)
{
    private const string ThreeRows = "SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 3";

    [Rule(typeof(DbDataReader), nameof(DbDataReader.Read))]
    public async Task Rows_are_read_one_after_the_other()
    {
        await using var reader = await Read(ThreeRows);
        var values = new List<int>();
        while (await Mode.Read(reader))
            values.Add(reader.GetInt32(0));

        Assert.That(values, Is.EqualTo(new[] { 1, 2, 3 }));
        Assert.That(await Mode.Read(reader), Is.False);
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.HasRows))]
    public async Task HasRows_tells_of_the_result_and_not_of_the_position()
    {
        await using (var reader = await Read(ThreeRows))
        {
            do
                Assert.That(reader.HasRows, Is.True);
            while (await Mode.Read(reader));
        }
        await using (var reader = await Read("SELECT 1 AS x WHERE 1 = 0; SELECT 2 AS x"))
        {
            Assert.That(reader.HasRows, Is.False);
            Assert.That(await Mode.NextResult(reader), Is.True);
            Assert.That(reader.HasRows, Is.True);
        }
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.FieldCount))]
    public async Task Columns_are_counted()
    {
        await using var reader = await Read("SELECT 1, 2, 3; SELECT 4");
        Assert.That((reader.FieldCount, reader.VisibleFieldCount, reader.Depth), Is.EqualTo((3, 3, 0)));
        await Mode.NextResult(reader);
        Assert.That((reader.FieldCount, reader.VisibleFieldCount), Is.EqualTo((1, 1)));
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.RecordsAffected))]
    public async Task Changed_rows_are_counted_and_read_ones_are_not()
    {
        await Execute("CREATE TEMP TABLE affected (x int)");
        var select = await Read("SELECT 1");
        await Mode.Close(select);
        var insert = await Read("INSERT INTO affected VALUES (1), (2)");
        await Mode.Close(insert);
        var several = await Read("INSERT INTO affected VALUES (3); UPDATE affected SET x = 0; SELECT 1");
        await Mode.Close(several);
        var none = await Read("DELETE FROM affected WHERE x = 9");
        await Mode.Close(none);

        Assert.That((select.RecordsAffected, insert.RecordsAffected, several.RecordsAffected, none.RecordsAffected), Is.EqualTo((-1, 2, 4, 0)));
    }

    [Rule(typeof(IDataReader), nameof(IDataReader.IsClosed))]
    public async Task Of_a_closed_reader_only_IsClosed_and_RecordsAffected_can_be_asked()
    {
        var reader = await Read(ThreeRows);
        Assert.That(reader.IsClosed, Is.False);
        await Mode.Close(reader);

        Assert.That((reader.IsClosed, reader.RecordsAffected), Is.EqualTo((true, -1)));
        Refused<InvalidOperationException>(() => _ = reader.FieldCount);
        Refused<InvalidOperationException>(() => _ = reader.HasRows);
        Refused<InvalidOperationException>(() => reader.GetOrdinal("x"));
        Refused<InvalidOperationException>(() => reader.GetValues(new object[1]));
        Refused<InvalidOperationException>(() => _ = reader["x"]);
        Refused<InvalidOperationException>(() => Mode.Read(reader));
        Refused<InvalidOperationException>(() => Mode.NextResult(reader));
    }

    [Rule(typeof(IDataReader), nameof(IDataReader.Depth))]
    public async Task The_depth_of_a_closed_reader_is_refused()
    {
        var reader = await Read(ThreeRows);
        await Mode.Close(reader);

        Refused<InvalidOperationException>(() => _ = reader.Depth);
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.Close))]
    public async Task Closing_twice_does_nothing()
    {
        var reader = await Read(ThreeRows);
        await Mode.Close(reader);
        await Mode.Close(reader);
        await Mode.Dispose(reader);
        await Mode.Dispose(reader);
        await AssertUsable();
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.Close))]
    public async Task An_old_reader_does_not_close_a_later_one()
    {
        var old = await Read(ThreeRows);
        await Mode.Close(old);
        await using var reader = await ReadRow(ThreeRows);
        await Mode.Close(old);
        await Mode.Dispose(old);

        Assert.That((reader.GetInt32(0), reader.IsClosed), Is.EqualTo((1, false)));
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.NextResult))]
    public async Task Results_are_read_one_after_the_other()
    {
        await using var reader = await Read(ThreeRows + "; SELECT 'a' AS text; SELECT 5 AS y, 6 AS z WHERE 1 = 0");
        var seen = new List<string>();
        do
        {
            var rows = 0;
            while (await Mode.Read(reader))
                rows++;
            seen.Add($"{reader.GetName(0)} {rows}");
        }
        while (await Mode.NextResult(reader));

        Assert.That(seen, Is.EqualTo(new[] { "x 3", "text 1", "y 0" }));
        Assert.That(await Mode.NextResult(reader), Is.False);
        Assert.That(await Mode.Read(reader), Is.False);
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.NextResult))]
    public async Task Rows_may_be_left_unread()
    {
        await using var reader = await ReadRow(ThreeRows + "; SELECT 7 AS y");
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(7));
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.NextResult))]
    public async Task Statements_without_a_result_are_passed_over()
    {
        await using var reader = await Read("CREATE TEMP TABLE passed (x int); SELECT 1 AS a; INSERT INTO passed VALUES (1); SELECT 2 AS b");
        Assert.That(reader.GetName(0), Is.EqualTo("a"));
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(reader.GetName(0), Is.EqualTo("b"));
        Assert.That(await Mode.NextResult(reader), Is.False);
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.NextResultAsync))]
    public async Task An_error_of_a_later_statement_is_not_lost()
    {
        var reader = await ReadRow("SELECT 1 AS x; SELECT abs(-9223372036854775807 - 1) AS y");

        Refused<DbException>(async () =>
        {
            while (await Mode.NextResult(reader))
                await Mode.Read(reader);
        });
        await Mode.Dispose(reader);
        await AssertUsable();
    }

    [Rule(typeof(IDataRecord), nameof(IDataRecord.GetOrdinal))]
    public async Task A_column_is_found_by_its_exact_name_first()
    {
        await using var reader = await Read("SELECT 1 AS \"Name\", 2 AS \"name\", 3 AS \"Other\", 4 AS \"Other\"");

        Assert.That((reader.GetOrdinal("Name"), reader.GetOrdinal("name"), reader.GetOrdinal("NAME")), Is.EqualTo((0, 1, 0)));
        Assert.That((reader.GetOrdinal("other"), reader.GetOrdinal("Other")), Is.EqualTo((2, 2)));
    }

    [TestCase("no such column")]
    [TestCase("")]
    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetOrdinal))]
    public async Task A_name_that_does_not_exist_is_out_of_range(string name)
    {
        await using var reader = await ReadRow("SELECT 1 AS x");

        Refused<IndexOutOfRangeException>(() => reader.GetOrdinal(name));
        Refused<IndexOutOfRangeException>(() => _ = reader[name]);
        Assert.That(Convert.ToInt32(reader["x"]), Is.EqualTo(1));
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetValues))]
    public async Task GetValues_fills_what_there_is_room_for()
    {
        await using var reader = await ReadRow("SELECT 1 AS a, 'b' AS b, NULL AS c");
        var (few, many) = (new object[2], new object?[5]);

        Assert.That((reader.GetValues(few), reader.GetValues(many!), reader.GetValues([])), Is.EqualTo((2, 3, 0)));
        Assert.That((Convert.ToInt32(few[0]), few[1]), Is.EqualTo((1, (object)"b")));
        Assert.That((many[2], many[3]), Is.EqualTo(((object)DBNull.Value, default(object))));
        Refused<ArgumentNullException>(() => reader.GetValues(null!));
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetValues))]
    public async Task GetValues_needs_a_row()
    {
        await using var reader = await Read("SELECT 1 AS a");

        Refused<InvalidOperationException>(() => reader.GetValues(new object[1]));
        Refused<InvalidOperationException>(() => reader.GetProviderSpecificValues(new object[1]));
        await Mode.Read(reader);
        Assert.That(reader.GetProviderSpecificValues(new object[1]), Is.EqualTo(1));
    }

    [Rule(typeof(IDataRecord), nameof(IDataRecord.GetBytes))]
    public async Task Bytes_are_copied_in_pieces()
    {
        await using var command = Command("SELECT @p AS x", ("p", new byte[] { 1, 2, 3, 4, 5 }));
        await using var reader = await Read(command);
        await Mode.Read(reader);
        var buffer = new byte[6];

        Assert.That(reader.GetBytes(0, 0, null, 0, 0), Is.EqualTo(5));
        Assert.That(reader.GetBytes(0, 1, buffer, 2, 3), Is.EqualTo(3));
        Assert.That(buffer, Is.EqualTo(new byte[] { 0, 0, 2, 3, 4, 0 }));
        Assert.That(reader.GetBytes(0, 4, buffer, 0, 6), Is.EqualTo(1));
        Assert.That(reader.GetBytes(0, 5, buffer, 0, 6), Is.Zero);
        Assert.That(reader.GetBytes(0, 99, buffer, 0, 6), Is.Zero);
        Refused<ArgumentException>(() => reader.GetBytes(0, 0, buffer, 5, 2));
        Refused<ArgumentException>(() => reader.GetBytes(0, 0, buffer, 0, -1));
        Refused<ArgumentException>(() => reader.GetBytes(0, 0, buffer, -1, 1));
        Refused<ArgumentException>(() => reader.GetBytes(0, -1, buffer, 0, 1));
        Assert.That(reader.GetFieldValue<byte[]>(0), Has.Length.EqualTo(5));
    }

    [Rule(typeof(IDataRecord), nameof(IDataRecord.GetChars))]
    public async Task Characters_are_copied_in_pieces()
    {
        await using var reader = await ReadRow("SELECT 'häßlich' AS x");
        var buffer = new char[5];

        Assert.That(reader.GetChars(0, 0, null, 0, 0), Is.EqualTo(7));
        Assert.That(reader.GetChars(0, 1, buffer, 1, 3), Is.EqualTo(3));
        Assert.That(new string(buffer), Is.EqualTo("\0äßl\0"));
        Assert.That(reader.GetChars(0, 6, buffer, 0, 5), Is.EqualTo(1));
        Assert.That(reader.GetChars(0, 7, buffer, 0, 5), Is.Zero);
        Refused<ArgumentException>(() => reader.GetChars(0, 0, buffer, 4, 2));
        Refused<ArgumentException>(() => reader.GetChars(0, 0, buffer, 0, -1));
        Refused<ArgumentException>(() => reader.GetChars(0, -1, buffer, 0, 1));
        Assert.That(reader.GetString(0), Is.EqualTo("häßlich"));
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetStream))]
    public async Task Bytes_and_text_are_read_as_streams()
    {
        FailWhereStreamsEndTheProcess();
        await using var command = Command("SELECT @p AS x, 'text' AS y", ("p", new byte[] { 1, 2, 3 }));
        await using var reader = await Read(command);
        await Mode.Read(reader);
        using var copy = new MemoryStream();
        await using (var stream = reader.GetStream(0))
            stream.CopyTo(copy);
        using var text = reader.GetTextReader(1);

        Assert.That((copy.ToArray(), text.ReadToEnd()), Is.EqualTo((new byte[] { 1, 2, 3 }, "text")));
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetEnumerator))]
    public async Task A_reader_is_enumerated_as_records()
    {
        await using var reader = await Read(ThreeRows);
        var values = new List<int>();
        foreach (IDataRecord record in reader)
            values.Add(Convert.ToInt32(record.GetValue(0)));

        Assert.That(values, Is.EqualTo(new[] { 1, 2, 3 }));
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetFieldType))]
    public async Task The_type_of_a_column_is_that_of_its_values()
    {
        await using var reader = await ReadRow("SELECT 1 AS a, 'b' AS b, 2.5 AS c");
        for (var i = 0; i < reader.FieldCount; i++)
        {
            Assert.That(reader.GetFieldType(i), Is.EqualTo(reader.GetValue(i).GetType()));
            Assert.That(reader.GetProviderSpecificFieldType(i), Is.EqualTo(reader.GetProviderSpecificValue(i).GetType()));
            Assert.That(reader.GetDataTypeName(i), Is.Not.Empty);
        }
    }

    [Rule(typeof(DbDataReader), nameof(DbDataReader.ReadAsync))]
    public async Task With_a_cancelled_token_no_value_is_read()
    {
        await using var reader = await ReadRow(ThreeRows);
        var cancelled = new CancellationToken(true);

        Cancelled(() => reader.IsDBNullAsync(0, cancelled));
        Cancelled(() => reader.GetFieldValueAsync<int>(0, cancelled));
        Cancelled(() => reader.GetColumnSchemaAsync(cancelled));
        Cancelled(() => reader.ReadAsync(cancelled));
        Cancelled(() => reader.NextResultAsync(cancelled));
    }
}
