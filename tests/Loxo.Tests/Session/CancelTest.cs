using Loxo.Tests.Wire;

namespace Loxo.Tests.Session;

/// <summary>A test with a command that can be cancelled, in the way of its mode: by token or by calling Cancel.</summary>
public abstract class CancelTest(WaitMode mode) : WireTest(mode)
{
    private CancellationTokenSource _source = new();

    private PgCommand? _running;

    [SetUp]
    public void FreshToken() => _source = new CancellationTokenSource();

    private protected static void AnswerAfterSync(ScriptedPeer server)
    {
        server.Expect<Sync>();
        server.Send.ReadyForQuery();
        server.AnswerCommand();
    }

    protected Task<int> Run()
    {
        _running = Command("DO");
        return Mode.ExecuteNonQuery(_running, _source.Token);
    }

    protected void Cancel()
    {
        if (Mode == WaitMode.Async)
            _source.Cancel();
        else
            _running!.Cancel();
    }

    /// <summary>The command that <see cref="Run"/> ran.</summary>
    protected PgCommand Running => _running!;
}
