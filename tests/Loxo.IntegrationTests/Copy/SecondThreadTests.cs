using System.Globalization;

namespace Loxo.IntegrationTests.Copy;

/// <summary>
/// What is for one thread is used by two at once. Their own rows may be mixed; nothing hangs, and nobody else gets a wrong answer: the
/// session that they have damaged is closed, or is as good as any other.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
[Category("OneServer")]
public sealed class SecondThreadTests(WaitMode mode)
{
    private const int Rounds = 12;
    private const int Calls = 3000;

    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(2);

    public enum Use
    {
        ImportRows,
        ImportValues,
        Export,
        RawImport,
        RawExport,
        TextImport,
        TextExport,
        Reader,
    }

    [Test]
    public async Task Two_threads_in_what_is_for_one_harm_nobody_else([Values] Use use)
    {
        await using var source = new PgDataSourceBuilder(TestServer.Default.ConnectionString + ";Maximum Pool Size=2;Command Timeout=20").Build();
        for (var round = 0; round < Rounds; round++)
        {
            await Task.Run(() => Damage(source, use)).WaitAsync(_patience);
            for (var renter = 0; renter < 4; renter++)
                await Ask(source, (100 * round) + renter).WaitAsync(_patience);
        }
    }

    [Test]
    public async Task Closing_the_connection_under_a_thread_that_uses_it_harms_nobody_else([Values(Use.ImportRows, Use.RawImport, Use.Export, Use.Reader)] Use use)
    {
        await using var source = new PgDataSourceBuilder(TestServer.Default.ConnectionString + ";Maximum Pool Size=2;Command Timeout=20").Build();
        for (var round = 0; round < 10 * Rounds; round++)
        {
            await Task.Run(() => CloseUnder(source, use)).WaitAsync(_patience);
            await Ask(source, round).WaitAsync(_patience);
        }
    }

    // As a renter that knows nothing of the others: each answer has its question in it.
    private async Task Ask(PgDataSource source, int number)
    {
        await using var connection = await mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());
        var texts = new List<string>();
        await using (var command = new PgCommand("SELECT i || ' of ' || $1 FROM generate_series(1, 3) i", connection))
        {
            command.Parameters.Add(new PgParameter<int> { TypedValue = number });
            await using var reader = await mode.ExecuteReader(command);
            while (await mode.Read(reader))
                texts.Add(reader.GetString(0));
        }
        Assert.That(texts, Is.EqualTo(Enumerable.Range(1, 3).Select(i => string.Create(CultureInfo.InvariantCulture, $"{i} of {number}"))));
    }

    private async Task CloseUnder(PgDataSource source, Use use)
    {
        var connection = await mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());
        await using (var create = new PgCommand("CREATE TEMP TABLE IF NOT EXISTS damaged (id int, name text)", connection))
            await mode.ExecuteNonQuery(create);
        var (subject, call) = Begin(connection, use);
        using var start = new Barrier(2);
        var copying = Task.Factory.StartNew(
            () =>
            {
                start.SignalAndWait();
                for (var i = 0; i < Calls && Try(call); i++)
                {
                }
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        start.SignalAndWait();
        await mode.Run(() => Ignore(connection.Close), () => Ignore(connection.CloseAsync));
        await copying;
        await mode.Run(() => Ignore(subject.Dispose), () => Ignore(() => ((IAsyncDisposable)subject).DisposeAsync().AsTask()));
        await mode.Run(() => Ignore(connection.Dispose), () => Ignore(() => connection.DisposeAsync().AsTask()));
    }

    private async Task Damage(PgDataSource source, Use use)
    {
        await using var connection = await mode.Run(source.OpenConnection, () => source.OpenConnectionAsync().AsTask());
        await using (var create = new PgCommand("CREATE TEMP TABLE IF NOT EXISTS damaged (id int, name text)", connection))
            await mode.ExecuteNonQuery(create);
        var (subject, call) = Begin(connection, use);
        using var start = new Barrier(2);
        await Task.WhenAll(Enumerable.Range(0, 2).Select(thread => Task.Factory.StartNew(
            () =>
            {
                start.SignalAndWait();
                for (var i = 0; i < Calls && Try(call); i++)
                {
                }
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default)));
        await mode.Run(() => Ignore(subject.Dispose), () => Ignore(() => ((IAsyncDisposable)subject).DisposeAsync().AsTask()));
        await mode.Run(() => Ignore(connection.Close), () => Ignore(connection.CloseAsync));
    }

    private (IDisposable Subject, Func<Task> Call) Begin(PgConnection connection, Use use)
    {
        const string @in = "COPY damaged FROM STDIN", @out = "COPY (SELECT i, 'row ' || i FROM generate_series(1, 5000) i) TO STDOUT", binary = " (FORMAT binary)";
        var text = new string('x', 50);
        switch (use)
        {
            case Use.ImportRows:
                var rows = connection.BeginBinaryImport(@in + binary);
                return (rows, () => mode.Run(() => rows.WriteRow(1, text), () => rows.WriteRowAsync(default, 1, text)));
            case Use.ImportValues:
                var values = connection.BeginBinaryImport(@in + binary);
                return (values, async () =>
                {
                    await mode.Run(values.StartRow, () => values.StartRowAsync());
                    await mode.Run(() => values.Write(1), () => values.WriteAsync(1));
                    await mode.Run(() => values.Write(text), () => values.WriteAsync(text));
                });
            case Use.Export:
                var export = connection.BeginBinaryExport(@out + binary);
                return (export, async () =>
                {
                    await mode.Run(() => export.StartRow(), () => export.StartRowAsync().AsTask());
                    await mode.Run(() => export.Read<int>(), () => export.ReadAsync<int>().AsTask());
                    await mode.Run(() => export.Read<string>(), () => export.ReadAsync<string>().AsTask());
                });
            case Use.RawImport or Use.RawExport:
                var raw = connection.BeginRawBinaryCopy((use == Use.RawImport ? @in : @out) + binary);
                var bytes = new byte[200];
                return use == Use.RawImport
                    ? (raw, () => mode.Run(() => raw.Write(bytes), () => raw.WriteAsync(bytes).AsTask()))
                    : (raw, () => mode.Run(() => _ = raw.Read(bytes), () => raw.ReadAsync(bytes).AsTask()));
            case Use.TextImport:
                var writer = connection.BeginTextImport(@in);
                return (writer, () => mode.Run(() => writer.Write("1\trow\n"), () => writer.WriteAsync("1\trow\n")));
            case Use.TextExport:
                var lines = connection.BeginTextExport(@out);
                return (lines, () => mode.Run(() => _ = lines.ReadLine(), () => lines.ReadLineAsync()));
            default:
                var command = new PgCommand("SELECT i, 'row ' || i FROM generate_series(1, 5000) i", connection);
                var reader = command.ExecuteReader();
                return (reader, async () =>
                {
                    if (await mode.Read(reader))
                        _ = (reader.GetInt32(0), reader.GetString(1));
                });
        }
    }

    // False when the object has ended.
    private static bool Try(Func<Task> call)
    {
        try
        {
            call().GetAwaiter().GetResult();
            return true;
        }
        catch (Exception e)
        {
            return e is not (ObjectDisposedException or PgException);
        }
    }

    private static void Ignore(Action call)
    {
        try
        {
            call();
        }
        catch (Exception e)
        {
            TestContext.Out.WriteLine(e.Message);
        }
    }

    private static async Task Ignore(Func<Task> call)
    {
        try
        {
            await call();
        }
        catch (Exception e)
        {
            TestContext.Out.WriteLine(e.Message);
        }
    }
}
