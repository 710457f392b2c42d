namespace Loxo.IntegrationTests.Execution;

[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class TextResultTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task Of_both_ways_to_ask_for_text_the_last_one_set_counts()
    {
        await using var command = Command("SELECT 1");
        command.AllResultTypesAreUnknown = true;
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("1"));

        command.UnknownResultTypeList = [false];
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
        Assert.That(await Mode.ExecuteScalar(command.Clone()), Is.EqualTo(1));

        command.AllResultTypesAreUnknown = true;
        Assert.That(await Mode.ExecuteScalar(command.Clone()), Is.EqualTo("1"));
        Assert.That(command.UnknownResultTypeList, Is.Null);
    }

    [Test]
    public async Task AllResultTypesAreUnknown_reads_every_value_as_the_servers_text([Values] bool prepared)
    {
        await using var command = Command("SELECT 1, true, 1.50, '2020-02-03'::date, ARRAY[1, 2], NULL::int; SELECT 2");
        command.AllResultTypesAreUnknown = true;
        if (prepared)
            await Mode.Prepare(command);
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);

        Assert.That(Enumerable.Range(0, 6).Select(reader.GetValue), Is.EqualTo(new object[] { "1", "t", "1.50", "2020-02-03", "{1,2}", DBNull.Value }));
        Assert.That(reader.GetFieldType(0), Is.EqualTo(typeof(string)));
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetValue(0), Is.EqualTo("2"));
        await Mode.Close(reader);
    }

    [Test]
    public async Task AllResultTypesAreUnknown_ends_when_it_is_taken_back()
    {
        await using var command = Command("SELECT 1");
        command.AllResultTypesAreUnknown = true;
        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo("1"));

        command.AllResultTypesAreUnknown = false;

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(1));
    }

    [Test]
    public async Task UnknownResultTypeList_asks_for_text_by_column_of_the_first_result([Values] bool prepared)
    {
        await using var command = Command("SELECT 1, 2, 3; SELECT 4, 5, 6");
        command.UnknownResultTypeList = [false, true, false];
        if (prepared)
            await Mode.Prepare(command);
        var reader = await Mode.ExecuteReader(command);

        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(Enumerable.Range(0, 3).Select(reader.GetValue), Is.EqualTo(new object[] { 1, "2", 3 }));
        Assert.That(await Mode.NextResult(reader), Is.True);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(Enumerable.Range(0, 3).Select(reader.GetValue), Is.EqualTo(new object[] { 4, 5, 6 }));
        await Mode.Close(reader);
    }

    [Test]
    public async Task A_value_asked_for_as_text_can_still_be_read_as_what_it_is()
    {
        await using var command = Command("SELECT 42, '6f9619ff-8b86-d011-b42d-00c04fc964ff'::uuid, '2020-02-03 04:05:06'::timestamp");
        command.AllResultTypesAreUnknown = true;
        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);

        Assert.That(reader.GetInt32(0), Is.EqualTo(42));
        Assert.That(reader.GetGuid(1), Is.EqualTo(new Guid("6f9619ff-8b86-d011-b42d-00c04fc964ff")));
        Assert.That(reader.GetDateTime(2), Is.EqualTo(new DateTime(2020, 2, 3, 4, 5, 6)));
        await Mode.Close(reader);
    }
}
