using System.Data;
using Loxo.Pool;
using Loxo.Transport;

namespace Loxo.IntegrationTests.Exactness;

/// <summary>
/// A session is recorded and played again with one message of the server dropped, doubled, swapped with the next, replaced or preceded by one
/// of any other type. The caller gets the data that was recorded, or a <see cref="PgException"/> and a session that nobody gets any more; and
/// the next renter gets his own data.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public class MutatedStreamTests(WaitMode mode)
{
    private const string Canary = "SELECT 'canary ' || 1";

    // There is nothing more to be learnt.
    private const string Skipped = "skipped";

    private string _database = "";

    private static IEnumerable<RecordedSession> Sessions => RecordedSession.All;

    private string ConnectionString => new PgConnectionStringBuilder(TestServer.Default.ConnectionString)
    {
        Database = _database,
        SslMode = SslMode.Disable,
        MaxPoolSize = 1,
        SessionReset = SessionReset.Always,
    }.ConnectionString;

    [OneTimeSetUp]
    public async Task CreateDatabase()
    {
        _database = $"mutated_{Environment.ProcessId}_{mode}".ToLowerInvariant();
        await Aside(TestServer.Default.ConnectionString, $"CREATE DATABASE {_database}");
        await Aside(ConnectionString, RecordedSession.Schema);
    }

    [OneTimeTearDown]
    public Task DropDatabase() => Aside(TestServer.Default.ConnectionString, $"DROP DATABASE {_database} WITH (FORCE)");

    [Test]
    public async Task A_broken_stream_never_becomes_wrong_data([ValueSource(nameof(Sessions))] object session) => await Break((RecordedSession)session);

    private async Task Break(RecordedSession session)
    {
        var (expected, messages, last) = await Record(session);
        if (session.ReadsRowsBeforeError)
            Assert.That(messages.GroupBy(message => message.After).Any(answer => answer.All(message => message.Type == 'Z')), Is.True, "a Sync settled the cancel");
        Assert.That(await Failure(session, expected, messages, messages, null), Is.Null, "played as it was recorded");
        var failures = new List<string>();
        var runs = 0;
        // Login and reset are the same in all of them.
        var first = session == RecordedSession.All[0] ? 0 : messages.FindIndex(message => message.After == 2);
        var end = session.HasOwnReset ? last : messages.FindIndex(message => message.After == messages[last - 1].After);
        foreach (var mutation in Mutation.All(messages, first, end))
        {
            runs++;
            if (Excuse.For(session, messages, mutation) is null && await Failure(session, expected, messages, mutation.Apply(messages), mutation) is { } failure)
                failures.Add($"{Show(messages, mutation)}: {failure}");
        }
        ProofTest.AssertNone(failures, runs);
    }

    // What the steps read, what the server said, and how many messages of it came before those to the next renter's own statement.
    private async Task<(string[] Steps, List<ServerMessage> Messages, int Last)> Record(RecordedSession session)
    {
        var dialer = new RecordingDialer(new SocketDialer(TimeProvider.System));
        await using var source = Source(dialer, session);
        var executor = new Executor(mode);
        var results = new List<string>();
        await using (var connection = await Rent(source))
        {
            foreach (var step in session.Steps)
                results.Add((await Result(step, connection, executor)).Text);
        }
        await using (var next = await Rent(source))
            Assert.That(await Value(next), Is.EqualTo("canary 1"));
        var canary = dialer.Messages[^1].After;
        return ([.. results], dialer.Messages, dialer.Messages.FindIndex(message => message.After == canary));
    }

    // Null if all is well.
    private async Task<string?> Failure(
        RecordedSession session, string[] expected, List<ServerMessage> recorded, List<ServerMessage> messages, Mutation? mutation)
    {
        // Whoever connects again finds a server that knows nothing but the next renter's statement.
        List<ServerMessage> fresh = [.. recorded.Where(message => message.After == 1), .. recorded.Where(message => message.After == recorded[^1].After).Select(message => message with { After = 2 })];
        var dialer = new ReplayDialer(messages, fresh);
        await using var source = Source(dialer, session);
        try
        {
            if (await Use(session, expected, source, mutation) is { } failure)
                return failure == Skipped ? null : failure;
        }
        catch (Exception error)
        {
            return $"{error.GetType().Name}: {error.Message}";
        }
        return await UseNext(source, mutation);
    }

    // The steps of the first renter.
    private async Task<string?> Use(RecordedSession session, string[] expected, PgDataSource source, Mutation? mutation)
    {
        PgConnection connection;
        try
        {
            connection = await Rent(source);
        }
        catch (PgException)
        {
            return null;
        }
        await using (connection)
        {
            var executor = new Executor(mode);
            for (var i = 0; i < expected.Length; i++)
            {
                var (result, isError) = await Result(session.Steps[i], connection, executor);
                if (result == expected[i])
                    continue;
                if (isError && mutation is not null && connection.State == ConnectionState.Closed)
                    return null;
                if (!isError || mutation?.Sample != 'E' || result != "error XX111")
                    return $"step {i} read {result} for {expected[i]}";
                // An error is one more answer where the server could have sent it. What the client asks for from here on is not what was recorded.
                return i == expected.Length - 1 ? null : Skipped;
            }
        }
        return null;
    }

    private async Task<string?> UseNext(PgDataSource source, Mutation? mutation)
    {
        try
        {
            await using var connection = await Rent(source);
            var value = await Value(connection);
            return Equals(value, "canary 1") ? null : $"the next renter read {value}";
        }
        catch (PgException error)
        {
            // An error in the answer to the reset, or behind the last answer, is met by the next renter.
            return mutation is null ? $"the next renter got {error.Message}" : null;
        }
        catch (Exception error)
        {
            return $"the next renter got {error.GetType().Name}: {error.Message}";
        }
    }

    // What a step read, or the error that it met; of several errors, the first.
    private static async Task<(string Text, bool IsError)> Result(RecordedSession.Step step, PgConnection connection, Executor executor)
    {
        try
        {
            return (await step(connection, executor), false);
        }
        catch (PgException error)
        {
            return ($"error {(ProofTest.First(error) is PostgresException own ? own.SqlState : error.Message)}", true);
        }
        catch (Exception error) when (error is InvalidOperationException or OperationCanceledException or ArgumentException && connection.State == ConnectionState.Closed)
        {
            // A transaction whose connection is gone is over; a command that was cancelled says so even if the connection was lost meanwhile;
            // a COPY in the other direction is the caller's mistake, as far as anybody can tell.
            return ($"error {error.Message}", true);
        }
    }

    internal static string Show(List<ServerMessage> messages, Mutation mutation)
    {
        var group = messages[mutation.At].After;
        var types = messages.Select((message, at) => (message, at)).Where(pair => pair.message.After == group)
            .Select(pair => pair.at == mutation.At ? $"[{pair.message.Type}]" : $"{pair.message.Type}");
        return $"{mutation.Kind} {mutation.Sample} in request {group}: {string.Concat(types)}".Replace("\0 ", "", StringComparison.Ordinal);
    }

    private PgDataSource Source(Dialer dialer, RecordedSession session)
    {
        var builder = new PgDataSourceBuilder(ConnectionString);
        if (session.IsBehindPooler)
            builder.ConnectionStringBuilder.Pooler = Pooler.Transaction;
        var source = new PgDataSource(builder.Build().Settings, dialer: dialer);
        AnswerAudit(source, _database);
        return source;
    }

    /// <summary>
    /// The pool asks every nine minutes what the functions of a database may do, and 30 seconds after a question that failed. One has failed
    /// just now, so that no recording holds a question that is not asked when it is played; the answer is set instead.
    /// </summary>
    internal static void AnswerAudit(PgDataSource source, string name)
    {
        var database = AuditedDatabase.Of(source.Settings.Transport.Host.ToString(), name);
        database.Abandon();
        if (database.TryBegin(out var question))
            database.Fail(question);
        source.Context.Database.HidesNothing = static _ => true;
    }

    private Task<PgConnection> Rent(PgDataSource source) => mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());

    private async Task<object?> Value(PgConnection connection)
    {
        await using var command = new PgCommand(Canary, connection);
        return await mode.ExecuteScalar(command);
    }

    private static async Task Aside(string connectionString, string sql)
    {
        await using var connection = new PgConnection(connectionString + ";Pooling=false");
        await connection.OpenAsync();
        await using var command = new PgCommand(sql, connection);
        await command.ExecuteNonQueryAsync();
    }
}

/// <summary>Changes that no client can notice, each with the reason.</summary>
/// <remarks>
/// Three more need no excuse here, since the test itself accepts them: a notice, notification or ParameterStatus may come at any time and changes
/// no data; NoData in place of the RowDescription of a result without rows, or the reverse, reads the same; an ErrorResponse where the server
/// could have sent one is an answer like any other, so the caller gets it as an error and may keep the session.
/// </remarks>
internal static class Excuse
{
    /// <summary>The reason, or null if the change must be noticed or do no harm.</summary>
    public static string? For(RecordedSession session, List<ServerMessage> messages, Mutation mutation)
    {
        var type = messages[mutation.At].Type;
        return mutation switch
        {
            { Kind: Mutation.Change.SwapWithNext } when type is 'D' or 'd' && messages[mutation.At + 1].Type == type =>
                "Two rows of one result in the other order are a result like any other.",
            { Sample: 'C' } when session.IsPipeline && messages.FindLast(other => other.After == messages[mutation.At].After)!.Type != 'Z' =>
                "Where no ReadyForQuery follows, a result ends with the first tag that counts its rows.",
            _ when session.ReadsTextOfCopy && (type == 'd' || mutation.Sample == 'd') => "The text of a COPY is the caller's: its lines are not counted.",
            _ when session.HasUncountedRows && (type == 'D' || mutation.Sample == 'D' || (type == 'C' && messages[Math.Max(0, mutation.At - 1)].Type == 'D')) =>
                "SHOW and EXPLAIN have tags without a count.",
            _ when session.ReadsRowsBeforeError && (type == 'D' || mutation.Sample == 'D') && messages.Exists(other => other.After == messages[mutation.At].After && other.Type == 'E') =>
                "A statement that fails has no tag that counts the rows in front of its error.",
            _ => null,
        };
    }
}
