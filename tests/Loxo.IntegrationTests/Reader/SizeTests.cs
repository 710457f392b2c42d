using System.Globalization;

namespace Loxo.IntegrationTests.Reader;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class SizeTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task The_most_columns_that_a_result_can_have_are_read([Values(1600, 1664)] int count)
    {
        var sql = "SELECT " + string.Join(", ", Enumerable.Range(0, count).Select(i => i.ToString(CultureInfo.InvariantCulture) + " AS c" + i));
        await using var command = Command(sql + "; SELECT 1");
        var reader = await Mode.ExecuteReader(command);

        Assert.That(reader.FieldCount, Is.EqualTo(count));
        Assert.That(await Mode.Read(reader), Is.True);
        for (var i = count - 1; i >= 0; i--)
            Assert.That(reader.GetInt32(i), Is.EqualTo(i));
        Assert.That(reader.GetOrdinal("c1599"), Is.EqualTo(1599));
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(reader.FieldCount, Is.EqualTo(1));
        await Mode.Close(reader);
    }

    [Test]
    public async Task A_hundred_thousand_rows_are_read_right()
    {
        await using var command = Command("SELECT i, i * 2.5::float8, 'name ' || i, i % 2 = 0, NULLIF(i % 3, 0) FROM generate_series(1, 100000) i");
        var reader = await Mode.ExecuteReader(command);
        var i = 0;
        while (await Mode.Read(reader))
        {
            i++;
            if (reader.GetInt32(0) != i || reader.GetDouble(1) != i * 2.5 || reader.GetString(2) != "name " + i || reader.GetBoolean(3) != (i % 2 == 0)
                || reader.GetFieldValue<int?>(4) != (i % 3 == 0 ? null : i % 3))
                Assert.Fail($"Row {i} is wrong.");
        }
        await Mode.Close(reader);

        Assert.That(i, Is.EqualTo(100_000));
    }

    [Test]
    public async Task Wide_rows_are_read_right()
    {
        var columns = string.Join(", ", Enumerable.Range(0, 500).Select(i => $"repeat(chr(97 + {i} % 26), {i})"));
        await using var command = Command($"SELECT {columns} FROM generate_series(1, 20)");
        var reader = await Mode.ExecuteReader(command);
        var rows = 0;
        while (await Mode.Read(reader))
        {
            rows++;
            for (var i = 0; i < 500; i += 7)
                Assert.That(reader.GetString(i), Is.EqualTo(new string((char)('a' + i % 26), i)));
        }
        await Mode.Close(reader);

        Assert.That(rows, Is.EqualTo(20));
    }

    [Test]
    public async Task A_text_of_a_million_characters_is_run()
    {
        var literal = new string('x', 1_000_000);

        Assert.That(await Scalar<string>($"SELECT '{literal}'"), Is.EqualTo(literal));
    }
}
