using System.Data;
using Loxo.Protocol;
using Loxo.Session;

namespace Loxo.Commands;

/// <summary>The server's functions for large objects, on one connection (manual, "Server-Side Functions" of "Large Objects").</summary>
internal sealed class LargeObjectFunctions(PgConnection connection)
{
    /// <summary>INV_READ (libpq-fs.h).</summary>
    public const int Read = 0x40000;

    /// <summary>INV_READ and INV_WRITE.</summary>
    public const int ReadWrite = Read | 0x20000;

    /// <summary>Opens a large object, blocking, and returns its descriptor.</summary>
    public int Open(uint oid, int mode)
    {
        CheckTransaction();
        return Call<int>("lo_open", Arg.Oid(oid), Arg.Int(mode));
    }

    /// <inheritdoc cref="Open"/>
    public Task<int> OpenAsync(uint oid, int mode, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<int>(token);
        CheckTransaction();
        return CallAsync<int>("lo_open", token, Arg.Oid(oid), Arg.Int(mode));
    }

    /// <summary>Calls a function, blocking.</summary>
    public T Call<T>(string function, params ReadOnlySpan<PgParameter> arguments)
    {
        using var command = Command(function, arguments);
        return (T)command.ExecuteScalar()!;
    }

    /// <inheritdoc cref="Call"/>
    public Task<T> CallAsync<T>(string function, CancellationToken token, params ReadOnlySpan<PgParameter> arguments) =>
        ScalarAsync<T>(Command(function, arguments), token);

    /// <summary>Reads from an open large object, blocking. Fewer bytes come at its end only.</summary>
    public int ReadInto(int descriptor, Span<byte> buffer)
    {
        using var command = Command("loread", [Arg.Int(descriptor), Arg.Int(buffer.Length)]);
        using var reader = command.ExecuteReader(CommandBehavior.SingleRow);
        reader.Read();
        return Copy(reader, buffer);
    }

    /// <inheritdoc cref="ReadInto"/>
    public async ValueTask<int> ReadIntoAsync(int descriptor, Memory<byte> buffer, CancellationToken token)
    {
        var command = Command("loread", [Arg.Int(descriptor), Arg.Int(buffer.Length)]);
        var reader = await command.ExecuteReaderAsync(CommandBehavior.SingleRow, token).ConfigureAwait(false);
        await using (reader.ConfigureAwait(false))
        {
            await reader.ReadAsync(token).ConfigureAwait(false);
            return Copy(reader, buffer.Span);
        }
    }

    /// <summary>The large objects of the connection's transaction; null if it has opened none.</summary>
    public OpenLargeObjects? OfTransaction => connection.Session?.LargeObjects;

    /// <summary>Whether the server still has the open large object. It has closed those of a failed transaction.</summary>
    public bool MustClose => connection.Session is
    {
        State: not SessionState.Broken,
        TransactionStatus: TransactionStatus.InTransaction,
        LargeObjects.MayBeClosed: false,
    };

    /// <summary>Notes that a large object was opened.</summary>
    /// <returns>Those of its transaction; null if the transaction has ended meanwhile.</returns>
    public OpenLargeObjects? Opened(int descriptor, PgLargeObjectStream stream)
    {
        if (connection.Session is not { TransactionStatus: TransactionStatus.InTransaction } session)
            return null;
        var open = session.LargeObjects ??= new OpenLargeObjects();
        open.Add(descriptor, stream);
        return open;
    }

    // The descriptor would be closed with the statement's own transaction.
    private void CheckTransaction()
    {
        if (connection.OpenSession() is { PendingBegin: null, TransactionStatus: TransactionStatus.Idle })
            throw new InvalidOperationException(
                "A large object is opened, read and written in a transaction: call BeginTransaction first.");
    }

    private static int Copy(PgDataReader reader, Span<byte> buffer)
    {
        reader.Exchange.Rows.TryGet(0, out var bytes);
        bytes.CopyTo(buffer);
        return bytes.Length;
    }

    private static async Task<T> ScalarAsync<T>(PgCommand command, CancellationToken token) =>
        (T)(await command.ExecuteScalarAsync(token).ConfigureAwait(false))!;

    private PgCommand Command(string function, ReadOnlySpan<PgParameter> arguments)
    {
        var places = string.Join(", ", Enumerable.Range(1, arguments.Length).Select(static number => $"${number}"));
        var command = new PgCommand($"SELECT pg_catalog.{function}({places})", connection);
        foreach (var argument in arguments)
            command.Parameters.Add(argument);
        return command;
    }
}

/// <summary>Arguments of these functions.</summary>
internal static class Arg
{
    public static PgParameter Oid(uint value) => new PgParameter<uint> { TypedValue = value, PgDbType = PgDbType.Oid };

    public static PgParameter Int(int value) => new PgParameter<int> { TypedValue = value };

    public static PgParameter Long(long value) => new PgParameter<long> { TypedValue = value };

    public static PgParameter Text(string value) => new PgParameter<string> { TypedValue = value, PgDbType = PgDbType.Text };

    public static PgParameter Bytes(ReadOnlyMemory<byte> value) =>
        new PgParameter<ReadOnlyMemory<byte>> { TypedValue = value, PgDbType = PgDbType.Bytea };
}
