using NpgsqlMessages = Npgsql.Replication.PgOutput.Messages;
using NpgsqlOutput = Npgsql.Replication.PgOutput;
using NpgsqlReplication = Npgsql.Replication;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>The changes of a transaction, to the end of the replication; each on a new connection, as Npgsql cannot start a second one.</summary>
internal sealed class LoxoChanges(Target target) : IPeer
{
    private readonly string _settings = target.With("Server Compatibility Mode=NoTypeLoading");

    public long Run(int times) => RunAsync(times).GetAwaiter().GetResult();

    public async Task<long> RunAsync(int times)
    {
        var sum = 0L;
        var options = new PgOutputReplicationOptions("canned", PgOutputProtocolVersion.V1, binary: true);
        for (var i = 0; i < times; i++)
        {
            var connection = new LogicalReplicationConnection(_settings);
            await using var closing = connection.ConfigureAwait(false);
            await connection.Open().ConfigureAwait(false);
            var messages = PgOutputConnectionExtensions.StartReplication(
                connection, new PgOutputReplicationSlot("canned"), options, CancellationToken.None);
            await foreach (var message in messages.ConfigureAwait(false))
            {
                if (message is InsertMessage insert)
                    sum += await SumAsync(insert.NewRow).ConfigureAwait(false);
            }
        }
        return sum;
    }

    public void Dispose()
    {
    }

    private static async ValueTask<long> SumAsync(ReplicationTuple row)
    {
        var (sum, column) = (0L, 0);
        await foreach (var value in row.ConfigureAwait(false))
        {
            sum += column++ switch
            {
                0 => await value.Get<long>().ConfigureAwait(false),
                1 => (await value.Get<string>().ConfigureAwait(false)).Length,
                2 => (await value.Get<DateTime>().ConfigureAwait(false)).Ticks,
                _ => (long)await value.Get<double>().ConfigureAwait(false),
            };
        }
        return sum;
    }
}

/// <summary>The same by the same code.</summary>
internal sealed class NpgsqlChanges(Target target) : IPeer
{
    private readonly string _settings = target.With("Server Compatibility Mode=NoTypeLoading");

    public long Run(int times) => RunAsync(times).GetAwaiter().GetResult();

    public async Task<long> RunAsync(int times)
    {
        var sum = 0L;
        var options = new NpgsqlOutput.PgOutputReplicationOptions("canned", NpgsqlOutput.PgOutputProtocolVersion.V1, binary: true);
        for (var i = 0; i < times; i++)
        {
            var connection = new NpgsqlReplication.LogicalReplicationConnection(_settings);
            await using var closing = connection.ConfigureAwait(false);
            await connection.Open().ConfigureAwait(false);
            var messages = NpgsqlReplication.PgOutputConnectionExtensions.StartReplication(
                connection, new NpgsqlOutput.PgOutputReplicationSlot("canned"), options, CancellationToken.None);
            await foreach (var message in messages.ConfigureAwait(false))
            {
                // It does not know the end of a replication by the server.
                if (message is NpgsqlMessages.CommitMessage)
                    break;
                if (message is NpgsqlMessages.InsertMessage insert)
                    sum += await SumAsync(insert.NewRow).ConfigureAwait(false);
            }
        }
        return sum;
    }

    public void Dispose()
    {
    }

    private static async ValueTask<long> SumAsync(NpgsqlOutput.ReplicationTuple row)
    {
        var (sum, column) = (0L, 0);
        await foreach (var value in row.ConfigureAwait(false))
        {
            sum += column++ switch
            {
                0 => await value.Get<long>().ConfigureAwait(false),
                1 => (await value.Get<string>().ConfigureAwait(false)).Length,
                2 => (await value.Get<DateTime>().ConfigureAwait(false)).Ticks,
                _ => (long)await value.Get<double>().ConfigureAwait(false),
            };
        }
        return sum;
    }
}
