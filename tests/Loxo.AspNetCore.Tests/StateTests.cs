using System.Text.Json;
using Loxo.Dashboard;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;

namespace Loxo.AspNetCore.Tests;

/// <summary>What the dashboard says of data sources.</summary>
public sealed class StateTests
{
    [Test]
    public async Task All_data_sources_of_the_container_are_shown_with_and_without_a_key()
    {
        await using var site = await Site.StartAsync(static builder => builder.Services
            .AddPgDataSource("Host=127.0.0.1;Port=1;Username=orders;Password=secret", static source => source.Name = "orders", serviceKey: "orders")
            .AddPgDataSource("Host=127.0.0.1;Port=1;Username=x;Password=secret", static source => source.Name = "orders", serviceKey: 7));
        var state = await site.StateAsync();
        Assert.That(state.GetProperty("sources").EnumerateArray().Select(static one => one.GetProperty("name").GetString()),
            Is.EqualTo(new[] { "main", "orders", "orders (2)" }));
        Assert.That(state.GetRawText(), Does.Not.Contain("secret"));
    }

    [Test]
    public async Task The_options_may_name_the_data_sources()
    {
        await using var other = PgDataSource.Create("Host=127.0.0.1;Port=1;Username=u;Database=elsewhere;Pooling=false");
        await using var site = await Site.StartAsync(map: app => app.MapPgDashboard(configure: options => options.DataSources.Add(other)));
        var only = (await site.StateAsync()).GetProperty("sources").EnumerateArray().Single();
        Assert.That(only.GetProperty("name").GetString(), Is.EqualTo("elsewhere on 127.0.0.1"));
        Assert.That(only.TryGetProperty("pool", out _), Is.False);
    }

    [Test]
    public async Task A_data_source_that_cannot_be_made_is_no_end_of_the_dashboard()
    {
        await using var site = await Site.StartAsync(static builder => builder.Services.AddPgDataSource("Nonsense=1", serviceKey: "wrong"));
        Assert.That((await site.StateAsync()).GetProperty("sources").GetArrayLength(), Is.EqualTo(1));
        Assert.That(site.Warnings, Has.Some.StartsWith("2801 "));
    }

    [Test]
    public async Task A_data_source_that_is_disposed_is_no_end_of_the_dashboard()
    {
        var other = PgDataSource.Create(TestServer.Default.ConnectionString);
        await using var site = await Site.StartAsync(map: app => app.MapPgDashboard(configure: options =>
        {
            options.DataSources.Add(other);
            options.DataSources.Add(app.Services.GetRequiredService<PgDataSource>());
        }));
        await other.DisposeAsync();
        var sources = (await site.StateAsync()).GetProperty("sources");
        Assert.That(sources.GetArrayLength(), Is.EqualTo(2));
        Assert.That(sources[1].GetProperty("pool").GetProperty("maximum").GetInt32(), Is.EqualTo(100));
        Assert.That(site.Warnings, Is.Empty);
    }

    [Test]
    public async Task Numbers_are_those_of_the_pool_and_the_statements()
    {
        await using var site = await Site.StartAsync(settings: ";Maximum Pool Size=3");
        for (var i = 0; i < 5; i++)
            await site.Run("SELECT generate_series(1, 4) AS counted");
        await Assert.ThrowsAsync<PostgresException>(() => site.Run("SELECT 1 / $1", 0));
        await using var busy = await site.DataSource.OpenConnectionAsync();
        var source = (await site.StateAsync()).GetProperty("sources")[0];
        Assert.That(source.GetProperty("pool").GetProperty("busy").GetInt32(), Is.EqualTo(1));
        Assert.That(source.GetProperty("pool").GetProperty("maximum").GetInt32(), Is.EqualTo(3));
        Assert.That(source.GetProperty("pool").GetProperty("connections").GetArrayLength(), Is.EqualTo(1));
        Assert.That(source.GetProperty("sessions").GetProperty("statements").GetInt32(), Is.GreaterThanOrEqualTo(5));
        var counted = source.GetProperty("statements").GetProperty("items").EnumerateArray()
            .Single(static one => one.GetProperty("text").GetString() == "SELECT generate_series(?, ?) AS counted");
        Assert.That(counted.GetProperty("calls").GetInt32(), Is.EqualTo(5));
        var error = source.GetProperty("statements").GetProperty("errors")[0];
        Assert.That((error.GetProperty("kind").GetString(), error.GetProperty("name").GetString(), error.GetProperty("count").GetInt32()),
            Is.EqualTo(("22012", "division by zero", 1)));
    }

    [Test]
    public async Task Values_and_literals_are_not_shown()
    {
        await using var site = await Site.StartAsync();
        await using var command = site.DataSource.CreateCommand("SELECT $1::text, 'literal-secret' AS values_are_hidden");
        command.Parameters.Add(new PgParameter<string>("parameter-secret"));
        await command.ExecuteNonQueryAsync();
        var text = (await site.StateAsync()).GetRawText();
        Assert.That(text, Does.Contain("values_are_hidden").And.Not.Contain("literal-secret").And.Not.Contain("parameter-secret"));
    }

    [TestCase("SELECT relname FROM pg_class WHERE relname = 'secret' AND oid > 4711 AND relpages = 3", new int[0])]
    [TestCase("SELECT relname FROM pg_class WHERE relname = 'secret' AND oid::int > $1 AND relpages = $2", new[] { 4711, 3 })]
    public async Task A_plan_is_that_of_the_statement_without_its_literals(string sql, int[] parameters)
    {
        await using var site = await Site.StartAsync();
        await site.Run(sql, parameters);
        var (status, plan) = await PlanOf(site, "pg_class");
        Assert.That(status, Is.EqualTo(200), plan);
        Assert.That(plan, Does.Match(@"pg_class.*\(cost=\d+\.\d\d\.\.\d+\.\d\d rows=\d+ width=\d+\)").And.Not.Contain("secret").And.Not.Contain("4711"));
        Assert.That(plan, parameters.Length == 0 ? Does.Contain("?") : Does.Contain("$1"));
    }

    [Test]
    public async Task A_plan_executes_nothing()
    {
        await using var site = await Site.StartAsync();
        await site.Run("CREATE TABLE IF NOT EXISTS dashboard_plans (id int)");
        await site.Run("DELETE FROM dashboard_plans");
        await site.Run("INSERT INTO dashboard_plans VALUES (1)");
        var (status, plan) = await PlanOf(site, "INSERT INTO dashboard_plans");
        Assert.That((status, plan), Is.EqualTo((200, plan)));
        Assert.That(plan, Does.StartWith("Insert on dashboard_plans"));
        Assert.That((await site.StateAsync()).GetRawText(), Does.Not.Contain("EXPLAIN"));
        Assert.That(await site.Run("SELECT count(*) FROM dashboard_plans"), Is.EqualTo(1));
        Assert.That(await site.Run("SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'loxo_plan%'"), Is.Zero);
    }

    [Test]
    public async Task A_text_that_the_dashboards_session_reads_otherwise_runs_nothing()
    {
        await using var site = await Site.StartAsync();
        await site.Run("CREATE TABLE IF NOT EXISTS dashboard_kept (id int)");
        await site.Run("DELETE FROM dashboard_kept");
        await site.Run("INSERT INTO dashboard_kept VALUES (1)");
        await using (var connection = await site.DataSource.OpenConnectionAsync())
        {
            await using var set = new PgCommand("SET standard_conforming_strings = off", connection);
            await set.ExecuteNonQueryAsync();
            // One string here, and three statements where a backslash is a character like others.
            await using var command = new PgCommand(@"SELECT 'dashboard\'; COMMIT; DELETE FROM dashboard_kept; --'", connection);
            await command.ExecuteNonQueryAsync();
        }
        Assert.That(await site.Run("SHOW standard_conforming_strings"), Is.EqualTo("on"));
        var executable = site.DataSource.GetStatementStatistics()!.Statements.Single(static one => one.Text == "SELECT ?").GetExecutableText();
        Assert.That(executable, Does.EndWith("; --'"));
        var (status, text) = await PlanOf(site, "SELECT ?");
        Assert.That(status, Is.EqualTo(422), text);
        Assert.That(await site.Run("SELECT count(*) FROM dashboard_kept"), Is.EqualTo(1));
    }

    [TestCase("SET application_name = 'x'", "plans only queries")]
    [TestCase("SELECT count(*) FROM nowhere_at_all", "42P01")]
    public async Task Without_a_plan_there_is_a_reason(string sql, string reason)
    {
        await using var site = await Site.StartAsync();
        try
        {
            await site.Run(sql);
        }
        catch (PostgresException)
        {
            // It is counted all the same.
        }
        var (status, text) = await PlanOf(site, sql[..10]);
        Assert.That(status, Is.EqualTo(422));
        Assert.That(text, Does.Contain(reason));
        Assert.That(await site.Run("SELECT 1"), Is.EqualTo(1));
    }

    [Test]
    public async Task The_lag_of_change_streams_is_shown()
    {
        await using var site = await Site.StartAsync(static builder => builder.Services.AddSingleton(
            static provider => provider.GetRequiredService<PgDataSource>().CreateChangeStream("shown_slot", "shown_publication")));
        Assert.That(Behind(await site.StateAsync()), Is.Zero);
        await site.Run("CREATE TABLE shown_changes (id int); CREATE PUBLICATION shown_publication FOR TABLE shown_changes");
        try
        {
            var changes = site.App.Services.GetRequiredService<PgChangeStream>();
            await using (var transactions = changes.ReadAsync().GetAsyncEnumerator())
            {
                var next = transactions.MoveNextAsync();
                while (await site.Run("SELECT count(*)::int FROM pg_replication_slots WHERE slot_name = 'shown_slot' AND active") is 0)
                    await Task.Delay(20);
                await site.Run("INSERT INTO shown_changes VALUES (1)");
                await next;
                // The program is busy with the first transaction, while others come.
                var before = (PgLogSequenceNumber)(await site.Run("SELECT pg_current_wal_insert_lsn()"))!;
                await site.Run("INSERT INTO shown_changes SELECT generate_series(1, 10000)");
                var after = (PgLogSequenceNumber)(await site.Run("SELECT pg_current_wal_insert_lsn()"))!;
                var between = (long)(after.Value - before.Value);
                Assert.That(between, Is.GreaterThan(100_000).And.GreaterThan(changes.BytesBehind));
                await WaitUntilAsync(behind => behind >= between);

                await transactions.MoveNextAsync();
                changes.Acknowledge(transactions.Current);
            }
            // The server has heard of it when the connection was closed.
            await WaitUntilAsync(static behind => behind < 100_000);
        }
        finally
        {
            await site.Run("SELECT pg_drop_replication_slot('shown_slot'); DROP PUBLICATION shown_publication; DROP TABLE shown_changes");
        }

        async Task WaitUntilAsync(Predicate<long> isSo) => await site.StatesAsync().FirstAsync(state => isSo(Behind(state)));

        static long Behind(JsonElement state)
        {
            var stream = state.GetProperty("streams")[0];
            Assert.That(stream.GetProperty("slot").GetString(), Is.EqualTo("shown_slot"));
            return stream.GetProperty("behind").GetInt64();
        }
    }

    [TestCase("plain text", "plain text")]
    [TestCase("a\u0000b\u001b[31m\u007f", "a\u2400b\u241b[31m\u2421")]
    [TestCase("line\nbreak\ttab", "line\nbreak\ttab")]
    [TestCase("\u202eevil\u200b", "\ufffdevil\ufffd")]
    [TestCase("ü 中", "ü 中")]
    public void Control_characters_are_shown_as_signs(string text, string shown) => Assert.That(SafeText.Of(text), Is.EqualTo(shown));

    [Test]
    public void Half_a_character_is_shown_as_a_sign() =>
        Assert.That(SafeText.Of("half \ud83d and whole \ud83d\ude00"), Is.EqualTo("half \ufffd and whole \ud83d\ude00"));

    [TestCase("(name = 'secret'::text)", "(name = ?::text)")]
    [TestCase("(name = 'it''s'::text) AND (id > 42)", "(name = ?::text) AND (id > ?)")]
    [TestCase(@"(name = E'a\'b\\'::text)", "(name = ?::text)")]
    [TestCase("(\"odd'name\" = 'x')", "(\"odd'name\" = ?)")]
    [TestCase("(t1.c2 = $1) AND (x < 1.5)", "(t1.c2 = $1) AND (x < ?)")]
    [TestCase("(a = 'not closed", "(a = ?")]
    [TestCase("(NAME = 'E'::text)", "(NAME = ?::text)")]
    public void Literals_of_a_plan_are_hidden(string expression, string shown) => Assert.That(PlanText.WithoutLiterals(expression), Is.EqualTo(shown));

    [Test]
    public void A_literal_cannot_pretend_to_be_part_of_a_plan()
    {
        using var plan = JsonDocument.Parse("""[{"Plan": {"Node Type": "Seq Scan", "Relation Name": "t", "Filter": "(a = 'x\n->  Seq Scan on secret (cost=1..2)'::text)", "Total Cost": 1.5, "Startup Cost": 0, "Plan Rows": 3, "Plan Width": 4}}]""");
        Assert.That(PlanText.Of(plan.RootElement).ReplaceLineEndings("\n"), Is.EqualTo("Seq Scan on t  (cost=0.00..1.50 rows=3 width=4)\n  Filter: (a = ?::text)"));
    }

    private static async Task<(int Status, string Text)> PlanOf(Site site, string text)
    {
        // A state may be older than the statement.
        var statement = await site.StatesAsync().Take(100)
            .SelectMany(static state => state.GetProperty("sources")[0].GetProperty("statements").GetProperty("items").EnumerateArray())
            .FirstAsync(one => one.GetProperty("text").GetString()!.Contains(text, StringComparison.Ordinal));
        using var http = new HttpClient();
        using var request = new HttpRequestMessage(HttpMethod.Post, $"{site.Dashboard}/plan?source=0&statement={statement.GetProperty("id").GetString()}");
        request.Headers.Add("X-Loxo-Dashboard", "1");
        using var answer = await http.SendAsync(request);
        return ((int)answer.StatusCode, await answer.Content.ReadAsStringAsync());
    }
}
