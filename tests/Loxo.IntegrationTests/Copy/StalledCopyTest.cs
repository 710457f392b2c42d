using Loxo.IntegrationTests.Chaos;

namespace Loxo.IntegrationTests.Copy;

/// <summary>A copy whose link stalls while it begins, within the rows, or where its end is answered.</summary>
public abstract class StalledCopyTest(WaitMode mode, bool tls) : ChaosTest(mode)
{
    private const string SmallBuffers = "Socket Receive Buffer Size=65536;Socket Send Buffer Size=65536";

    private protected const int Rows = 20;
    private const int ManyRows = 400;
    private const int RowLength = 8000;
    private const int WithinRows = 100_000;

    // Behind all rows, within what the server says when it has copied.
    private const int BeforeEnd = 10;

    public enum Kind { BinaryImport, TextImport, BinaryExport, TextExport }

    public enum Stage { Beginning, WithinRows, AtEnd }

    public enum End
    {
        // Of the call that stalls; the last one by another thread.
        TimeLimit,
        Token,
        CloseElsewhere,
        // Between two calls.
        Dispose,
        Cancel,
        Close,
    }

    /// <summary>The table of the test.</summary>
    private protected string Table { get; private set; } = "";
    private int _rowsDone;
    private long _uncounted;
    private volatile bool _isLastCall;

    private protected override string Direct => (tls ? TestServer.Tls.ConnectionString + ";SSL Mode=Require" : TestServer.Default.ConnectionString)
        + ";" + SmallBuffers;

    [SetUp]
    public async Task CreateTable()
    {
        Table = "stalled_" + Guid.NewGuid().ToString("N")[..10];
        await Ask<object>($"CREATE TABLE {Table} (id int, name text)");
    }

    [TearDown]
    public async Task DropTable()
    {
        // After a test that has failed its session may still hold the table.
        await Ask<object>($"SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = '{Table}'::regclass AND pid <> pg_backend_pid()");
        await Ask<object>($"DROP TABLE {Table}");
    }

    private protected static IEnumerable<(Kind Kind, Stage Stage, End End)> All =>
        from kind in Enum.GetValues<Kind>() from stage in Enum.GetValues<Stage>() from end in Enum.GetValues<End>()
        where IsPossible(kind, stage, end)
        select (kind, stage, end);

    private protected static TestCaseData Case((Kind Kind, Stage Stage, End End) one) => new(one.Kind, one.Stage, one.End);

    /// <summary>It ends with a reason, and leaves all rows or none.</summary>
    private protected async Task EndOnStalledLink(Kind kind, Stage stage, End end)
    {
        SkipUnlessPossible(end);
        var (connection, link) = await Open($"Cancellation Timeout=50;Command Timeout={(IsLimitOfBeginning(stage, end) ? 1 : 60)}");
        var process = connection.ProcessID;
        using var cancellation = new CancellationTokenSource();
        var (copy, gate) = await Begin(connection, link, kind, stage, end);

        if (IsBetweenCalls(end))
        {
            var ending = EndBetweenCalls(connection, copy!, gate, stage, end);
            if (CompletesOnDispose(kind, end))
                Assert.That((await Error<PgException>(ending)).Code, Is.EqualTo(PgErrorCode.Timeout));
            else
                await ending;
        }
        else
        {
            var call = Stall(connection, copy, kind, stage, cancellation.Token);
            await EndDuringCall(connection, link, gate, kind, stage, end, cancellation);
            await AssertReason(call, end, cancellation.Token);
            if (connection.State == System.Data.ConnectionState.Open && IsImport(kind) && stage == Stage.WithinRows
                && end is End.TimeLimit or End.Token)
            {
                // The cancel request has met the server between two rows, and its answer can pass.
                gate.Open();
                await Start(() => Dispose(copy));
                await AssertUsable(connection);
                Assert.That(await Count(), Is.Zero);
                return;
            }
        }

        Assert.That(connection.State, Is.EqualTo(System.Data.ConnectionState.Closed));
        gate.Open();
        await Gone(process);
        Assert.That(await Count(), IsUnknown(kind, stage, end) ? Is.EqualTo(0).Or.EqualTo(Rows) : Is.Zero);
        await Start(() => Dispose(copy));
        if (end is End.Close or End.CloseElsewhere)
            await Start(() => Mode.Open(connection));
        else
            await AssertClosedButReusable(connection);
        await AssertUsable(connection);
        Assert.That(connection.ProcessID, Is.Not.EqualTo(process));
    }

    /// <summary>A link that recovers when the server has been asked to stop leaves the connection usable.</summary>
    private protected async Task RecoverAfterCancel(Kind kind, Stage stage, End end)
    {
        SkipUnlessPossible(end);
        var (connection, link) = await Open($"Cancellation Timeout=60000;Command Timeout={(IsLimitOfBeginning(stage, end) ? 1 : 60)}");
        var process = connection.ProcessID;
        using var cancellation = new CancellationTokenSource();
        var (copy, gate) = await Begin(connection, link, kind, stage, end, sleeps: true);
        _ = OpenAfterCancel(gate);

        var call = Stall(connection, copy, kind, stage, cancellation.Token);
        await EndDuringCall(connection, link, gate, kind, stage, end, cancellation);
        // A cancel request that finds everything done has come too late, and the call succeeds.
        var hasSucceeded = stage == Stage.AtEnd && await EndOf(call) is null;
        if (!hasSucceeded)
            await AssertReason(call, end, cancellation.Token);

        await Start(() => Dispose(copy));
        await AssertUsable(connection);
        Assert.That(connection.ProcessID, Is.EqualTo(process));
        Assert.That(await Count(), Is.EqualTo(hasSucceeded && IsImport(kind) ? Rows : 0));
    }

    private static bool IsPossible(Kind kind, Stage stage, End end) => stage == Stage.Beginning
        // The shortest limit of a beginning is a second, and all copies begin by the same code.
        ? end is End.Token or End.CloseElsewhere || (end == End.TimeLimit && kind == Kind.BinaryImport)
        // Closing a binary import is what disposing of it is.
        : end != End.Cancel || kind != Kind.BinaryImport;

    private protected static bool IsImport(Kind kind) => kind is Kind.BinaryImport or Kind.TextImport;

    private protected static bool IsBetweenCalls(End end) => end is End.Dispose or End.Cancel or End.Close;

    private protected static bool IsLimitOfBeginning(Stage stage, End end) => stage == Stage.Beginning && end == End.TimeLimit;

    private protected static bool CompletesOnDispose(Kind kind, End end) => kind == Kind.TextImport && end == End.Dispose;

    // The server was asked to finish, and its answer is lost.
    private protected static bool IsUnknown(Kind kind, Stage stage, End end) =>
        (IsImport(kind) && stage == Stage.AtEnd && !IsBetweenCalls(end)) || CompletesOnDispose(kind, end);

    private protected void SkipUnlessPossible(End end)
    {
        if (end == End.Token && Mode == WaitMode.Blocking)
            Assert.Ignore("Blocking calls take no token.");
    }

    // Everything is looked up before, so that the copy begins with one exchange and its answer has a known length.
    private protected async Task<(IDisposable? Copy, Gate Gate)> Begin(
        PgConnection connection, ChaosLink link, Kind kind, Stage stage, End end, bool sleeps = false)
    {
        // The answer to a request for TLS.
        _uncounted = link.ToClient.Passed - connection.Session!.Wire.Traffic.Received;
        var length = (long)WithinRows + BeforeEnd;
        for (var run = 0; run < 2 && (IsImport(kind) || stage != Stage.WithinRows); run++)
        {
            var passed = link.ToClient.Passed;
            await Start(async () =>
            {
                var rehearsal = await Begin(connection, kind, Rows, CancellationToken.None);
                if (!IsImport(kind))
                    await Read(rehearsal, CancellationToken.None);
                await (kind == Kind.TextImport ? Cancel(rehearsal) : Dispose(rehearsal));
            });
            length = link.ToClient.Passed - passed;
        }
        (_rowsDone, _isLastCall) = (0, false);
        if (stage == Stage.Beginning)
            return (null, link.ToClient.GateAfterBytes(0));
        var gate = IsImport(kind) ? null : link.ToClient.GateAfterBytes(length - BeforeEnd);
        var rows = sleeps && stage == Stage.WithinRows ? -Rows : stage == Stage.WithinRows ? ManyRows : Rows;
        var copy = await Start(() => Begin(connection, kind, rows, CancellationToken.None));
        gate ??= stage == Stage.WithinRows ? link.ToServer.GateAfterBytes(WithinRows) : link.ToClient.GateAfterBytes(0);
        ((Loxo.Copy.CopyOperation)connection.Extras.Copy!).Timeout = end is End.Token or End.CloseElsewhere ? 10_000 : 20;
        return (copy, gate);
    }

    // Behind a negative number of rows the server sleeps.
    private Task<IDisposable> Begin(PgConnection connection, Kind kind, int rows, CancellationToken token)
    {
        var query = $"SELECT i, repeat('x', {RowLength}) FROM generate_series(1, {Math.Abs(rows)}) i"
            + (rows < 0 ? " UNION ALL SELECT 0, pg_sleep(600)::text" : "");
        var sql = (IsImport(kind) ? $"COPY {Table} FROM STDIN" : $"COPY ({query}) TO STDOUT")
            + (kind is Kind.BinaryImport or Kind.BinaryExport ? " (FORMAT binary)" : "");
        return kind switch
        {
            Kind.BinaryImport => Mode.Run<IDisposable>(
                () => connection.BeginBinaryImport(sql), async () => await connection.BeginBinaryImportAsync(sql, token)),
            Kind.TextImport => Mode.Run<IDisposable>(
                () => connection.BeginTextImport(sql), async () => await connection.BeginTextImportAsync(sql, token)),
            Kind.BinaryExport => Mode.Run<IDisposable>(
                () => connection.BeginBinaryExport(sql), async () => await connection.BeginBinaryExportAsync(sql, token)),
            _ => Mode.Run<IDisposable>(
                () => connection.BeginTextExport(sql), async () => await connection.BeginTextExportAsync(sql, token)),
        };
    }

    // The calls of which the last one stalls. Within the rows of an import somebody has to write until nothing more is taken.
    private protected Task Stall(PgConnection connection, IDisposable? copy, Kind kind, Stage stage, CancellationToken token) => Start(async () =>
    {
        if (stage == Stage.Beginning)
            await Begin(connection, kind, Rows, token);
        else if (IsImport(kind))
            await Write(copy!, stage == Stage.WithinRows ? int.MaxValue : Rows, completes: true, token);
        else
            await Read(copy!, token);
    });

    private async Task Write(IDisposable copy, int rows, bool completes, CancellationToken token)
    {
        var name = new string('y', RowLength);
        for (_rowsDone = 0; _rowsDone < rows; _rowsDone++)
        {
            var line = $"{_rowsDone}\t{name}";
            await (copy is PgBinaryImporter importer
                ? Mode.Run(() => importer.WriteRow(_rowsDone, name), () => importer.WriteRowAsync(token, _rowsDone, name))
                : Mode.Run(() => ((PgCopyTextWriter)copy).WriteLine(line), () => ((PgCopyTextWriter)copy).WriteLineAsync(line.AsMemory(), token)));
        }
        _isLastCall = true;
        if (completes && copy is PgBinaryImporter complete)
            await Mode.Run(complete.Complete, () => complete.CompleteAsync(token).AsTask());
        else if (completes && copy is PgCopyTextWriter writer)
            await Mode.Run(writer.Complete, () => writer.CompleteAsync(token).AsTask());
    }

    private async Task Read(IDisposable copy, CancellationToken token, int rows = int.MaxValue)
    {
        for (_rowsDone = 0; _rowsDone < rows; _rowsDone++)
        {
            var hasRow = copy is PgBinaryExporter exporter
                ? await Mode.Run(exporter.StartRow, () => exporter.StartRowAsync(token).AsTask()) >= 0
                : await Mode.Run(((PgCopyTextReader)copy).ReadLine, () => ((PgCopyTextReader)copy).ReadLineAsync(token).AsTask()) is not null;
            if (!hasRow)
                return;
        }
    }

    // As many rows as do not stall, and the end.
    private protected Task EndBetweenCalls(PgConnection connection, IDisposable copy, Gate gate, Stage stage, End end) => Start(async () =>
    {
        if (copy is PgBinaryImporter or PgCopyTextWriter)
            await Write(copy, Rows, completes: false, CancellationToken.None);
        else
        {
            await Read(copy, CancellationToken.None, rows: stage == Stage.WithinRows ? WithinRows / RowLength - 2 : Rows - 2);
            // A server that is asked to stop before would send less than the gate lets pass.
            await Finish(gate.Reached);
        }
        await (end == End.Close ? Mode.Close(connection) : end == End.Cancel ? Cancel(copy) : Dispose(copy));
    });

    private Task Dispose(IDisposable? copy) =>
        copy is null ? Task.CompletedTask : Mode.Run(copy.Dispose, () => ((IAsyncDisposable)copy).DisposeAsync().AsTask());

    private protected Task Cancel(IDisposable copy) => copy switch
    {
        PgCopyTextWriter writer => Mode.Run(writer.Cancel, writer.CancelAsync),
        PgBinaryExporter exporter => Mode.Run(exporter.Cancel, exporter.CancelAsync),
        _ => Mode.Run(((PgCopyTextReader)copy).Cancel, ((PgCopyTextReader)copy).CancelAsync),
    };

    private protected async Task EndDuringCall(
        PgConnection connection, ChaosLink link, Gate gate, Kind kind, Stage stage, End end, CancellationTokenSource cancellation)
    {
        // A time limit may be over before anybody has looked.
        if (end == End.TimeLimit)
            return;
        await Stalled(connection, link, gate, kind, stage);
        if (end == End.Token)
            await cancellation.CancelAsync();
        else
            await Start(() => Mode.Close(connection));
    }

    // Nothing more passes, and the call that is to stall waits: a token that is cancelled between two calls does something else.
    private protected async Task Stalled(PgConnection connection, ChaosLink link, Gate gate, Kind kind, Stage stage)
    {
        await Finish(gate.Reached);
        var wire = connection.Session!.Wire;
        var isImport = IsImport(kind);
        while (!wire.IsInUse
            || (isImport && stage == Stage.AtEnd && !_isLastCall)
            // All whole rows have been returned: the call that took the last one is still in the wire for a moment when nothing is left.
            // How many have passed the gate cannot be told of encrypted ones.
            || (!isImport && !tls && Volatile.Read(ref _rowsDone) < WholeRows(stage))
            // All that has passed has been received, and no row is left in it; text is read as it comes.
            || (!isImport && wire.Traffic.Received + _uncounted != link.ToClient.Passed)
            || (!isImport && wire.Input.Buffered >= (kind == Kind.BinaryExport ? RowLength : BeforeEnd + BeforeEnd)))
        {
            await Task.Yield();
        }
        for (int looks = 0, rows = -1; (isImport ? stage == Stage.WithinRows : tls) && looks < 15; await Task.Delay(1))
        {
            looks = wire.IsInUse && rows == Volatile.Read(ref _rowsDone) ? looks + 1 : 0;
            rows = Volatile.Read(ref _rowsDone);
        }
    }

    // Of an export, in front of the gate. A row has 10 to 19 bytes around its text.
    private static int WholeRows(Stage stage) => stage switch
    {
        Stage.Beginning => 0,
        Stage.WithinRows => WithinRows / (RowLength + 20),
        _ => Rows,
    };

    private static async Task AssertReason(Task call, End end, CancellationToken token)
    {
        var error = await Error<Exception>(call);
        if (end == End.TimeLimit)
            Assert.That(error, Is.InstanceOf<PgException>().With.Property(nameof(PgException.Code)).EqualTo(PgErrorCode.Timeout));
        else if (end == End.Token)
            Assert.That((error as OperationCanceledException)?.CancellationToken, Is.EqualTo(token), error.ToString());
        else
            Assert.That(error, Is.InstanceOf<PgException>().Or.InstanceOf<OperationCanceledException>());
    }

    // Null if it has succeeded.
    private protected static async Task<Exception?> EndOf(Task call)
    {
        await Task.WhenAny(call);
        return call.IsCanceled ? new TaskCanceledException(call) : call.Exception?.InnerException;
    }

    // The server closes a cancel request's connection when it has sent the signal.
    private protected async Task OpenAfterCancel(Gate gate)
    {
        var cancel = await Proxy.Link(1);
        await cancel.Ended;
        gate.Open();
    }

    private protected async Task Gone(int process)
    {
        while (await Finish(Ask<long>($"SELECT count(*) FROM pg_stat_activity WHERE pid = {process}")) > 0)
            await Task.Yield();
    }

    private protected Task<long> Count() => Finish(Ask<long>($"SELECT count(*) FROM {Table}"));

    private async Task<T?> Ask<T>(string sql)
    {
        await using var connection = new PgConnection(Direct);
        await connection.OpenAsync();
        await using var command = new PgCommand(sql, connection);
        return (T?)await command.ExecuteScalarAsync();
    }
}
