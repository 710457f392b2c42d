using System.Globalization;

namespace Loxo.IntegrationTests.Pipelines;

/// <summary>
/// Random pipelines, compared with the same statements run one after the other on another connection, each group in a transaction.
/// </summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PipelineModelTests(WaitMode mode) : PipelineTest(mode)
{
    [Test]
    public Task Results_are_those_of_the_statements_one_by_one([Range(1, 20)] int seed) => Run(seed);

    [Test, Category("Long"), Category("OneServer")]
    public async Task Results_are_those_of_the_statements_one_by_one_thousands_of_times()
    {
        using var run = LongRun.Begin("pipelines", cases: 2);
        foreach (var seed in run.Seeds(3000, "programs"))
            await Run(seed);
    }

    private async Task Run(int seed)
    {
        var random = new Random(seed);
        var program = Enumerable.Range(0, random.Next(1, 60)).Select(_ => Statement.Make(random)).ToList();
        var expected = await OneByOne(program);
        var actual = await Piped(program, random);
        Assert.That(actual, Is.EqualTo(expected), $"seed {seed}");
    }

    private async Task<List<string>> OneByOne(List<Statement> program)
    {
        await using var connection = await Prepared();
        var results = new List<string>();
        var failed = false;
        await Run(connection, "BEGIN");
        foreach (var statement in program)
        {
            var result = failed ? Skipped : await Outcome(() => Direct(connection, statement));
            results.Add(result);
            failed |= !failed && result.StartsWith("error", StringComparison.Ordinal);
            if (!statement.EndsGroup)
                continue;
            await Run(connection, failed ? "ROLLBACK" : "COMMIT");
            await Run(connection, "BEGIN");
            failed = false;
        }
        await Run(connection, failed ? "ROLLBACK" : "COMMIT");
        results.Add(await Table(connection));
        return results;
    }

    private async Task<List<string>> Piped(List<Statement> program, Random random)
    {
        await using var connection = await Prepared();
        var due = new List<(int Index, Func<Task<string>> Take)>();
        var results = new string[program.Count];
        var pipeline = connection.CreatePipeline();
        for (var i = 0; i < program.Count; i++)
        {
            due.Add((i, Add(pipeline, program[i])));
            if (program[i].EndsGroup)
                pipeline.Sync();
            if (random.Next(10) == 0)
                pipeline.Flush();
            while (due.Count > 0 && random.Next(3) == 0)
                await Take(random.Next(due.Count));
        }
        while (due.Count > 0)
            await Take(random.Next(due.Count));
        await Mode.Dispose(pipeline);
        return [.. results, await Table(connection)];

        async Task Take(int position)
        {
            var (index, take) = due[position];
            due.RemoveAt(position);
            results[index] = await Outcome(take);
        }
    }

    private Func<Task<string>> Add(PgPipeline pipeline, Statement statement)
    {
        var command = statement.Command(null);
        switch (statement.Kind)
        {
            case Kind.NonQuery:
                var affected = pipeline.AddNonQuery(command);
                return async () => (await Result(affected)).ToString(CultureInfo.InvariantCulture);
            case Kind.Scalar:
                var scalar = pipeline.AddScalar(command);
                return async () => (await Result(scalar))?.ToString() ?? "null";
            default:
                var rows = pipeline.AddReader(command);
                return async () => await Read(await Result(rows));
        }
    }

    private async Task<string> Direct(PgConnection connection, Statement statement)
    {
        await using var command = statement.Command(connection);
        return statement.Kind switch
        {
            Kind.NonQuery => (await Mode.ExecuteNonQuery(command)).ToString(CultureInfo.InvariantCulture),
            Kind.Scalar => (await Mode.ExecuteScalar(command))?.ToString() ?? "null",
            _ => await Read(await Mode.ExecuteReader(command)),
        };
    }

    private async Task<string> Read(PgDataReader reader)
    {
        var text = new System.Text.StringBuilder();
        while (await Mode.Read(reader))
            text.Append(CultureInfo.InvariantCulture, $"{reader.GetValue(0)};");
        await Mode.Close(reader);
        return text.ToString();
    }

    private async Task<PgConnection> Prepared()
    {
        var connection = await OpenAnother();
        await Run(connection, "CREATE TEMP TABLE piped (id int PRIMARY KEY, value int)");
        return connection;
    }

    private async Task<string> Table(PgConnection connection)
    {
        await using var command = new PgCommand("SELECT coalesce(string_agg(p::text, ' ' ORDER BY id), '') FROM piped p", connection);
        return (string)(await Mode.ExecuteScalar(command))!;
    }

    private async Task Run(PgConnection connection, string sql)
    {
        await using var command = new PgCommand(sql, connection);
        await Mode.ExecuteNonQuery(command);
    }

    private enum Kind
    {
        NonQuery,
        Scalar,
        Reader,
    }

    private sealed record Statement(string Sql, Kind Kind, bool EndsGroup, int[] Values)
    {
        private static readonly string[] Texts =
        [
            "INSERT INTO piped VALUES ($1, $2)",
            "INSERT INTO piped VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id",
            "UPDATE piped SET value = value + $2 WHERE id < $1",
            "DELETE FROM piped WHERE id = $1 OR value = $2",
            "SELECT id + $1 - $2 FROM piped ORDER BY id",
            "SELECT n FROM generate_series($1, 50 * $2) n",
            "SELECT count(*) FROM piped WHERE id > $1 + $2",
            "SELECT 1000 / ($1 - $2)",
            "SELECT $1::int, no_such_column, $2::int",
            "SELECT 1 WHERE $1 = $2 + 1000",
        ];

        public static Statement Make(Random random) => new(
            Texts[random.Next(Texts.Length)], (Kind)random.Next(3), random.Next(5) == 0, [random.Next(12), random.Next(12)]);

        public PgCommand Command(PgConnection? connection)
        {
            var command = new PgCommand(Sql, connection);
            foreach (var value in Values)
                command.Parameters.Add(new PgParameter { Value = value });
            return command;
        }
    }
}
