using System.Data;

namespace Loxo.Conformance.BadInput;

/// <summary>An object in one of its states, and the connection that must be usable, or closed, whatever is called.</summary>
internal sealed class Subject(object instance, PgConnection? connection = null, params object?[] others) : IAsyncDisposable
{
    public object Instance { get; } = instance;

    public PgConnection? Connection { get; } = connection;

    /// <summary>What is wrong with the connection after a call; null if it can be used, or says that it is closed.</summary>
    public async Task<string?> Examine()
    {
        if (Connection is null)
            return null;
        if ((Connection.FullState & ConnectionState.Broken) != 0)
            return "it broke the connection";
        foreach (var other in others.Append(Instance))
        {
            if (other is IAsyncDisposable busy and not PgConnection)
                await Quietly(busy.DisposeAsync);
        }
        if (Connection.State != ConnectionState.Open)
            return null;
        try
        {
            await using var command = new PgCommand("SELECT 42", Connection);
            return await command.ExecuteScalarAsync() is 42 ? null : "the connection answers wrongly";
        }
        catch (Exception e)
        {
            return $"the connection is open and cannot be used: {e.GetType().Name}: {e.Message}";
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var other in others.Append(Instance).Append(Connection))
        {
            if (other is IAsyncDisposable asynchronous)
                await Quietly(asynchronous.DisposeAsync);
            else if (other is IDisposable disposable)
                disposable.Dispose();
        }
    }

    // A reader may report the error of a statement that was not read, and a writer text that is none; that is no matter here.
    private static async Task Quietly(Func<ValueTask> dispose)
    {
        try
        {
            await dispose();
        }
        catch (Exception e) when (e is PgException or InvalidOperationException or OperationCanceledException or System.Text.EncoderFallbackException)
        {
        }
    }
}
