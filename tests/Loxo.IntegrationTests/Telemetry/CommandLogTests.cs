using Loxo.IntegrationTests.Pool;
using Microsoft.Extensions.Logging;

namespace Loxo.IntegrationTests.Telemetry;

/// <summary>What is logged of commands.</summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class CommandLogTests(WaitMode mode) : TelemetryTest(mode)
{
    private const int Executed = 2500, Slow = 2501, Failed = 2502;

    private CapturedLog _log = new();

    [SetUp]
    public void BeginLog() => _log = new CapturedLog();

    [Test]
    public async Task A_command_is_logged_with_its_time_and_without_values()
    {
        await using var connection = await OpenFrom(Source("", builder => builder.UseLoggerFactory(_log)));
        await Run(connection, "SELECT $1::text || '1'", "secret");
        var entry = _log.Of(Executed).Single();
        Assert.That(entry.Level, Is.EqualTo(LogLevel.Information));
        Assert.That(entry.Text, Does.Match(@"^Executed in [\d.E-]+ ms: SELECT \$1::text").And.Not.Contain("secret"));
    }

    [Test]
    public async Task Values_are_logged_on_request([Values] bool byKeyword)
    {
        var keyword = byKeyword ? ";Log Parameters=true" : "";
        await using var connection = await OpenFrom(Source(keyword, builder => builder.UseLoggerFactory(_log).EnableParameterLogging(!byKeyword)));
        await Run(connection, "SELECT $1::text || 'x'", "shown");
        Assert.That(_log.Of(Executed).Single().Text, Does.EndWith("['shown']"));
    }

    [Test]
    public async Task A_slow_command_is_a_warning()
    {
        await using var connection = await OpenFrom(Source("", builder => builder.UseLoggerFactory(_log).UseSlowCommandThreshold(TimeSpan.FromMilliseconds(40))));
        await Run(connection, "SELECT $1::text", "quick");
        await Run(connection, "SELECT $1::text, pg_sleep(0.05)", "slow");
        Assert.That(_log.Of(Slow).Single().Text, Does.Contain("pg_sleep"));
        Assert.That(_log.Of(Slow).Single().Level, Is.EqualTo(LogLevel.Warning));
    }

    [Test]
    public async Task An_error_is_logged()
    {
        await using var connection = await OpenFrom(Source("", builder => builder.UseLoggerFactory(_log)));
        await Catch<PostgresException>(() => Run(connection, "SELECT 1/0, $1::text", "secret"));
        var entry = _log.Of(Failed).Single();
        Assert.That((entry.Level, entry.Error?.GetType()), Is.EqualTo((LogLevel.Error, typeof(PostgresException))));
        Assert.That(entry.Text, Does.Not.Contain("secret"));
        Assert.That(_log.Of(Executed), Is.Empty);
    }

    [Test]
    public async Task A_long_text_is_cut()
    {
        await using var connection = await OpenFrom(Source("", builder => builder.UseLoggerFactory(_log)));
        await Run(connection, $"SELECT $1::text /* {new string('x', 1_000_000)} */", "a");
        Assert.That(_log.Of(Executed).Single().Text, Has.Length.LessThan(3000));
    }

    private async Task Run(PgConnection connection, string sql, string value)
    {
        await using var command = new PgCommand(sql, connection) { Parameters = { new PgParameter<string>(value) } };
        await Mode.ExecuteNonQuery(command);
    }
}
