using System.Globalization;

namespace Loxo.IntegrationTests.Types;

/// <summary>Values that the server makes up: what they are shown as here and there, and whether they survive the way back.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ServerTextTests(WaitMode mode) : DatabaseTest(mode)
{
    [Test]
    public async Task A_numeric_of_any_size_is_shown_as_the_server_shows_it()
    {
        await Check<PgNumeric>("""
            SELECT round((random() * 2 - 1)::numeric * 10::numeric ^ (i % 60 - 30), i % 45) FROM generate_series(1, 300) i
            UNION ALL SELECT (random() * 1e12)::bigint::numeric / (10 ^ (i % 20))::numeric FROM generate_series(1, 100) i
            UNION ALL SELECT sqrt(2::numeric(1000, 500)) UNION ALL SELECT factorial(300)
            """);
    }

    [Test]
    public async Task A_date_of_any_time_is_shown_as_the_server_shows_it()
    {
        await Check<PgDate>("SELECT date '4714-11-24 BC' + (i::bigint * 2147483493 / 500)::integer FROM generate_series(0, 500) i");
        await Check<PgDate>("SELECT date '0003-12-25 BC' + i FROM generate_series(0, 1500) i");
    }

    [Test]
    public async Task A_timestamp_of_any_time_is_shown_as_the_server_shows_it()
    {
        await Check<PgTimestamp>("SELECT timestamp '4714-11-24 BC' + make_interval(days => i * 218000, secs => random() * 86399) FROM generate_series(0, 500) i");
        await Check<PgTimestamp>("SELECT timestamp '2000-01-01' + make_interval(secs => (i - 250) / 1000.0) FROM generate_series(0, 500) i");
    }

    [Test]
    public async Task An_interval_is_shown_as_the_server_shows_it_in_both_styles()
    {
        const string intervals = """
            SELECT make_interval(months => i % 41 - 20, days => (i / 3) % 13 - 6, secs => round((random() * 2e5 - 1e5)::numeric, i % 7)) FROM generate_series(1, 400) i
            """;
        await Check<PgInterval>(intervals);
        await Execute("SET IntervalStyle TO iso_8601");
        await using var command = Command($"SELECT v, v::text FROM ({intervals} OFFSET 0) s(v)");
        await using var reader = await Mode.ExecuteReader(command);
        while (await Mode.Read(reader))
            Assert.That(reader.GetFieldValue<PgInterval>(0).ToString("I", CultureInfo.InvariantCulture), Is.EqualTo(reader.GetString(1)));
    }

    [Test]
    public async Task An_empty_tsquery_is_read_in_both_formats()
    {
        foreach (var asText in new[] { false, true })
        {
            await using var command = Command("SELECT ''::tsquery");
            command.AllResultTypesAreUnknown = asText;
            await using var reader = await Mode.ExecuteReader(command);
            Assert.That(await Mode.Read(reader), Is.True);
            Assert.That((reader.GetFieldValue<PgTsQuery>(0), reader.GetString(0)), Is.EqualTo((PgTsQuery.Empty, "")));
        }
        await Catch<InvalidCastException>(() => Execute("SELECT $1", PgTsQuery.Empty));
        await AssertUsable();
    }

    [Test]
    public async Task A_tsvector_is_shown_as_the_server_shows_it() => await Check<PgTsVector>("""
        SELECT to_tsvector('english', description) || setweight(to_tsvector('simple', description), 'B') || strip(to_tsvector('simple', reverse(description)))
        FROM pg_description ORDER BY objoid DESC LIMIT 300
        """);

    [Test]
    public async Task A_tsquery_is_shown_as_the_server_shows_it() => await Check<PgTsQuery>("""
        SELECT tsquery_phrase(!!plainto_tsquery('simple', left(description, 30)), phraseto_tsquery('english', description), objoid::integer % 9)
            || websearch_to_tsquery('simple', left(description, 20)) && !!(plainto_tsquery('simple', classoid::regclass::text) || 'a:*B'::tsquery)
        FROM pg_description ORDER BY objoid DESC LIMIT 300
        """);

    private async Task Check<T>(string values)
        where T : IParsable<T>
    {
        var read = new List<(T Value, string Text)>();
        await using (var command = Command($"SELECT v, v::text FROM ({values}) s(v)"))
        await using (var reader = await Mode.ExecuteReader(command))
        {
            while (await Mode.Read(reader))
                read.Add((reader.GetFieldValue<T>(0), reader.GetString(1)));
        }
        Assert.That(read, Is.Not.Empty);
        foreach (var (value, text) in read)
        {
            Assert.That(value.ToString(), Is.EqualTo(text));
            // The text of a query does not tell whether a & b & c is (a & b) & c or a & (b & c).
            if (typeof(T) != typeof(PgTsQuery))
                Assert.That(T.Parse(text, CultureInfo.InvariantCulture), Is.EqualTo(value));
            Assert.That(T.Parse(text, CultureInfo.InvariantCulture).ToString(), Is.EqualTo(text));
        }
        await using var back = Command("SELECT array_agg(v::text ORDER BY n) FROM unnest($1) WITH ORDINALITY s(v, n)", new PgParameter<T[]>([.. read.Select(row => row.Value)]));
        Assert.That(await Mode.ExecuteScalar(back), Is.EqualTo(read.Select(row => row.Text)));
    }
}
