using System.Collections.Concurrent;
using System.Data.Common;

namespace Loxo.Pooling.Data.Tests;

/// <summary>Notes what is asked of it.</summary>
internal sealed class RecordingPolicy : PooledConnectionPolicy
{
    public ConcurrentQueue<string> Calls { get; } = [];

    public ConcurrentQueue<CloseReason> ClosedFor { get; } = [];

    public int AbandonedCount { get; private set; }

    /// <summary>Whether resetting fails.</summary>
    public bool RefusesToReset { get; set; }

    public override void Open(DbConnection connection, TimeSpan timeLeft)
    {
        Calls.Enqueue("Open");
        base.Open(connection, timeLeft);
    }

    public override ValueTask OpenAsync(DbConnection connection, TimeSpan timeLeft, CancellationToken token)
    {
        Calls.Enqueue("OpenAsync");
        return base.OpenAsync(connection, timeLeft, token);
    }

    public override bool IsUsable(DbConnection connection, TimeSpan idle, TimeSpan timeLeft)
    {
        Calls.Enqueue("IsUsable");
        return base.IsUsable(connection, idle, timeLeft);
    }

    public override ValueTask<bool> IsUsableAsync(DbConnection connection, TimeSpan idle, TimeSpan timeLeft, CancellationToken token)
    {
        Calls.Enqueue("IsUsableAsync");
        return base.IsUsableAsync(connection, idle, timeLeft, token);
    }

    public override bool Reset(DbConnection connection, DbTransaction? transaction)
    {
        Calls.Enqueue("Reset");
        return base.Reset(connection, transaction) && !RefusesToReset;
    }

    public override async ValueTask<bool> ResetAsync(DbConnection connection, DbTransaction? transaction)
    {
        Calls.Enqueue("ResetAsync");
        return await base.ResetAsync(connection, transaction) && !RefusesToReset;
    }

    public override void Close(DbConnection connection)
    {
        Calls.Enqueue("Close");
        base.Close(connection);
    }

    public override ValueTask CloseAsync(DbConnection connection)
    {
        Calls.Enqueue("CloseAsync");
        return base.CloseAsync(connection);
    }

    public override void Closed(DbConnection connection, CloseReason reason) => ClosedFor.Enqueue(reason);

    public override void Abandoned(DbConnection connection, RentalInfo info) => AbandonedCount++;
}
