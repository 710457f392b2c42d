using Loxo.Benchmarks.Canned;
using Npgsql;
using NpgsqlTypes;

namespace Loxo.Benchmarks.Peers.Drivers;

/// <summary>Rows of int8, text, timestamptz and float8, copied to the canned server, which has no catalogue and counts bytes.</summary>
internal sealed class LoxoCopyIn : IPeer
{
    private readonly PgConnection _connection;

    public LoxoCopyIn(Target target)
    {
        _connection = new PgConnection(target.With("Server Compatibility Mode=NoTypeLoading;Pooling=false"));
        _connection.Open();
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            using var importer = _connection.BeginBinaryImport(CannedData.Copy);
            foreach (var value in CannedData.Values)
            {
                importer.StartRow();
                importer.Write((long)value.Number);
                importer.Write(value.Name);
                importer.Write(value.At);
                importer.Write(value.Number / 4.0);
            }
            sum += (long)importer.Complete();
        }
        return sum;
    }

    public async Task<long> RunAsync(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            await using var importer = await _connection.BeginBinaryImportAsync(CannedData.Copy);
            foreach (var value in CannedData.Values)
            {
                await importer.StartRowAsync();
                await importer.WriteAsync((long)value.Number);
                await importer.WriteAsync(value.Name);
                await importer.WriteAsync(value.At);
                await importer.WriteAsync(value.Number / 4.0);
            }
            sum += (long)await importer.CompleteAsync();
        }
        return sum;
    }

    public void Dispose() => _connection.Dispose();
}

/// <inheritdoc cref="LoxoCopyIn"/>
internal sealed class NpgsqlCopyIn : IPeer
{
    private readonly NpgsqlConnection _connection;

    public NpgsqlCopyIn(Target target)
    {
        _connection = new NpgsqlConnection(target.With("Server Compatibility Mode=NoTypeLoading;Pooling=false"));
        _connection.Open();
    }

    public long Run(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            using var importer = _connection.BeginBinaryImport(CannedData.Copy);
            foreach (var value in CannedData.Values)
            {
                importer.StartRow();
                importer.Write((long)value.Number, NpgsqlDbType.Bigint);
                importer.Write(value.Name, NpgsqlDbType.Text);
                importer.Write(value.At, NpgsqlDbType.TimestampTz);
                importer.Write(value.Number / 4.0, NpgsqlDbType.Double);
            }
            sum += (long)importer.Complete();
        }
        return sum;
    }

    public async Task<long> RunAsync(int times)
    {
        long sum = 0;
        for (var i = 0; i < times; i++)
        {
            await using var importer = await _connection.BeginBinaryImportAsync(CannedData.Copy);
            foreach (var value in CannedData.Values)
            {
                await importer.StartRowAsync();
                await importer.WriteAsync((long)value.Number, NpgsqlDbType.Bigint);
                await importer.WriteAsync(value.Name, NpgsqlDbType.Text);
                await importer.WriteAsync(value.At, NpgsqlDbType.TimestampTz);
                await importer.WriteAsync(value.Number / 4.0, NpgsqlDbType.Double);
            }
            sum += (long)await importer.CompleteAsync();
        }
        return sum;
    }

    public void Dispose() => _connection.Dispose();
}
