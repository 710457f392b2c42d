using System.Data;

namespace Loxo.IntegrationTests.Parameters;

/// <summary>As many parameters as the protocol counts: 65,535.</summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public class ManyParametersTests(WaitMode mode) : DatabaseTest(mode)
{
    private const int Most = ushort.MaxValue;

    [Test]
    public async Task All_named_parameters_arrive([Values] bool isPrepared)
    {
        await using var command = new PgCommand(Text(Most), Connection);
        AddAll(command.Parameters, Most);
        if (isPrepared)
            await Mode.Prepare(command);

        Assert.That(await Mode.ExecuteScalar(command), Is.EqualTo(Enumerable.Range(0, Most).ToArray()));
        command.Parameters["p65000"].Value = -1;
        Assert.That(((int[])(await Mode.ExecuteScalar(command))!)[65000], Is.EqualTo(-1));
    }

    [Test]
    public async Task All_named_parameters_of_each_command_of_a_batch_arrive()
    {
        await using var batch = new PgBatch(Connection);
        foreach (var count in new[] { Most, 1, Most })
        {
            var command = new PgBatchCommand(Text(count));
            AddAll(command.Parameters, count);
            batch.BatchCommands.Add(command);
        }

        var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
        var lengths = new List<int>();
        do
        {
            while (await Mode.Read(reader))
                lengths.Add(reader.GetFieldValue<int[]>(0).Length);
        }
        while (await Mode.NextResult(reader));
        await Mode.Close(reader);

        Assert.That(lengths, Is.EqualTo(new[] { Most, 1, Most }));
    }

    [Test]
    public async Task Some_of_many_names_may_have_no_parameter()
    {
        await using var command = new PgCommand("SELECT tags <@p7, " + string.Join(',', Enumerable.Range(100, 1000).Select(i => $"@p{i}"))
            + " FROM (VALUES ('{1}'::int[], '{1,2}'::int[])) v(tags, p7)", Connection);
        AddAll(command.Parameters, Most);
        command.Parameters.RemoveAt("p7");

        var reader = await Mode.ExecuteReader(command);
        Assert.That(await Mode.Read(reader), Is.True);
        Assert.That((reader.GetBoolean(0), reader.GetInt32(1), reader.GetInt32(1000)), Is.EqualTo((true, 100, 1099)));
        await Mode.Close(reader);
    }

    [Test]
    public async Task Output_parameters_beyond_the_columns_stay_as_they_were()
    {
        await using var command = new PgCommand("SELECT " + string.Join(',', Enumerable.Range(0, 1600).Select(i => $"{i} AS p{i}")), Connection);
        for (var i = 0; i < 5000; i++)
            command.Parameters.Add(new PgParameter($"P{4999 - i}", PgDbType.Integer) { Direction = ParameterDirection.Output });

        await Mode.ExecuteNonQuery(command);

        Assert.That(command.Parameters["p1599"].Value, Is.EqualTo(1599));
        Assert.That(command.Parameters["p0"].Value, Is.EqualTo(0));
        Assert.That(command.Parameters["p1600"].Value, Is.Null);
    }

    [Test]
    public async Task Many_streams_that_do_not_know_their_length_arrive_in_order()
    {
        const int Count = 3000;
        await using var command = new PgCommand($"SELECT ARRAY[{string.Join(',', Enumerable.Range(1, Count).Select(i => $"${i}"))}]", Connection);
        for (var i = 0; i < Count; i++)
            command.Parameters.Add(new PgParameter { Value = new PatternStream(i % 7, canSeek: i % 2 == 0, Mode) });

        var arrived = (byte[][])(await Mode.ExecuteScalar(command))!;

        Assert.That(arrived.Select(bytes => bytes.Length), Is.EqualTo(Enumerable.Range(0, Count).Select(i => i % 7)));
    }

    private static string Text(int count) => $"SELECT ARRAY[{string.Join(',', Enumerable.Range(0, count).Select(i => $"@p{i}"))}]";

    private static void AddAll(PgParameterCollection parameters, int count)
    {
        for (var i = 0; i < count; i++)
            parameters.AddWithValue($"p{i}", i);
    }
}
