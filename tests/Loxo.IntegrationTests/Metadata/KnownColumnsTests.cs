using System.Data;

namespace Loxo.IntegrationTests.Metadata;

/// <summary>For how long facts of columns are used that an earlier command with KeyInfo has read.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class KnownColumnsTests(WaitMode mode) : DatabaseTest(mode)
{
    private readonly StoppedTime _time = new();
    private PgDataSource _source = null!;
    private PgConnection _reading = null!;
    private string _table = "";

    [SetUp]
    public async Task CreateTable()
    {
        _table = "known_columns_" + Guid.NewGuid().ToString("N");
        await Execute($"CREATE TABLE {_table} (id int, name text)");
        _source = new PgDataSource(new PgConnectionStringBuilder(ConnectionString).ToSettings(), time: _time);
        _reading = await OpenOther();
        Assert.That(await HasKey(), Is.False);
    }

    [TearDown]
    public async Task DropTable()
    {
        await _reading.DisposeAsync();
        await _source.DisposeAsync();
        await Execute($"DROP TABLE {_table}");
    }

    [Test]
    public async Task Facts_that_another_program_changes_are_used_for_ten_seconds()
    {
        await Execute(AddKey);
        _time.Advance(TimeSpan.FromSeconds(9.9));
        Assert.That(await HasKey(), Is.False);
        _time.Advance(TimeSpan.FromSeconds(0.1));
        Assert.That(await HasKey(), Is.True);
    }

    [Test]
    public async Task A_change_by_a_connection_of_the_data_source_is_seen_at_once([Values] bool inTransaction)
    {
        await using var changing = await OpenOther();
        await using var transaction = inTransaction ? await changing.BeginTransactionAsync() : null;
        await Run(changing, AddKey);
        if (transaction is not null)
            await Mode.Commit(transaction);
        Assert.That(await HasKey(), Is.True);
    }

    [Test]
    public async Task A_transaction_sees_what_it_has_changed_and_leaves_nothing_of_it_behind()
    {
        await using (var transaction = await _reading.BeginTransactionAsync())
        {
            await Run(_reading, AddKey);
            Assert.That(await HasKey(), Is.True);
            await Mode.Rollback(transaction);
        }
        Assert.That(await HasKey(), Is.False);
    }

    [Test]
    public async Task ReloadTypes_forgets_the_facts()
    {
        await Execute(AddKey);
        await Mode.Run(_reading.ReloadTypes, () => _reading.ReloadTypesAsync());
        Assert.That(await HasKey(), Is.True);
    }

    private string AddKey => $"ALTER TABLE {_table} ADD PRIMARY KEY (id)";

    private async Task<bool?> HasKey()
    {
        await using var command = new PgCommand($"SELECT id, name FROM {_table}", _reading);
        var reader = await Mode.ExecuteReader(command, CommandBehavior.KeyInfo);
        var column = reader.GetColumnSchema()[0];
        await Mode.Close(reader);
        Assert.That(column.BaseTableName, Is.EqualTo(_table));
        return column.IsKey;
    }

    private async Task<PgConnection> OpenOther()
    {
        var connection = _source.CreateConnection();
        await Mode.Open(connection);
        return connection;
    }

    private async Task Run(PgConnection connection, string sql)
    {
        await using var command = new PgCommand(sql, connection);
        await Mode.ExecuteNonQuery(command);
    }

    // It stands still, so that nothing depends on how long a command takes.
    private sealed class StoppedTime : TimeProvider
    {
        private long _now = System.GetTimestamp();

        public override long GetTimestamp() => _now;

        public void Advance(TimeSpan time) => _now += (long)(time.TotalSeconds * TimestampFrequency);
    }
}
