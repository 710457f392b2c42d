namespace Loxo.IntegrationTests.Pipelines;

/// <summary>An advisory lock, held by a connection of its own.</summary>
internal sealed class HeldLock : IAsyncDisposable
{
    private readonly long _key = Random.Shared.NextInt64();
    private readonly PgConnection _holder;
    private readonly PgTransaction _transaction;

    private HeldLock(PgConnection holder, PgTransaction transaction) => (_holder, _transaction) = (holder, transaction);

    /// <summary>The statement that waits for the lock.</summary>
    public string Await => $"SELECT pg_advisory_xact_lock({_key})";

    /// <summary>Takes a new lock.</summary>
    /// <param name="holder">Holds it, and is disposed with it.</param>
    public static async Task<HeldLock> Take(PgConnection holder)
    {
        var held = new HeldLock(holder, await holder.BeginTransactionAsync());
        await using var command = new PgCommand(held.Await, holder);
        await command.ExecuteNonQueryAsync();
        return held;
    }

    /// <summary>Whether another session waits for it.</summary>
    public async Task<bool> IsAwaited()
    {
        await using var command = new PgCommand(
            $"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND (classid::int8 << 32 | objid::int8) = {_key}", _holder);
        return (long)(await command.ExecuteScalarAsync())! > 0;
    }

    /// <summary>Lets those that wait go on.</summary>
    public Task Release() => _transaction.CommitAsync();

    public async ValueTask DisposeAsync()
    {
        await _transaction.DisposeAsync();
        await _holder.DisposeAsync();
    }
}
