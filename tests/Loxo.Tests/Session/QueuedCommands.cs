using System.Buffers.Binary;
using Loxo.IntegrationTests;
using Loxo.Protocol;
using Loxo.Session;

namespace Loxo.Tests.Session;

/// <summary>The commands of a queue as tests use them: statements without parameters, whose results have one int4 column.</summary>
internal sealed class QueuedCommands(CommandQueue queue, WaitMode mode, ResultMode usual)
{
    public CommandQueue Queue => queue;

    /// <summary>Claims the connection's session for a queue.</summary>
    /// <param name="connection">An open one.</param>
    /// <param name="mode">How callers wait.</param>
    /// <param name="keepsOrder">Whether a command may depend on those before it.</param>
    /// <param name="mostCollected">The number of bytes of rows that a command collects ahead of its reader.</param>
    /// <param name="collects">Whether commands collect their rows; otherwise they stop at each until it is read.</param>
    public static QueuedCommands On(
        PgConnection connection, WaitMode mode, bool keepsOrder = true, int mostCollected = 1024 * 1024, bool collects = true)
    {
        var session = connection.Session!;
        session.Claim(connection);
        return new(new CommandQueue(session, keepsOrder) { MostCollected = mostCollected }, mode, collects ? ResultMode.Collect : ResultMode.Rows);
    }

    /// <summary>Queues a statement by its text.</summary>
    public CommandExchange Add(string sql, ResultMode? results = null, bool endsGroup = true) =>
        queue.TryAdd(new Text(sql), results ?? usual, endsGroup) ?? throw new AssertionException("It was not written.");

    /// <summary>Queues a statement by its name; it is prepared with its first use.</summary>
    public CommandExchange AddPrepared(string sql, ResultMode? results = null, bool endsGroup = true) =>
        queue.TryAdd(new Prepared(sql), results ?? usual, endsGroup) ?? throw new AssertionException("It was not written.");

    /// <summary>Reads all rows, as a caller of its own: on its own thread if it blocks.</summary>
    public Task<List<int>> Read(CommandExchange exchange, CancellationToken token = default, int timeout = Timeout.Infinite) => mode == WaitMode.Blocking
        ? Task.Factory.StartNew(() => ReadBlocking(exchange, token, timeout), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)
        : ReadAsync(exchange, token, timeout);

    /// <summary>Pumps the exchange to its next stop.</summary>
    public Task<Progress> Pump(CommandExchange exchange) => mode == WaitMode.Blocking
        ? Task.Factory.StartNew(() => queue.Pump(exchange, Timeout.Infinite), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)
        : queue.PumpAsync(exchange, Timeout.Infinite, CancellationToken.None).AsTask();

    public Task End() => mode == WaitMode.Blocking
        ? Task.Factory.StartNew(() => queue.End(Timeout.Infinite), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)
        : queue.EndAsync(Timeout.Infinite).AsTask();

    /// <summary>Takes the row at which the exchange has stopped, and those behind it that have arrived.</summary>
    public static void TakeRows(CommandExchange exchange, List<int> values)
    {
        while (exchange.Rows.TryTake())
        {
            exchange.Rows.TryGet(0, out var value);
            values.Add(BinaryPrimitives.ReadInt32BigEndian(value));
        }
    }

    private List<int> ReadBlocking(CommandExchange exchange, CancellationToken token, int timeout)
    {
        using var cancelled = token.Register(() => queue.GiveUp(exchange, StopReason.Cancel));
        var values = new List<int>();
        while (Take(exchange, queue.Pump(exchange, timeout), values))
        {
        }
        return values;
    }

    private async Task<List<int>> ReadAsync(CommandExchange exchange, CancellationToken token, int timeout)
    {
        var values = new List<int>();
        while (Take(exchange, await queue.PumpAsync(exchange, timeout, token), values))
        {
        }
        return values;
    }

    private bool Take(CommandExchange exchange, Progress progress, List<int> values)
    {
        if (progress == Progress.Row)
        {
            exchange.Rows.Start(exchange.Result!.Shape!.Count, hasRows: true);
            TakeRows(exchange, values);
        }
        if (progress != Progress.Done)
            return true;
        if (exchange.Query.Error is { } error)
            throw new PostgresException(error, includeDetail: false);
        return false;
    }

    private sealed class Text(string sql) : IStatementSource
    {
        public void Write(CommandExchange exchange) => exchange.Query.Add(sql, [], NoValues.Instance, []);
    }

    private sealed class Prepared(string sql) : IStatementSource
    {
        public void Write(CommandExchange exchange) => exchange.Query.Add(
            exchange.Session.Statements.Use(sql, [], exchange.Query.Number, atOnce: true)!, NoValues.Instance, []);
    }

    private sealed class NoValues : IParameterValues
    {
        public static readonly NoValues Instance = new();

        public int Count => 0;

        public FormatCode Format(int index) => throw new InvalidOperationException();

        public void Write(int index, MessageWriter writer) => throw new InvalidOperationException();
    }
}
