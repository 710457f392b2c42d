namespace Loxo.Noda.Tests;

/// <summary>The samples in every way in which a value is exchanged.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class RoundTripTests(WaitMode mode)
{
    private PgDataSource _dataSource = null!;
    private PgConnection _connection = null!;

    private static IEnumerable<Sample> All => Samples.All;

    [OneTimeSetUp]
    public async Task Open()
    {
        _dataSource = new PgDataSourceBuilder(TestServer.Default.ConnectionString).UseNodaTime().Build();
        _connection = _dataSource.CreateConnection();
        await mode.Open(_connection);
    }

    [OneTimeTearDown]
    public async Task Close()
    {
        await _connection.DisposeAsync();
        await _dataSource.DisposeAsync();
    }

    [TestCaseSource(nameof(All))]
    public async Task A_value_is_read(Sample sample)
    {
        await using var reader = await Row($"SELECT '{sample.Literal}'::{sample.Type}");
        if (reader.GetFieldType(0) == sample.Value.GetType())
            Assert.That(reader.GetValue(0), Is.EqualTo(sample.Value));
        Assert.That(Reading(reader, 0, sample), Is.EqualTo(sample.Value));
    }

    [TestCaseSource(nameof(All))]
    public async Task A_parameter_is_the_value_that_SQL_writes(Sample sample)
    {
        var sql = $"'{sample.Literal}'::{sample.Type}";
        await using var reader = await Row($"SELECT $1, $1::text, ({sql})::text, pg_typeof($1)::text", new PgParameter { Value = sample.Value });
        Assert.That(reader.GetString(1), Is.EqualTo(reader.GetString(2)));
        Assert.That(reader.GetString(3), Is.EqualTo(sample.Type));
        Assert.That(Reading(reader, 0, sample), Is.EqualTo(sample.Value));
    }

    [TestCaseSource(nameof(All))]
    public async Task A_declared_type_takes_it_too(Sample sample)
    {
        var parameter = new PgParameter { Value = sample.Value, DataTypeName = sample.Type };
        await using var reader = await Row($"SELECT $1 = '{sample.Literal}'::{sample.Type}", parameter);
        Assert.That(reader.GetBoolean(0), Is.True);
    }

    [Test]
    public async Task Each_type_has_its_default()
    {
        await using var reader = await Row("""
            SELECT now(), now()::timestamp, now()::date, now()::time, now()::timetz, '1 mon'::interval, tstzrange(now(), NULL), daterange('2024-01-01', NULL)
            """);
        Assert.That(Enumerable.Range(0, 8).Select(i => reader.GetFieldType(i).Name), Is.EqualTo(
            new[] { "Instant", "LocalDateTime", "LocalDate", "LocalTime", "OffsetTime", "Period", "Interval", "DateInterval" }));
    }

    [Test]
    public async Task Arrays_come_with_the_types()
    {
        global::NodaTime.LocalDate[] dates = [new(2024, 2, 29), new(2024, 3, 1)];
        await using var reader = await Row("SELECT $1, $1::text, NULL::date[]", new PgParameter { Value = dates });
        Assert.That(reader.GetFieldValue<global::NodaTime.LocalDate[]>(0), Is.EqualTo(dates));
        Assert.That(reader.GetString(1), Is.EqualTo("{2024-02-29,2024-03-01}"));
        Assert.That(reader.GetFieldType(2), Is.EqualTo(typeof(global::NodaTime.LocalDate[])));
    }

    [Test]
    public async Task What_is_read_without_it_can_still_be_asked_for()
    {
        await using var reader = await Row("SELECT '2024-02-29'::date, '2024-02-29'::timestamp, '1 day'::interval");
        Assert.That(reader.GetFieldValue<DateOnly>(0), Is.EqualTo(new DateOnly(2024, 2, 29)));
        Assert.That(reader.GetDateTime(1), Is.EqualTo(new DateTime(2024, 2, 29)));
        Assert.That(reader.GetFieldValue<TimeSpan>(2), Is.EqualTo(TimeSpan.FromDays(1)));
    }

    // GetFieldValue<T> of the sample's type, which is known at run time only.
    private static object? Reading(PgDataReader reader, int ordinal, Sample sample) =>
        typeof(PgDataReader).GetMethod(nameof(PgDataReader.GetFieldValue))!.MakeGenericMethod(sample.Value.GetType()).Invoke(reader, [ordinal]);

    private async Task<PgDataReader> Row(string sql, PgParameter? parameter = null)
    {
        var command = new PgCommand(sql, _connection);
        if (parameter is not null)
            command.Parameters.Add(parameter);
        var reader = await mode.ExecuteReader(command);
        Assert.That(await mode.Read(reader), Is.True);
        return reader;
    }
}
