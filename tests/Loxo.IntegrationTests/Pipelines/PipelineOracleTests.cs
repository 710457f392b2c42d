using System.Globalization;
using Loxo.IntegrationTests.Poolers;

namespace Loxo.IntegrationTests.Pipelines;

/// <summary>
/// Random pipelines with statements that begin, end and mark transactions, constraints that are checked at the commit, and errors in any
/// place: libpq's pipeline gets the same statements and syncs on another connection, and every result has to be the same.
/// </summary>
[TestFixture(WaitMode.Blocking)]
[TestFixture(WaitMode.Async)]
public sealed class PipelineOracleTests(WaitMode mode) : PipelineTest(mode)
{
    private const string Table = "CREATE TEMP TABLE piped (id int PRIMARY KEY, value int UNIQUE DEFERRABLE INITIALLY DEFERRED)";

    // Where the connection stands, and what the pipeline has left.
    private static readonly Statement[] _last =
    [
        new("SAVEPOINT last", Kind.NonQuery, true),
        new("ROLLBACK", Kind.NonQuery, true),
        new("SELECT coalesce(string_agg(p::text, ' ' ORDER BY id), '') FROM piped p", Kind.Reader, true),
        new("SELECT current_setting('work_mem') || current_setting('default_transaction_isolation')", Kind.Scalar, true),
    ];

    [Test]
    public Task Results_are_those_of_libpq([Range(1, 20)] int part) => Run(Enumerable.Range(part * 1000, 10));

    [Test, Category("Long"), Category("OneServer")]
    public async Task Results_are_those_of_libpq_thousands_of_times()
    {
        using var run = LongRun.Begin("pipelines beside libpq", cases: 2);
        await Run(run.Seeds(20_000, "programs"));
    }

    private async Task Run(IEnumerable<int> seeds)
    {
        foreach (var seed in seeds)
        {
            var random = new Random(seed);
            List<Statement> program = [.. Enumerable.Range(0, random.Next(1, 40)).Select(_ => Statement.Make(random))];
            program[^1] = program[^1] with { EndsGroup = true };
            program.AddRange(_last);
            var actual = await Piped(program, random);
            if (Libpq(program) is not { } expected)
            {
                Assert.Ignore("There is no libpq with pipelines to compare with: apt-get install libpq5");
                return;
            }
            Assert.That(actual, Is.EqualTo(expected), () => $"seed {seed}:\n{string.Join('\n', program.Select((each, i) => $"{i} {each}"))}");
        }
    }

    private static List<string>? Libpq(List<Statement> program)
    {
        using var pipeline = LibpqPipeline.Open(PoolerOfTheRun.ConnectionString);
        if (pipeline is null)
            return null;
        pipeline.Send(Table);
        pipeline.Sync();
        foreach (var statement in program)
        {
            pipeline.Send(statement.Sql, statement.Values);
            if (statement.EndsGroup)
                pipeline.Sync();
        }
        pipeline.Statement();
        pipeline.AwaitSync();
        var results = new List<string>();
        string? failed = null;
        foreach (var statement in program)
        {
            var result = pipeline.Statement();
            failed ??= result.SqlState;
            results.Add(statement.Shown(result));
            if (!statement.EndsGroup)
                continue;
            var error = pipeline.AwaitSync();
            results.Add($"sync {failed ?? error}");
            failed = null;
        }
        return results;
    }

    private async Task<List<string>> Piped(List<Statement> program, Random random)
    {
        await using var connection = await OpenAnother();
        await using (var command = new PgCommand(Table, connection))
            await Mode.ExecuteNonQuery(command);
        var due = new List<(int Index, Func<Task<string>> Take)>();
        var results = new List<string?>();
        var pipeline = connection.CreatePipeline();
        foreach (var statement in program)
        {
            Due(Add(pipeline, statement));
            if (statement.EndsGroup)
                Due(SyncOf(pipeline));
            if (random.Next(10) == 0)
                pipeline.Flush();
            while (due.Count > 0 && random.Next(4) == 0)
                await Take(random.Next(due.Count));
        }
        while (due.Count > 0)
            await Take(random.Next(due.Count));
        await Mode.Dispose(pipeline);
        return results!;

        void Due(Func<Task<string>> take)
        {
            due.Add((results.Count, take));
            results.Add(null);
        }

        async Task Take(int position)
        {
            var (index, take) = due[position];
            due.RemoveAt(position);
            results[index] = await take();
        }
    }

    private Func<Task<string>> SyncOf(PgPipeline pipeline)
    {
        var sync = pipeline.Sync();
        return async () =>
        {
            try
            {
                await Wait(sync);
                return "sync ";
            }
            catch (PostgresException e)
            {
                return $"sync {e.SqlState}";
            }
        };
    }

    private Func<Task<string>> Add(PgPipeline pipeline, Statement statement)
    {
        var command = new PgCommand(statement.Sql);
        foreach (var value in statement.Values)
            command.Parameters.Add(new PgParameter { Value = value });
        switch (statement.Kind)
        {
            case Kind.NonQuery:
                var affected = pipeline.AddNonQuery(command);
                return () => Outcome(async () => (await Result(affected)).ToString(CultureInfo.InvariantCulture));
            case Kind.Scalar:
                var scalar = pipeline.AddScalar(command);
                return () => Outcome(async () => Convert.ToString(await Result(scalar), CultureInfo.InvariantCulture) ?? "");
            default:
                var rows = pipeline.AddReader(command);
                return () => Outcome(async () => await Read(await Result(rows)));
        }
    }

    private async Task<string> Read(PgDataReader reader)
    {
        var values = new List<string>();
        while (await Mode.Read(reader))
            values.Add(Convert.ToString(reader.GetValue(0), CultureInfo.InvariantCulture)!);
        await Mode.Close(reader);
        return string.Join(';', values);
    }

    private enum Kind
    {
        NonQuery,
        Scalar,
        Reader,
    }

    private sealed record Statement(string Sql, Kind Kind, bool EndsGroup, params int[] Values)
    {
        private static readonly string[] _withValues =
        [
            "INSERT INTO piped VALUES ($1, $2)",
            "INSERT INTO piped VALUES ($1, $2) RETURNING value",
            "UPDATE piped SET value = value + $2 WHERE id < $1",
            "DELETE FROM piped WHERE id = $1 OR value = $2",
            "SELECT id + $1 - $2 FROM piped ORDER BY id",
            "SELECT n FROM generate_series($1, 50 * $2) n",
            "SELECT 1000 / ($1 - $2)",
            "SELECT $1::int, no_such_column, $2::int",
        ];

        private static readonly string[] _ofTransactions =
        [
            "BEGIN",
            "BEGIN ISOLATION LEVEL SERIALIZABLE",
            "START TRANSACTION READ ONLY",
            "COMMIT",
            "COMMIT",
            "END",
            "ROLLBACK",
            "COMMIT AND CHAIN",
            "ROLLBACK AND CHAIN",
            "SAVEPOINT a",
            "SAVEPOINT b",
            "ROLLBACK TO a",
            "RELEASE b",
            "SET CONSTRAINTS ALL IMMEDIATE",
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
            "SET LOCAL work_mem = '5MB'",
            "SET work_mem = '6MB'",
            "LOCK TABLE piped",
            "VACUUM piped",
            "DO $$BEGIN RAISE EXCEPTION USING ERRCODE = 'P1234'; END$$",
            "SELEC 1",
            "-- nothing",
        ];

        public static Statement Make(Random random) => random.Next(3) > 0
            ? new(_withValues[random.Next(_withValues.Length)], (Kind)random.Next(3), random.Next(5) == 0, random.Next(12), random.Next(12))
            : new(_ofTransactions[random.Next(_ofTransactions.Length)], (Kind)random.Next(3), random.Next(4) == 0);

        /// <summary>What Loxo has to make of a result of libpq.</summary>
        public string Shown(LibpqResult result) => result switch
        {
            { IsSkipped: true } => Skipped,
            { SqlState: { } state } => "error " + state,
            _ => Kind switch
            {
                Kind.NonQuery => result.Affected is "" || Sql.StartsWith("SELECT", StringComparison.Ordinal) ? "-1" : result.Affected,
                Kind.Scalar => result.Values.FirstOrDefault(""),
                _ => string.Join(';', result.Values),
            },
        };

        public override string ToString() => $"{Sql} ({string.Join(", ", Values)}){(EndsGroup ? "; sync" : "")}";
    }
}
