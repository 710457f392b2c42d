using Loxo.IntegrationTests.Pool;
using Loxo.Pool;
using Loxo.Protocol;
using Loxo.Session;
using Loxo.Sql;

namespace Loxo.IntegrationTests.Oracles;

/// <summary>
/// Runs texts on the one session of a pool, each in a rental of its own, and compares the state of the session as the next renter and as another
/// session see it. It takes nothing for granted about which texts are plain: it looks at whether a reset was sent.
/// </summary>
/// <param name="mode">The form of the calls.</param>
/// <param name="source">Has one session at most, prepares nothing and resets under Auto.</param>
/// <param name="witness">A connection to the same database outside of the pool. It makes the tables new before each comparison.</param>
internal sealed class SessionOracle(WaitMode mode, PgDataSource source, PgConnection witness)
{
    private const int BatchSize = 25;
    private const int MostFailures = 20;

    // docs/session-reset.md, "What no reset undoes"
    private static readonly string[] NotUndone = ["dblink connection", "temporary replication slot", "replication origin", "isn_weak"];

    private static readonly OracleText Nothing = new("", "", "SELECT 1");

    private readonly HashSet<string> _succeeded = new(StringComparer.Ordinal);
    private readonly HashSet<string> _run = new(StringComparer.Ordinal);
    private string?[] _before = [];
    private int _process;
    private bool? _hasIsn;

    /// <summary>The number of texts after which no reset was sent.</summary>
    public int Plain { get; private set; }

    /// <summary>The number of texts that ran without an error.</summary>
    public int Succeeded { get; private set; }

    /// <summary>The functions of which no text ran without an error.</summary>
    public IEnumerable<string> Failing => _run.Except(_succeeded).Order(StringComparer.Ordinal);

    /// <summary>The number of functions of which some text was run.</summary>
    public int Functions => _run.Count;

    /// <summary>The texts that left something to the next renter.</summary>
    public List<string> Failures { get; } = [];

    /// <summary>Runs the texts.</summary>
    public async Task Run(IEnumerable<OracleText> texts)
    {
        // The driver's verdict decides the order only: a reset would hide what the texts in front of it have left.
        var groups = texts.ToLookup(text => SqlText.Lex(text.Text, true).Statements.ToArray().All(statement => statement.Changes == SqlChanges.None));
        await AssertAutoIsInForce();
        await Renew();
        _run.UnionWith(groups.SelectMany(texts => texts).Select(text => text.Function));
        foreach (var batch in groups[true].Chunk(BatchSize))
            await RunUnreset(batch);
        await AssertAutoIsInForce();
        foreach (var batch in groups[false].Chunk(BatchSize))
            await RunReset(batch);
    }

    /// <summary>Fails unless the driver trusts the database, so that a plain statement is followed by nothing.</summary>
    public async Task AssertAutoIsInForce()
    {
        // The driver asks the database at most once a second, and the answer takes its time.
        for (var round = 0; round < 200; round++)
        {
            if (!await RunOne(Nothing))
                return;
            await Task.Delay(round * 2);
        }
        Assert.Fail("Session Reset=Auto behaves as Always, so that nothing is tested.");
    }

    private async Task RunUnreset(OracleText[] batch)
    {
        var unreset = new List<OracleText>();
        foreach (var text in batch)
        {
            if (!await RunOne(text))
                unreset.Add(text);
        }
        if (unreset.Count < batch.Length)
        {
            // A reset has hidden what the texts in front of it have left: they run again without the text that caused it, on a session
            // without the traces of that text which no reset undoes.
            await Renew();
            await RunUnreset([.. unreset]);
            await RunReset([.. batch.Except(unreset)]);
            return;
        }
        Plain += batch.Length;
        if (await Changes() is { Length: > 0 } changes)
            await Blame(batch, changes);
    }

    private async Task RunReset(OracleText[] batch)
    {
        var isReset = true;
        foreach (var text in batch)
        {
            var wasReset = await RunOne(text);
            isReset &= wasReset;
            Plain += wasReset ? 0 : 1;
        }
        var changes = await Changes();
        if (changes.Any(change => !isReset || !IsNotUndone(change)))
            await Blame(batch, changes);
        else if (changes.Length > 0)
            await Renew();
    }

    private async Task Blame(OracleText[] batch, string[] found)
    {
        var former = Failures.Count;
        var masked = false;
        foreach (var text in batch)
        {
            await Renew();
            var wasReset = await RunOne(text);
            masked |= wasReset;
            var changes = (await Changes()).Where(change => !wasReset || !IsNotUndone(change)).ToArray();
            if (changes.Length > 0)
                Failures.Add($"{text.Function}, {text.Notation}, left {string.Join("; ", changes)}:\n    {text.Text}");
            if (Failures.Count >= MostFailures)
                Assert.Fail($"The next renter finds changes of the session. The first {Failures.Count} texts are:\n{string.Join('\n', Failures)}");
        }
        await Renew();
        if (Failures.Count == former && !masked)
            Failures.Add($"These texts left {string.Join("; ", found)} when they ran one after the other:\n    {string.Join("\n    ", batch.Select(text => text.Text))}");
    }

    private static bool IsNotUndone(string change) => NotUndone.Any(kind => change.Contains(kind, StringComparison.Ordinal));

    /// <returns>Whether the session was reset.</returns>
    private async Task<bool> RunOne(OracleText text)
    {
        var connection = await mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());
        var session = connection.Session!;
        await Execute(connection, text);
        var isMarked = source.Settings.Pool.Reset != SessionReset.Never
            && (session.State == SessionState.Broken || (session.Effects.Changes & ~SessionChanges.Names) != SessionChanges.None);
        // An open transaction is rolled back in any case.
        var isInTransaction = session.TransactionStatus != TransactionStatus.Idle;
        await mode.Close(connection);
        return isMarked || (session.Deferred.IsDue && !isInTransaction);
    }

    private async Task Execute(PgConnection connection, OracleText text)
    {
        await using var command = new PgCommand(text.Text, connection);
        if (text.Parameter is { } parameter)
            command.Parameters.Add(parameter.Clone());
        try
        {
            await mode.ExecuteNonQuery(command);
            Succeeded += ReferenceEquals(text, Nothing) ? 0 : 1;
            _succeeded.Add(text.Function);
        }
        catch (Exception error) when (error is PgException or InvalidOperationException)
        {
            // A text that fails may leave something, too.
        }
    }

    private async Task<string[]> Changes()
    {
        Witness("TRUNCATE t RESTART IDENTITY; INSERT INTO t (a) VALUES ('a'), ('b'), ('c')");
        // First, as a reset follows on the question to the session itself; but not while the server is still at work for the session.
        await RunOne(Nothing);
        var changes = Witness($"SELECT 'seen by another session: ' || mode || ' on ' || concat_ws(' ', classid, objid, objsubid) FROM pg_locks WHERE pid = {_process} AND locktype = 'advisory'");
        changes.AddRange(Witness("SELECT 'seen by another session: temporary relation ' || relname FROM pg_class WHERE relpersistence = 't'"));
        var after = await State();
        if (_process == 0)
            return ["the session has ended"];
        changes.AddRange(SessionFingerprint.Differences(_before, after));
        changes.AddRange(SessionFingerprint.CustomDifferences(after, _before));
        if (_before[^1] != after[^1])
            changes.Add($"isn_weak: {after[^1]}");
        return [.. changes];
    }

    // Another session, whose state is known.
    private async Task Renew()
    {
        source.Clear();
        _process = 0;
        _before = await State();
    }

    // As the next renter sees it. That question is not plain, so that a reset follows.
    private async Task<string?[]> State()
    {
        await using var connection = await mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());
        var process = connection.Session!.ProcessId;
        _process = _process == 0 || _process == process ? process : 0;
        await using var command = new PgCommand(SessionFingerprint.Query([OracleArguments.CustomSetting]), connection);
        var state = new List<string?>();
        await using (var reader = await mode.ExecuteReader(command))
        {
            await mode.Read(reader);
            for (var i = 0; i < reader.FieldCount; i++)
                state.Add(reader.IsDBNull(i) ? null : reader.GetString(i));
        }
        _hasIsn ??= Witness("SELECT 'isn' FROM pg_proc WHERE proname = 'isn_weak'").Count > 0;
        await using var weak = new PgCommand(_hasIsn.Value ? "SELECT isn_weak()::text" : "SELECT NULL::text", connection);
        state.Add(await mode.ExecuteScalar(weak) as string);
        return [.. state];
    }

    private List<string> Witness(string sql)
    {
        using var command = new PgCommand(sql, witness);
        using var reader = command.ExecuteReader();
        var lines = new List<string>();
        while (reader.Read())
            lines.Add(reader.GetString(0));
        return lines;
    }
}
