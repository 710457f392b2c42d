using System.Globalization;

namespace Loxo.IntegrationTests.Batches;

/// <summary>
/// A batch whose commands and parameters change between executions, prepared by the program or by the driver, does each time what an equal batch
/// does that is new and never prepared.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ReusedBatchTests(WaitMode mode) : DatabaseTest(mode)
{
    private const int Batches = 40, Executions = 25;

    private PgConnection _other = null!;

    /// <summary>Who prepares.</summary>
    public enum Preparing
    {
        Program,
        Driver,
        Both,
    }

    // Sessions that no other test has prepared anything in, with a place for few statements, so that they are evicted.
    protected override string ConnectionString =>
        TestServer.Default.ConnectionString + ";Pooling=false;Max Auto Prepare=4;Auto Prepare Min Usages=2;Include Failed Batched Command=true";

    [SetUp]
    public async Task OpenOther()
    {
        _other = new PgConnection(TestServer.Default.ConnectionString + ";Pooling=false;Max Auto Prepare=0;Include Failed Batched Command=true");
        await Mode.Open(_other);
    }

    [TearDown]
    public async Task CloseOther() => await _other.DisposeAsync();

    [Test]
    public async Task A_batch_that_has_changed_does_what_a_new_one_does([Values] Preparing preparing)
    {
        const string table = "CREATE TEMP TABLE item (id int PRIMARY KEY, name text)";
        await OnBoth(table);
        var succeeded = 0;
        for (var seed = 0; seed < Batches; seed++)
        {
            var reused = new ReusedBatch(Connection, seed);
            for (var execution = 0; execution < Executions; execution++)
            {
                if (preparing != Preparing.Driver && execution % 6 == 1)
                    await TryPrepare(reused.Batch);
                var (because, hasUntypedNull) = ($"seed {seed}, execution {execution}: {reused}", preparing != Preparing.Driver && reused.HasUntypedNull);
                await using var fresh = reused.Fresh(_other);

                var expected = await Outcome(fresh);
                var actual = await Outcome(reused.Batch);

                if (hasUntypedNull && actual != expected)
                    await CompareWithNull(actual, expected, because);
                else
                    Assert.That(actual, Is.EqualTo(expected), because);
                succeeded += IsError(expected) ? 0 : 1;
                reused.Change();
            }
            await reused.Batch.DisposeAsync();
            if (preparing == Preparing.Program)
                Connection.UnprepareAll();
        }
        Assert.That(succeeded, Is.GreaterThan(Batches * Executions / 5), "many executions succeed");
        Assert.That(Connection.Session!.Counters.Prepared, Is.GreaterThan(Batches), "statements were prepared");
    }

    // A NULL without a type takes the type that the program has prepared its statement with. So the server may know what it could not tell
    // otherwise, and a column may be of that type. But nothing fails for it.
    private async Task CompareWithNull(string actual, string expected, string because)
    {
        if (!IsError(expected))
            Assert.That(actual.Split('\n'), Has.Length.EqualTo(expected.Split('\n').Length), because);
        Assert.That(IsError(actual) && !IsError(expected), Is.False, because + actual);
        // One may have inserted, and the other not.
        await OnBoth("TRUNCATE item");
    }

    private async Task OnBoth(string sql)
    {
        foreach (var connection in new[] { Connection, _other })
        {
            await using var command = new PgCommand(sql, connection);
            await Mode.ExecuteNonQuery(command);
        }
    }

    private static bool IsError(string outcome) => outcome.Contains("error", StringComparison.Ordinal);

    // What cannot be prepared, such as a command without a parameter that it names, cannot run either.
    private async Task TryPrepare(PgBatch batch)
    {
        try
        {
            await Mode.Run(batch.Prepare, () => batch.PrepareAsync());
        }
        catch (Exception e) when (e is PgException or InvalidOperationException or InvalidCastException)
        {
        }
    }

    private async Task<string> Outcome(PgBatch batch)
    {
        var lines = new List<string>();
        try
        {
            var reader = await Mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync());
            await using (reader)
            {
                do
                {
                    lines.Add(string.Join(" | ", Enumerable.Range(0, reader.FieldCount).Select(i => $"{reader.GetName(i)} {reader.GetDataTypeName(i)}")));
                    while (await Mode.Read(reader))
                        lines.Add(string.Join(" | ", Enumerable.Range(0, reader.FieldCount).Select(i => Shown(reader.GetValue(i)))));
                }
                while (await Mode.NextResult(reader));
                await Mode.Close(reader);
            }
            lines.Add(string.Join(", ", ((IEnumerable<PgBatchCommand>)batch.BatchCommands).Select(command => $"{command.StatementType} {command.Rows}")));
        }
        catch (PostgresException e)
        {
            lines.Add($"error {e.SqlState} in command {batch.BatchCommands.IndexOf(e.BatchCommand!)}");
        }
        catch (Exception e) when (e is PgException or InvalidOperationException or InvalidCastException or FormatException or OverflowException)
        {
            lines.Add($"error {e.GetType().Name} {(e as PgException)?.Code}");
        }
        return string.Join("\n", lines);
    }

    private static string Shown(object value) => value is Array array
        ? $"{value.GetType().Name} {string.Join(",", array.Cast<object>())}"
        : $"{value.GetType().Name} {Convert.ToString(value, CultureInfo.InvariantCulture)}";
}
