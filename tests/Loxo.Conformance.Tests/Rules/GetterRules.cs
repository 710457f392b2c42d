using System.Data;
using System.Data.Common;

namespace Loxo.Conformance.Rules;

/// <summary>What holds for every getter alike.</summary>
[TestFixtureSource(typeof(Drivers), nameof(Drivers.All))]
public sealed class GetterRules(Driver driver, WaitMode mode) : RuleTest(driver, mode)
{
    [TestCaseSource(typeof(Getters), nameof(Getters.Names))]
    [Rule(typeof(IDataReader), nameof(IDataReader.Read))]
    public async Task Before_the_first_row_there_is_no_value(string getter)
    {
        await using var reader = await Read("SELECT 1 AS x");

        Refused<InvalidOperationException>(() => Mode.Get(reader, getter, 0));
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That(reader.GetInt32(0), Is.EqualTo(1));
    }

    [TestCaseSource(typeof(Getters), nameof(Getters.Names))]
    [Rule(typeof(IDataReader), nameof(IDataReader.Read))]
    public async Task After_the_last_row_there_is_no_value(string getter)
    {
        await using var reader = await ReadRow("SELECT 1 AS x");
        Assert.That(await Mode.Read(reader), Is.False);

        Refused<InvalidOperationException>(() => Mode.Get(reader, getter, 0));
        Assert.That(await Mode.Read(reader), Is.False);
    }

    [TestCaseSource(typeof(Getters), nameof(Getters.Names))]
    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetFieldValue))]
    public async Task After_Close_there_is_no_value(string getter)
    {
        var reader = await ReadRow("SELECT 1 AS x");
        await Mode.Close(reader);

        Refused<InvalidOperationException>(() => Mode.Get(reader, getter, 0));
        await AssertUsable();
    }

    [TestCaseSource(typeof(Getters), nameof(Getters.Names))]
    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetFieldValue))]
    public async Task After_the_connection_was_closed_there_is_no_value(string getter)
    {
        var reader = await ReadRow("SELECT 1 AS x");
        await Mode.Close(Connection);

        Refused<InvalidOperationException>(() => Mode.Get(reader, getter, 0));
    }

    [TestCaseSource(typeof(Getters), nameof(Getters.Names))]
    [Rule(typeof(IDataRecord), "item")]
    public async Task A_column_that_does_not_exist_is_out_of_range(string getter)
    {
        await using var reader = await ReadRow("SELECT 1 AS x");

        foreach (var ordinal in new[] { -1, 1, int.MaxValue, int.MinValue })
            Refused<IndexOutOfRangeException>(() => Mode.Get(reader, getter, ordinal));
        Assert.That(reader.GetInt32(0), Is.EqualTo(1));
    }

    [TestCaseSource(typeof(Getters), nameof(Getters.NotForNull))]
    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetInt32))]
    public async Task NULL_has_no_value(string getter)
    {
        if (getter is "GetStream" or "GetTextReader" or "GetBytes" or "GetChars")
            FailWhereStreamsEndTheProcess();
        await using var reader = await ReadRow("SELECT NULL AS x, 5 AS y");

        Refused<InvalidCastException>(() => Mode.Get(reader, getter, 0));
        Assert.That((reader.IsDBNull(0), reader.GetInt32(1)), Is.EqualTo((true, 5)));
    }

    [TestCaseSource(typeof(Getters), nameof(Getters.NotForText))]
    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetInt32))]
    public async Task Text_is_no_value_of_another_type(string getter)
    {
        await using var reader = await ReadRow("SELECT 'no number' AS x, 5 AS y");

        Refused<InvalidCastException>(() => Mode.Get(reader, getter, 0));
        Assert.That((reader.GetString(0), reader.GetInt32(1)), Is.EqualTo(("no number", 5)));
    }

    [TestCaseSource(typeof(Getters), nameof(Getters.NamesOfColumns))]
    [Rule(typeof(DbDataReader), nameof(DbDataReader.GetDataTypeName))]
    public async Task A_column_is_described_as_long_as_its_result_is_open(string getter)
    {
        var reader = await Read("SELECT 1 AS x");
        var describe = Getters.OfColumns[getter];
        var described = describe(reader, 0);
        Assert.That(described, Is.Not.Null);
        foreach (var ordinal in new[] { -1, 1, int.MaxValue })
            Refused<IndexOutOfRangeException>(() => describe(reader, ordinal));
        while (await Mode.Read(reader))
            Assert.That(describe(reader, 0), Is.EqualTo(described));
        Assert.That(describe(reader, 0), Is.EqualTo(described));
        await Mode.Close(reader);
        Refused<InvalidOperationException>(() => describe(reader, 0));
    }

    [TestCaseSource(typeof(Getters), nameof(Getters.NamesOfColumns))]
    [Rule(typeof(IDataRecord), nameof(IDataRecord.FieldCount))]
    public async Task Without_a_result_there_are_no_columns_to_ask_for(string getter)
    {
        await using var reader = await Read("CREATE TEMP TABLE without_result (x int)");

        Assert.That(reader.FieldCount, Is.Zero);
        Refused<InvalidOperationException>(() => Getters.OfColumns[getter](reader, 0));
    }

    [TestCaseSource(typeof(Getters), nameof(Getters.NamesOfColumns))]
    [Rule(typeof(IDataReader), nameof(IDataReader.NextResult))]
    public async Task Behind_the_last_result_there_are_no_columns_to_ask_for(string getter)
    {
        await using var reader = await Read("SELECT 1 AS x");
        Assert.That(await Mode.NextResult(reader), Is.False);

        Assert.That(reader.FieldCount, Is.Zero);
        Refused<InvalidOperationException>(() => Getters.OfColumns[getter](reader, 0));
    }
}
