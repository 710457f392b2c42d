namespace Loxo.IntegrationTests.Sql;

/// <summary>
/// Texts at random, read by the driver and by the server alone. The server gets them in one message without a driver, with literals in the place of
/// placeholders: both have to see the same statements, and the same values in the same places.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public class ServerReadingTests(WaitMode mode) : DatabaseTest(mode)
{
    private const int Count = 1000;

    private const string SetUp = "CREATE TEMP TABLE tricky (i int); SET standard_conforming_strings = {0}; SET escape_string_warning = off";

    private SimpleQuerySession _server = null!;

    // Its own, since temporary functions stay.
    protected override string ConnectionString => TestServer.Default.ConnectionString + ";Pooling=false";

    [TearDown]
    public void CloseSession() => _server.Dispose();

    [Test]
    public async Task Placeholders_stand_where_the_server_wants_values([Values] bool isConforming) =>
        await Placeholders(isConforming, seed: isConforming ? 1 : 2, Count);

    [Test]
    public async Task A_damaged_text_has_the_statements_that_the_server_sees([Values] bool isConforming) =>
        await Damaged(isConforming, seed: isConforming ? 3 : 4, Count);

    [Test, Category("Long")]
    public async Task Texts_are_read_as_the_server_reads_them_in_a_long_run([Values] bool isConforming)
    {
        using var run = LongRun.Begin("tricky texts", cases: 4);
        foreach (var seed in run.Seeds(100, "times 2,000 texts"))
        {
            await Placeholders(isConforming, seed, Count);
            await Damaged(isConforming, seed, Count);
        }
    }

    private async Task Placeholders(bool isConforming, int seed, int count)
    {
        await Begin(isConforming);
        var texts = new TrickyTexts(new Random(seed), isConforming);
        var succeeded = 0;
        for (var i = 0; i < count; i++)
        {
            var (text, plain) = texts.Next();
            var expected = _server.Run(plain);
            succeeded += expected.SqlState is null ? 1 : 0;

            var actual = await Run(text, TrickyTexts.Parameters);

            if (!IsTheSame(actual, expected))
                Assert.Fail($"Seed {seed}, text {i}. With placeholders:\n{text}\n{actual}\n\nThe server alone:\n{plain}\n{expected}");
        }
        Assert.That(succeeded, Is.GreaterThan(count * 3 / 4), "most texts are valid");
    }

    private async Task Damaged(bool isConforming, int seed, int count)
    {
        await Begin(isConforming);
        var texts = new TrickyTexts(new Random(seed), isConforming);
        var succeeded = 0;
        for (var i = 0; i < count; i++)
        {
            // Errors count from the first character that is no blank. The driver has nothing to send for an empty text.
            var text = texts.Damage(texts.Next().Plain).Trim(' ', '\t', '\n', '\r');
            if (text.Length == 0)
                continue;
            var expected = _server.Run(text);
            succeeded += expected.SqlState is null ? 1 : 0;

            var actual = await Run(text, []);

            if (!IsTheSame(actual, expected, isSingle: !text.Contains(';', StringComparison.Ordinal)))
                Assert.Fail($"Seed {seed}, text {i}:\n{text}\n\nBy the driver:\n{actual}\n\nThe server alone:\n{expected}");
        }
        Assert.That(succeeded, Is.InRange(count / 5, count * 4 / 5), "there are texts of both kinds");
    }

    private async Task Begin(bool isConforming)
    {
        _server?.Dispose();
        _server = new SimpleQuerySession(ConnectionString);
        var setUp = string.Format(System.Globalization.CultureInfo.InvariantCulture, SetUp, isConforming ? "on" : "off");
        Assert.That(_server.Run(setUp).SqlState, Is.Null);
        await Mode.Close(Connection);
        await Mode.Open(Connection);
        await Execute(setUp);
    }

    // The server alone parses the whole text before it runs any of it, so with several statements another error may come first. And it knows no $1 there,
    // to which the extended protocol gives a type.
    private static bool IsTheSame(TextOutcome actual, TextOutcome expected, bool isSingle = false) => expected.SqlState is null
        ? actual.SqlState is null && actual.Lines.SequenceEqual(expected.Lines)
        : isSingle && expected.SqlState != SqlStates.UndefinedParameter ? (actual.SqlState, actual.Position) == (expected.SqlState, expected.Position)
        : actual.SqlState is not null;

    private async Task<TextOutcome> Run(string text, IEnumerable<TrickyParameter> parameters)
    {
        await using var command = new PgCommand(text, Connection) { AllResultTypesAreUnknown = true };
        foreach (var parameter in parameters)
            command.Parameters.AddWithValue(parameter.Name, parameter.Value);
        var lines = new List<string>();
        try
        {
            await using var reader = await Mode.ExecuteReader(command);
            do
            {
                if (reader.FieldCount == 0)
                    continue;
                lines.Add("columns " + string.Join(" | ", Enumerable.Range(0, reader.FieldCount).Select(reader.GetName)));
                while (await Mode.Read(reader))
                    lines.Add(string.Join(" | ", Enumerable.Range(0, reader.FieldCount).Select(i => reader.IsDBNull(i) ? "null" : $"'{reader.GetString(i)}'")));
            }
            while (await Mode.NextResult(reader));
            await Mode.Close(reader);
            return new TextOutcome(lines);
        }
        catch (PostgresException error)
        {
            return new TextOutcome(lines, error.SqlState, error.Position);
        }
    }
}
