using Loxo.IntegrationTests.Types;

namespace Loxo.IntegrationTests.Chaos;

/// <summary>How a program ends.</summary>
public enum Ending
{
    /// <summary>Main returns.</summary>
    Return,

    /// <summary>The main thread calls Environment.Exit.</summary>
    Exit,

    /// <summary>Code behind an awaited command calls it, on whatever thread that goes on.</summary>
    ExitBehindAwait,

    /// <summary>Code behind an awaited command throws, and nobody catches it.</summary>
    Throw,
}

/// <summary>The process of <see cref="ProcessExitTests"/>. It disposes nothing, and everything that may hold a thread is under way when it ends.</summary>
internal static class EndingProgram
{
    public const int ExitCode = 7;

    public static async Task<int> Main(string[] arguments)
    {
        if (arguments.Length == 0)
            return 0;
        if (arguments[0] == NativeProgram.Name)
            return await NativeProgram.Run(arguments[1], Enum.Parse<WaitMode>(arguments[2]));
        var source = PgDataSource.Create(arguments[0]);
        var mode = Enum.Parse<WaitMode>(arguments[1]);
        await Use(source, mode);
        BeginToWait(source, mode);
        Console.WriteLine("ready");
        switch (Enum.Parse<Ending>(arguments[2]))
        {
            case Ending.Return:
                return ExitCode;
            case Ending.Exit:
                Environment.Exit(ExitCode);
                break;
            case Ending.ExitBehindAwait:
                RunBehindAwait(source, () => Environment.Exit(ExitCode));
                break;
            case Ending.Throw:
                RunBehindAwait(source, () => throw new InvalidOperationException("Nobody catches this."));
                break;
        }
        Thread.Sleep(Timeout.Infinite);
        return 0;
    }

    // Sessions that are idle afterwards, and lanes where they are wanted.
    private static async Task Use(PgDataSource source, WaitMode mode)
    {
        await using var first = await source.OpenConnectionAsync();
        await using var second = await source.OpenConnectionAsync();
        foreach (var connection in new[] { first, second })
            await mode.ExecuteScalar(new PgCommand("SELECT 1", connection));
        while (source.GetLaneStatistics() is { Lanes.Count: 0 })
        {
            await mode.ExecuteScalar(source.CreateCommand("SELECT 1"));
            await Task.Delay(10);
        }
    }

    // A query that takes long, a notification that never comes, and a caller that waits for a session.
    private static void BeginToWait(PgDataSource source, WaitMode mode)
    {
        Begin(() => mode.ExecuteScalar(source.CreateCommand("SELECT pg_sleep(600)")));
        Begin(async () =>
        {
            await using var connection = await source.OpenConnectionAsync();
            await mode.ExecuteNonQuery(new PgCommand("LISTEN nothing", connection));
            await mode.Run(() => connection.Wait(), () => connection.WaitAsync());
        });
        Begin(async () =>
        {
            while (true)
                await mode.Open(source.CreateConnection());
        });
        Thread.Sleep(200);

        void Begin(Func<Task> work) => new Thread(() => work().GetAwaiter().GetResult()) { IsBackground = true }.Start();
    }

    private static async void RunBehindAwait(PgDataSource source, Action end)
    {
        await using var connection = new PgConnection(source.ConnectionString + ";Application Name=last;Maximum Pool Size=8");
        await connection.OpenAsync();
        await new PgCommand("SELECT pg_sleep(0.05)", connection).ExecuteNonQueryAsync();
        end();
    }
}
