using System.Data;

namespace Loxo.Tests.Wire;

/// <summary>A test against a scripted server, in one of the two wait modes.</summary>
public abstract class WireTest(WaitMode mode)
{
    private PgConnection? _connection;
    private ScriptedServer? _server;

    protected WaitMode Mode { get; } = mode;

    private protected ScriptedServer Server => _server ??= new ScriptedServer();

    /// <summary>The connection that <see cref="Open"/> opened.</summary>
    protected PgConnection Connection => _connection!;

    [TearDown]
    public void FinishScript()
    {
        _connection?.Dispose();
        _connection = null;
        try
        {
            _server?.Finish();
        }
        finally
        {
            _server?.Dispose();
            _server = null;
        }
    }

    private protected void Play(Action<ScriptedPeer> script) => Server.Play(script);

    /// <summary>Starts again with a fresh server, for tests that try many cases.</summary>
    protected void StartOver()
    {
        FinishScript();
    }

    protected async Task Open(string more = "")
    {
        _connection = Server.DataSource(more).CreateConnection();
        await Mode.Open(_connection);
    }

    protected PgCommand Command(string sql = "SELECT 1") => new(sql, Connection);

    protected Task<object?> Scalar(string sql = "SELECT 1", CancellationToken token = default) => Mode.ExecuteScalar(Command(sql), token);

    protected Task<int> Execute(string sql = "DO IT", CancellationToken token = default) => Mode.ExecuteNonQuery(Command(sql), token);

    /// <summary>All rows of all results.</summary>
    protected async Task<List<int>> Rows(string sql = "SELECT 1")
    {
        await using var reader = await Mode.ExecuteReader(Command(sql));
        var values = new List<int>();
        do
        {
            while (await Mode.Read(reader))
                values.Add(reader.GetInt32(0));
        }
        while (await Mode.NextResult(reader));
        await Mode.Close(reader);
        return values;
    }

    /// <summary>Fails unless the next command works; the script must answer it by AnswerCommand.</summary>
    protected async Task AssertUsable(int value = 42)
    {
        Assert.That(Connection.State, Is.EqualTo(ConnectionState.Open));
        Assert.That(await Scalar(), Is.EqualTo(value));
    }

    protected static async Task<T> Catch<T>(Func<Task> action)
        where T : Exception
    {
        try
        {
            await action();
        }
        catch (T expected) when (expected.GetType() == typeof(T) || typeof(T) == typeof(OperationCanceledException))
        {
            return expected;
        }
        throw new AssertionException($"Expected {typeof(T).Name}, but nothing was thrown.");
    }
}
