using System.Data;
using System.Data.Common;
using System.Reflection;
using System.Text;

namespace Loxo.IntegrationTests.Cancellation;

/// <summary>
/// Every public member that takes a token, found by reflection, so that new ones are covered: with a token that was cancelled before, its task ends
/// with an <see cref="OperationCanceledException"/> of that token, and nothing has happened.
/// </summary>
public class CancelledBeforeStartTests
{
    /// <summary>An object to call, and how to find out that it was left alone.</summary>
    private sealed record Subject(object Target, Func<Task> AssertUntouched);

    private static readonly Dictionary<Type, Func<CancelledBeforeStartTests, Task<Subject>>> _subjects = new()
    {
        [typeof(PgConnection)] = test => test.OfConnection(test._connection),
        [typeof(PgCommand)] = test => test.OfConnection(new PgCommand("SELECT 1", test._connection)),
        [typeof(PgBatch)] = test => test.OfConnection(new PgBatch(test._connection) { BatchCommands = { new PgBatchCommand("SELECT 1") } }),
        [typeof(PgTransaction)] = test => test.Transaction(),
        [typeof(PgDataReader)] = test => test.Reader(reader => reader),
        [typeof(PgNestedDataReader)] = test => test.Reader(reader => reader.GetData(1)),
        [typeof(PgDataSource)] = test => test.OfSource(test._source),
        [typeof(PgMultiHostDataSource)] = test => test.OfSource(test._hosts),
        [typeof(PgBinaryImporter)] = test => test.OfCopy(connection => connection.BeginBinaryImport("COPY copied FROM STDIN (FORMAT binary)")),
        [typeof(PgBinaryExporter)] = test => test.OfCopy(connection => connection.BeginBinaryExport("COPY copied TO STDOUT (FORMAT binary)")),
        [typeof(PgCopyTextWriter)] = test => test.OfCopy(connection => connection.BeginTextImport("COPY copied FROM STDIN")),
        [typeof(PgCopyTextReader)] = test => test.OfCopy(connection => connection.BeginTextExport("COPY copied TO STDOUT")),
        [typeof(PgRawCopyStream)] = test => test.OfCopy(connection => connection.BeginRawBinaryCopy("COPY copied TO STDOUT (FORMAT binary)")),
        [typeof(PgBulkCopy)] = test => test.OfConnection(new PgBulkCopy(test._connection) { DestinationTableName = "copied" }),
        [typeof(PgLargeObjectManager)] = test => test.OfConnection(new PgLargeObjectManager(test._connection)),
        [typeof(PgLargeObjectStream)] = test => test.LargeObject(),
        [typeof(PgChangeStream)] = test => test.OfSource(test._source, test._source.CreateChangeStream("none", "none")),
        [typeof(LogicalReplicationConnection)] = test => test.OfReplication(new LogicalReplicationConnection(TestServer.Default.ConnectionString)),
        [typeof(PhysicalReplicationConnection)] = test => test.OfReplication(new PhysicalReplicationConnection(TestServer.Default.ConnectionString)),
    };

    private PgDataSource _source = null!;
    private PgMultiHostDataSource _hosts = null!;
    private PgDataSource _main = null!;
    private PgConnection _connection = null!;
    private PgDataReader? _reader;
    private ReplicationConnection? _replication;

    // Their members wait for nothing.
    private static readonly Type[] _atHand = [typeof(ReplicationTuple), typeof(ReplicationValue)];

    private static IEnumerable<TestCaseData> Members =>
        from type in typeof(PgConnection).Assembly.GetExportedTypes()
        where !type.IsAbstract && !type.IsInterface && !_atHand.Contains(type)
        from method in Cancellable(type)
        select new TestCaseData(type, method).SetArgDisplayNames(type.Name, Name(method));

    [SetUp]
    public async Task Open()
    {
        _source = PgDataSource.Create(TestServer.Default.ConnectionString);
        _hosts = new PgDataSourceBuilder(TestServer.Default.ConnectionString).BuildMultiHost();
        _main = PgDataSource.Create(TestServer.Default.ConnectionString);
        _connection = await _main.OpenConnectionAsync();
    }

    [TearDown]
    public async Task Close()
    {
        _reader?.Dispose();
        _reader = null;
        if (_replication is not null)
            await _replication.DisposeAsync();
        _replication = null;
        await _connection.DisposeAsync();
        await _main.DisposeAsync();
        await _source.DisposeAsync();
        await _hosts.DisposeAsync();
    }

    [TestCaseSource(nameof(Members))]
    public async Task A_token_that_was_cancelled_before_stops_the_call_before_anything_happens(Type type, MethodInfo method)
    {
        Assert.That(_subjects, Does.ContainKey(type), "tell this test how to make one");
        var subject = await _subjects[type](this);

        await AssertCancelled(token => Call(subject.Target, method, token));
        await subject.AssertUntouched();
    }

    [Test]
    public async Task A_connection_that_is_not_open_stays_closed([Values] bool isPooled)
    {
        await using var connection = new PgConnection(TestServer.Default.ConnectionString + (isPooled ? "" : ";Pooling=false"));

        await AssertCancelled(token => connection.OpenAsync(token));

        Assert.That(connection.State, Is.EqualTo(ConnectionState.Closed));
        await connection.OpenAsync();
    }

    [TestCase(nameof(PgDataSource.CreateCommand))]
    [TestCase(nameof(PgDataSource.CreateBatch))]
    public async Task A_data_source_opens_nothing_for_it(string what)
    {
        object target = what == nameof(PgDataSource.CreateCommand) ? _source.CreateCommand("SELECT 1") : _source.CreateBatch();
        foreach (var method in Cancellable(target.GetType()).Where(method => method.Name.StartsWith("Execute", StringComparison.Ordinal)))
        {
            await AssertCancelled(token => Call(target, method, token));
            Assert.That(_source.Pool!.GetStatistics().Total, Is.Zero, Name(method));
        }
    }

    [Test]
    public async Task Parameters_are_not_derived()
    {
        await using var command = new PgCommand("lower", _connection) { CommandType = CommandType.StoredProcedure };
        var number = _connection.Session!.CommandNumber;

        await AssertCancelled(token => PgCommandBuilder.DeriveParametersAsync(command, token));

        Assert.That((command.Parameters.Count, _connection.Session!.CommandNumber), Is.EqualTo((0, number)));
        await AssertUsable();
    }

    [Test]
    public async Task A_value_in_pieces_is_not_read([Values(CommandBehavior.Default, CommandBehavior.SequentialAccess)] CommandBehavior behavior, [Values(100, 10_000_000)] int length)
    {
        await using var command = new PgCommand($"SELECT convert_to(repeat('x', {length}), 'UTF8')", _connection);
        _reader = await command.ExecuteReaderAsync(behavior);
        await _reader.ReadAsync();
        await using var stream = _reader.GetStream(0);
        var room = new byte[10];

        await AssertCancelled(token => stream.ReadAsync(room, 0, 10, token));
        await AssertCancelled(token => stream.ReadAsync(room.AsMemory(), token).AsTask());
        await AssertCancelled(token => stream.CopyToAsync(new MemoryStream(), 100, token));

        Assert.That(stream.Position, Is.Zero);
        Assert.That(await stream.ReadAsync(room), Is.Positive);
    }

    [Test]
    public void Members_are_found() =>
        Assert.That(Members.Select(member => ((Type)member.Arguments[0]!).Name).Distinct(), Is.EquivalentTo(_subjects.Keys.Select(type => type.Name)));

    private static IEnumerable<MethodInfo> Cancellable(Type type) =>
        type.GetMethods(BindingFlags.Public | BindingFlags.Instance)
            .Where(method => method.GetParameters().Any(parameter => parameter.ParameterType == typeof(CancellationToken)))
            // A member that "new" hides is called by what the base class declares, which is another method.
            .DistinctBy(method => (Name(method), method.DeclaringType));

    private static string Name(MethodInfo method) =>
        $"{method.DeclaringType!.Name}.{method.Name}({string.Join(", ", method.GetParameters().Select(parameter => parameter.ParameterType.Name))})";

    private static Task Call(object target, MethodInfo method, CancellationToken token)
    {
        if (method.IsGenericMethodDefinition)
            method = method.MakeGenericMethod(typeof(int));
        var arguments = method.GetParameters().Select(parameter => Argument(parameter, token)).ToArray();
        object result;
        try
        {
            result = method.Invoke(target, arguments)!;
        }
        catch (TargetInvocationException error)
        {
            throw new AssertionException($"It threw at once, not by its task: {error.InnerException}");
        }
        if (result is IAsyncEnumerable<PgNotification> notifications)
            return notifications.GetAsyncEnumerator(token).MoveNextAsync().AsTask();
        if (result is IAsyncEnumerable<PgChangeTransaction> changes)
            return changes.GetAsyncEnumerator(CancellationToken.None).MoveNextAsync().AsTask();
        if (result is IAsyncEnumerable<int> rows)
            return rows.GetAsyncEnumerator(CancellationToken.None).MoveNextAsync().AsTask();
        if (result is IAsyncEnumerable<XLogDataMessage> messages)
            return messages.GetAsyncEnumerator(CancellationToken.None).MoveNextAsync().AsTask();
        return result as Task ?? (Task)result.GetType().GetMethod("AsTask", [])?.Invoke(result, null)! ?? ((ValueTask)result).AsTask();
    }

    private static Task<int> Ran(PgConnection connection, PgTransaction transaction, CancellationToken token) => throw new AssertionException("The work ran.");

    // Nothing to read or write would be done at once.
    private static object? Argument(ParameterInfo parameter, CancellationToken token) =>
        parameter.Name is "minimumBytes" or "bufferSize" or "count" ? 1 : Argument(parameter.ParameterType, token);

    private static object? Argument(Type type, CancellationToken token) =>
        type == typeof(CancellationToken) ? token
        : type == typeof(string) ? "name"
        : type == typeof(string[]) ? Array.Empty<string>()
        : type == typeof(IsolationLevel) ? IsolationLevel.ReadCommitted
        : type == typeof(IEnumerable<int>) ? Enumerable.Range(0, 10)
        : type == typeof(IAsyncEnumerable<int>) ? AsyncEnumerable.Range(0, 10)
        : type == typeof(Action<int, PgParameterCollection>) ? static (int _, PgParameterCollection _) => Assert.Fail("A row was bound.")
        : type == typeof(Func<PgConnection, PgTransaction, CancellationToken, Task>) ? (Func<PgConnection, PgTransaction, CancellationToken, Task>)Ran
        : type == typeof(Func<PgConnection, PgTransaction, CancellationToken, Task<int>>) ? (Func<PgConnection, PgTransaction, CancellationToken, Task<int>>)Ran
        : type == typeof(Func<PgBinaryExporter, int>) ? (Func<PgBinaryExporter, int>)(static _ => throw new AssertionException("A row was read."))
        : type == typeof(PgInTransactionOptions) || type == typeof(PgListenOptions) ? null
        : type == typeof(PhysicalReplicationSlot) ? new PhysicalReplicationSlot("name", new PgLogSequenceNumber(1))
        : type == typeof(byte[]) ? new byte[10]
        : type == typeof(Memory<byte>) ? new byte[10].AsMemory()
        : type == typeof(ReadOnlyMemory<byte>) ? new ReadOnlyMemory<byte>(new byte[10])
        : type == typeof(Memory<char>) ? new char[10].AsMemory()
        : type == typeof(ReadOnlyMemory<char>) ? "text".AsMemory()
        : type == typeof(StringBuilder) ? new StringBuilder("text")
        : type == typeof(Stream) ? new MemoryStream()
        : type == typeof(object[]) ? new object[] { 1 }
        : type == typeof(IEnumerable<string>) ? new[] { "channel" }
        : type == typeof(DataTable) ? new DataTable()
        : type == typeof(DbDataReader) ? new DataTable().CreateDataReader()
        : type == typeof(DataRow[]) ? Array.Empty<DataRow>()
        : type == typeof(PgBulkCopyColumn[]) ? Array.Empty<PgBulkCopyColumn>()
        : type == typeof(PgBulkCopyColumns<int>) ? new PgBulkCopyColumns<int>().Add("a", static value => value)
        : type.IsValueType ? Activator.CreateInstance(type)
        : throw new AssertionException($"Tell this test which {type} to pass.");

    private static async Task AssertCancelled(Func<CancellationToken, Task> call)
    {
        using var cancelled = new CancellationTokenSource();
        await cancelled.CancelAsync();
        try
        {
            await call(cancelled.Token);
        }
        catch (OperationCanceledException error)
        {
            Assert.That(error.CancellationToken, Is.EqualTo(cancelled.Token), "whoever cancelled recognises it");
            return;
        }
        throw new AssertionException("It was not cancelled.");
    }

    private Task<Subject> OfConnection(object target)
    {
        var session = _connection.Session!;
        var (number, position) = (session.CommandNumber, session.Output.Position);
        return Task.FromResult(new Subject(target, async () =>
        {
            Assert.That((session.CommandNumber, session.Output.Position, session.PendingBegin), Is.EqualTo((number, position, (string?)null)));
            await AssertUsable();
            if (target is PgCommand or PgBatch)
                Assert.That(await ((dynamic)target).ExecuteScalarAsync(), Is.EqualTo(1));
        }));
    }

    private async Task<Subject> Transaction()
    {
        var transaction = _connection.BeginTransaction();
        await AssertUsable();
        await transaction.SaveAsync("name");
        var number = _connection.Session!.CommandNumber;
        return new Subject(transaction, async () =>
        {
            Assert.That(_connection.Session!.CommandNumber, Is.EqualTo(number));
            Assert.That(transaction.Connection, Is.SameAs(_connection));
            await transaction.ReleaseAsync("name");
            await transaction.CommitAsync();
            await AssertUsable();
        });
    }

    private async Task<Subject> Reader(Func<PgDataReader, object> target)
    {
        await using var command = new PgCommand("SELECT i, ARRAY[ROW(1)] FROM generate_series(1, 3) i; SELECT 2", _connection);
        _reader = await command.ExecuteReaderAsync();
        await _reader.ReadAsync();
        return new Subject(target(_reader), async () =>
        {
            await _reader.DisposeAsync();
            await AssertUsable();
        });
    }

    private async Task<Subject> OfCopy<T>(Func<PgConnection, T> begin)
        where T : IDisposable
    {
        await using (var command = new PgCommand("CREATE TEMP TABLE copied (a int); INSERT INTO copied VALUES (1)", _connection))
            await command.ExecuteNonQueryAsync();
        var copy = begin(_connection);
        var session = _connection.Session!;
        var (number, position) = (session.CommandNumber, session.Output.Position);
        return new Subject(copy, async () =>
        {
            Assert.That((session.CommandNumber, session.Output.Position), Is.EqualTo((number, position)));
            copy.Dispose();
            await AssertUsable();
        });
    }

    private Task<Subject> LargeObject()
    {
        _connection.BeginTransaction();
        var manager = new PgLargeObjectManager(_connection);
        var stream = manager.OpenReadWrite(manager.Create());
        return Task.FromResult(new Subject(stream, async () =>
        {
            // Stream.CopyToAsync asks for length and position first.
            Assert.That((stream.Position, stream.Length), Is.EqualTo((0L, 0L)));
            await AssertUsable();
        }));
    }

    private async Task<Subject> OfReplication(ReplicationConnection connection)
    {
        _replication = connection;
        await connection.Open();
        return new Subject(connection, async () => Assert.That((await connection.IdentifySystem()).Timeline, Is.EqualTo(1)));
    }

    private Task<Subject> OfSource(PgDataSource source, object? target = null) => Task.FromResult(new Subject(target ?? source, async () =>
    {
        Assert.That(source.Sources.Sum(host => host.Pool!.GetStatistics().Total), Is.Zero, "no session was opened");
        await using var connection = await source.OpenConnectionAsync();
        Assert.That(connection.State, Is.EqualTo(ConnectionState.Open));
    }));

    private async Task AssertUsable()
    {
        await using var command = new PgCommand("SELECT 42", _connection);
        Assert.That(await command.ExecuteScalarAsync(), Is.EqualTo(42));
    }
}
