using System.Data.Common;
using System.Globalization;
using System.Text;
using Loxo.Session;
using Npgsql;
using Way = Loxo.IntegrationTests.Pool.ChangedNamesProgram.Way;

namespace Loxo.IntegrationTests.Pool;

/// <summary>
/// A prepared text means what the same text means unprepared: random programs in which names change their meaning run on a session that prepares
/// everything, and with another driver on one that prepares nothing, in a database like it.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class ChangedNamesModelTests(WaitMode mode) : ResetTest(mode)
{
    private const string Preparing = "Maximum Pool Size=1;Auto Prepare Min Usages=1;Application Name=reset;";

    private readonly string _role = $"changed_names_{Environment.ProcessId}";

    /// <summary>What the data source knows of the functions of its database.</summary>
    public enum Audit
    {
        Known,
        NotYet,
        NeverReset,
        Unpooled,
        /// <summary>Known, and changes of rows run functions unseen.</summary>
        UnseenByChange,
        /// <summary>Known, and any statement does.</summary>
        UnseenByAny,
    }

    [Test]
    public Task A_prepared_text_means_what_it_means_unprepared([Values] Audit kind, [Range(1, 4)] int seed) => Run(kind, [seed]);

    // Programs that failed once.
    [Test]
    public Task A_prepared_text_means_it_here_too([Values] Audit kind, [Values(1349285642, 388386028)] int seed) => Run(kind, [seed]);

    [Test, Category("Long")]
    public async Task A_prepared_text_means_what_it_means_unprepared_in_a_long_run([Values] Audit kind)
    {
        using var run = LongRun.Begin("changed names", cases: 12);
        await Run(kind, run.Seeds(5000, "programs"));
    }

    private static bool IsAudited(Audit kind) => kind is Audit.Known or Audit.UnseenByChange or Audit.UnseenByAny;

    private static UnseenNameChanges UnseenBy(Audit kind) => kind switch
    {
        Audit.UnseenByChange => UnseenNameChanges.ByChange,
        Audit.UnseenByAny => UnseenNameChanges.ByAny,
        _ => UnseenNameChanges.None,
    };

    private async Task Run(Audit kind, IEnumerable<int> seeds)
    {
        await Aside(TestServer.Default.ConnectionString, $"DROP ROLE IF EXISTS {_role}", $"CREATE ROLE {_role}");
        var (ours, others) = (Keep(await TestDatabase.Create()), Keep(await TestDatabase.Create()));
        foreach (var seed in seeds)
        {
            // A database whose name is new has not been audited.
            if (kind == Audit.NotYet)
                ours = Keep(await TestDatabase.Create());
            var program = new ChangedNamesProgram(new Random(seed), _role, IsAudited(kind), UnseenBy(kind));
            await RunOne(kind, ours.ConnectionString, others.ConnectionString, [.. program.Steps(60)], $"seed {seed}");
            if (kind == Audit.NotYet)
                await ours.DisposeAsync();
        }
    }

    private async Task RunOne(Audit kind, string ours, string others, ChangedNamesProgram.Step[] steps, string label)
    {
        // By the other driver, of which this one knows nothing.
        foreach (var database in new[] { ours, others })
            await Prepare(database, UnseenBy(kind));
        var source = Source(Preparing + kind switch
        {
            Audit.NeverReset => "Session Reset=Never",
            Audit.Unpooled => "Pooling=false",
            _ => "",
        }, ours);
        if (IsAudited(kind))
        {
            for (var round = 0; round < 4; round++)
                await IsResetAfter(source, "SELECT 1");
        }
        await using var subject = new Subject(Mode, source);
        await using var model = new Model(others);
        await subject.Open();
        await model.Open();
        var log = new StringBuilder();
        foreach (var (step, i) in steps.Select((step, i) => (step, i)))
        {
            if (step.Way == Way.Rental)
            {
                await subject.Open();
                await model.Open();
                log.AppendLine("another connection");
                continue;
            }
            var expected = await model.Run(step);
            var actual = await subject.Run(step);
            log.AppendLine($"{step.Way}: {string.Join("; ", step.Texts)} -> {expected}");
            if (actual != expected)
                Assert.Fail($"{label}, step {i}: expected {expected}, but got {actual}\n{log}");
        }
        await subject.DisposeAsync();
        await source.DisposeAsync();
    }

    private static async Task Prepare(string database, UnseenNameChanges unseen)
    {
        await using var connection = new NpgsqlConnection($"{database};Pooling=false");
        await connection.OpenAsync();
        foreach (var sql in ChangedNamesProgram.Schema.Concat(ChangedNamesProgram.UnseenSchema(unseen)))
        {
            await using var command = new NpgsqlCommand(sql, connection);
            await command.ExecuteNonQueryAsync();
        }
    }

    // The first columns are enough to tell the tables apart; the number of columns tells the rest.
    private static async Task<string> Rows(WaitMode mode, DbDataReader reader)
    {
        var text = new StringBuilder();
        do
        {
            while (await mode.Read(reader))
                text.Append(CultureInfo.InvariantCulture, $"{reader.FieldCount} {reader.GetValue(0)}; ");
        }
        while (await mode.NextResult(reader));
        return text.ToString();
    }

    private static async Task<string> Outcome(Func<Task<string>> run)
    {
        try
        {
            return await run();
        }
        catch (DbException error)
        {
            return $"error {error.SqlState ?? error.Message}";
        }
    }

    /// <summary>The driver that prepares everything.</summary>
    private sealed class Subject(WaitMode mode, PgDataSource source) : IAsyncDisposable
    {
        private readonly Dictionary<string, PgCommand> _prepared = [];
        private PgConnection? _connection;

        public async Task Open()
        {
            await DisposeAsync();
            _connection = await mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());
            await RunCommand(ChangedNamesProgram.Start, isPrepared: false);
        }

        public async ValueTask DisposeAsync()
        {
            _prepared.Clear();
            if (_connection is not null)
                await mode.Close(_connection);
        }

        public async Task<string> Run(ChangedNamesProgram.Step step)
        {
            switch (step.Way)
            {
                case Way.Batch:
                    return await Outcome(() => RunBatch(step.Texts));
                case Way.Pipeline:
                    return await RunPipeline(step.Texts);
                default:
                    return await Outcome(() => RunCommand(step.Texts[0], step.Way == Way.Prepared));
            }
        }

        private async Task<string> RunCommand(string sql, bool isPrepared)
        {
            PgCommand? command = null;
            if (isPrepared && !_prepared.TryGetValue(sql, out command))
            {
                command = new PgCommand(sql, _connection);
                await mode.Prepare(command);
                _prepared.Add(sql, command);
            }
            await using var reader = await mode.ExecuteReader(command ?? new PgCommand(sql, _connection));
            return await Rows(mode, reader);
        }

        private async Task<string> RunBatch(string[] texts)
        {
            await using var batch = _connection!.CreateBatch();
            foreach (var sql in texts)
                batch.BatchCommands.Add(new PgBatchCommand(sql));
            await using var reader = await mode.Run<DbDataReader>(() => batch.ExecuteReader(), async () => await batch.ExecuteReaderAsync());
            return await Rows(mode, reader);
        }

        private async Task<string> RunPipeline(string[] texts)
        {
            var pipeline = _connection!.CreatePipeline();
            var results = new List<PgPipelineResult<PgDataReader>>();
            foreach (var sql in texts)
            {
                results.Add(pipeline.AddReader(new PgCommand(sql)));
                pipeline.Sync();
            }
            var outcomes = new List<string>();
            foreach (var result in results)
            {
                outcomes.Add(await Outcome(async () =>
                {
                    await using var reader = await mode.Run(result.GetResult, () => result.GetResultAsync());
                    return await Rows(mode, reader);
                }));
            }
            await mode.Dispose(pipeline);
            return string.Join("| ", outcomes);
        }
    }

    /// <summary>The driver that prepares nothing, on a session of its own for each rental.</summary>
    private sealed class Model(string database) : IAsyncDisposable
    {
        private NpgsqlConnection? _connection;

        public async Task Open()
        {
            await DisposeAsync();
            _connection = new NpgsqlConnection($"{database};Pooling=false;Max Auto Prepare=0");
            await _connection.OpenAsync();
            await RunCommand(ChangedNamesProgram.Start);
        }

        public ValueTask DisposeAsync() => _connection?.DisposeAsync() ?? default;

        public async Task<string> Run(ChangedNamesProgram.Step step)
        {
            if (step.Way == Way.Batch)
                return await Outcome(() => RunBatch(step.Texts));
            var outcomes = new List<string>();
            foreach (var sql in step.Texts)
                outcomes.Add(await Outcome(() => RunCommand(sql)));
            return string.Join("| ", outcomes);
        }

        private async Task<string> RunCommand(string sql)
        {
            await using var command = new NpgsqlCommand(sql, _connection);
            await using var reader = await command.ExecuteReaderAsync();
            return await Rows(WaitMode.Async, reader);
        }

        private async Task<string> RunBatch(string[] texts)
        {
            await using var batch = new NpgsqlBatch(_connection);
            foreach (var sql in texts)
                batch.BatchCommands.Add(new NpgsqlBatchCommand(sql));
            await using var reader = await batch.ExecuteReaderAsync();
            return await Rows(WaitMode.Async, reader);
        }
    }
}
