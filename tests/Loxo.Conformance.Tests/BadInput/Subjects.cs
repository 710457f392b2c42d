using System.Data;
using System.Reflection;

namespace Loxo.Conformance.BadInput;

/// <summary>The states that the objects of each public type are tried in.</summary>
internal static class Subjects
{
    private static readonly Lazy<PgDataSource> _source = new(() => PgDataSource.Create(TestServer.Default.ConnectionString + ";Maximum Pool Size=20;Timeout=30"));

    private static readonly Dictionary<Type, (string State, Func<Task<Subject>> Make)[]> _states = new()
    {
        [typeof(PgConnection)] = ConnectionStates.OfConnections,
        [typeof(PgCommand)] = ConnectionStates.OfCommands,
        [typeof(PgBatch)] = ConnectionStates.OfBatches,
        [typeof(PgTransaction)] = ConnectionStates.OfTransactions,
        [typeof(PgDataReader)] = ReaderStates.OfReaders,
        [typeof(PgNestedDataReader)] = ReaderStates.OfNestedReaders,
        [typeof(PgDbColumn)] = ReaderStates.OfColumns,
        [typeof(PgPipeline)] = ConnectionStates.OfPipelines,
        [typeof(PgPipelineResult<int>)] = ConnectionStates.OfPipelineResults,
        [typeof(PgBinaryImporter)] = CopyStates.OfImporters,
        [typeof(PgBinaryExporter)] = CopyStates.OfExporters,
        [typeof(PgCopyTextWriter)] = CopyStates.OfTextWriters,
        [typeof(PgCopyTextReader)] = CopyStates.OfTextReaders,
        [typeof(PgRawCopyStream)] = CopyStates.OfRawStreams,
        [typeof(PgLargeObjectStream)] = CopyStates.OfLargeObjects,
        [typeof(PgLargeObjectManager)] = CopyStates.OfManagers,
        [typeof(PgBulkCopy)] = CopyStates.OfBulkCopies,
        [typeof(PgChangeStream)] = [("not read", () => Of(Source.CreateChangeStream("bad_input", "none", new() { CreatesSlot = false })))],
        [typeof(ReplicationConnection)] = [("not open", () => Of(new LogicalReplicationConnection(TestServer.Default.ConnectionString)))],
        [typeof(ReplicationSlotOptions)] = [("default", () => Of(default(ReplicationSlotOptions))), ("made", () => Of(new ReplicationSlotOptions("a")))],
        [typeof(PgDataSource)] = [("open", () => Own(Source)), ("disposed", Disposed)],
        [typeof(PgMultiHostDataSource)] = [("open", () => Of(Hosts())), ("disposed", DisposedHosts)],
        [typeof(PgFreshness)] = [("any", () => Of(default(PgFreshness))), ("after", () => Of(PgFreshness.After(new(1))))],
        [typeof(PgBatchCommand)] = [("new", () => Of(new PgBatchCommand("SELECT 1")))],
        [typeof(PgBatchCommandCollection)] = [("empty", () => Of(new PgBatch().BatchCommands)), ("filled", () => Of(FilledBatch().BatchCommands))],
        [typeof(PgParameter)] = [("new", () => Of(new PgParameter())), ("in a command", () => Of(Filled()[0]))],
        [typeof(PgParameterCollection)] = [("empty", () => Of(new PgCommand().Parameters)), ("filled", () => Of(Filled()))],
        [typeof(PgConnectionStringBuilder)] =
            [("empty", () => Of(new PgConnectionStringBuilder())), ("set", () => Of(new PgConnectionStringBuilder(TestServer.Default.ConnectionString)))],
        [typeof(PgDataSourceBuilder)] = [("set", () => Of(new PgDataSourceBuilder(TestServer.Default.ConnectionString)))],
        [typeof(PgSlimDataSourceBuilder)] = [("set", () => Of(new PgSlimDataSourceBuilder(TestServer.Default.ConnectionString)))],
        [typeof(PgDataAdapter)] = [("new", () => Of(new PgDataAdapter())), ("set", () => ConnectionStates.On(connection => new Subject(new PgDataAdapter("SELECT 1 AS id", connection), connection)))],
        [typeof(PgCommandBuilder)] = [("new", () => Of(new PgCommandBuilder())), ("set", () => ConnectionStates.On(connection => new Subject(
            new PgCommandBuilder(new PgDataAdapter("SELECT oid, relname FROM pg_class", connection)), connection)))],
        [typeof(PgTypeLoadingOptionsBuilder)] = [("new", () => Of(TypeLoading()))],
        [typeof(PgTracingOptionsBuilder)] = [("new", () => Of(Tracing()))],
        [typeof(PgTsQuery)] = [("parsed", () => Of(PgTsQuery.Parse("a & b")))],
        [typeof(PgTsQueryBinary)] = [("parsed", () => Of(PgTsQuery.Parse("a & b")))],
        [typeof(PgTsQueryEmpty)] = [("parsed", () => Of(PgTsQuery.Parse("")))],
        [typeof(PgPipelineResult)] = ConnectionStates.OfPipelineResults,
        [typeof(PgBulkCopyException)] = [("of a value", () => CopyStates.Failed())],
        [typeof(PgFactory)] = [("the one", () => Of(PgFactory.Instance))],
        [typeof(PgRange<>)] = [("[1,5)", () => Of(new PgRange<int>(1, true, 5, false))), ("empty", () => Of(PgRange<int>.Empty))],
        [typeof(PgException)] = [("of the server", () => Failed())],
        [typeof(PostgresException)] = [("of the server", () => Failed())],
    };

    /// <summary>A data source that all subjects share, so that a broken session would be met again.</summary>
    public static PgDataSource Source => _source.Value;

    public static bool Has(Type type) => _states.ContainsKey(type);

    /// <summary>The states of a type; a value of a plain type is default, and what its constructors make of good arguments.</summary>
    public static IReadOnlyList<(string State, Func<Task<Subject>> Make)> Of(Type type)
    {
        if (_states.TryGetValue(type, out var states) || (type.IsGenericType && _states.TryGetValue(type.GetGenericTypeDefinition(), out states)))
            return states;
        var found = new List<(string, Func<Task<Subject>>)>();
        if (type.IsValueType)
            found.Add(("default", () => Of(Activator.CreateInstance(type)!)));
        foreach (var constructor in type.GetConstructors().OrderByDescending(one => one.GetParameters().Length).Take(1))
        {
            if (constructor.GetParameters().All(parameter => Arguments.HasGood(parameter)))
                found.Add(("made", () => Of(constructor.Invoke([.. constructor.GetParameters().Select(Arguments.Good)]))));
        }
        return found;
    }

    public static Task<Subject> Of(object instance) => Task.FromResult(new Subject(instance));

    private static PgParameterCollection Filled()
    {
        var parameters = new PgCommand("SELECT @p, @q").Parameters;
        parameters.AddWithValue("p", 1);
        parameters.AddWithValue("q", "text");
        return parameters;
    }

    private static PgTracingOptionsBuilder Tracing()
    {
        PgTracingOptionsBuilder? found = null;
        new PgDataSourceBuilder().ConfigureTracing(tracing => found = tracing);
        return found!;
    }

    private static PgTypeLoadingOptionsBuilder TypeLoading()
    {
        PgTypeLoadingOptionsBuilder? found = null;
        new PgDataSourceBuilder(TestServer.Default.ConnectionString).ConfigureTypeLoading(builder => found = builder);
        return found!;
    }

    private static PgBatch FilledBatch() => new() { BatchCommands = { new PgBatchCommand("SELECT 1"), new PgBatchCommand("SELECT 2") } };

    // The shared source is not to be disposed with its subject.
    private static PgMultiHostDataSource Hosts() => new PgDataSourceBuilder(TestServer.Default.ConnectionString).BuildMultiHost();

    private static async Task<Subject> DisposedHosts()
    {
        var source = Hosts();
        await source.DisposeAsync();
        return new Subject(source);
    }

    private static Task<Subject> Own(PgDataSource source) => Task.FromResult(new Subject(PgDataSource.Create(source.ConnectionString)));

    private static Task<Subject> Disposed()
    {
        var source = PgDataSource.Create(TestServer.Default.ConnectionString);
        source.Dispose();
        return Of(source);
    }

    private static async Task<Subject> Failed()
    {
        await using var command = Source.CreateCommand("SELECT 1/0");
        try
        {
            await command.ExecuteScalarAsync();
        }
        catch (PostgresException e)
        {
            return new Subject(e);
        }
        throw new InvalidOperationException("A division by zero succeeded.");
    }
}
