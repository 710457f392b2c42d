using System.Globalization;

namespace Loxo.IntegrationTests.Exactness;

/// <summary>Where a statement's executions are counted, out of reach of a rollback.</summary>
public enum Counter
{
    /// <summary>nextval: the sequence keeps its value.</summary>
    Sequence,

    /// <summary>An update on a connection of the server's own, through dblink.</summary>
    Dblink,
}

/// <summary>A database in which <see cref="Reach"/> counts, and a connection beside the tested one that reads the counter and turns errors on.</summary>
internal sealed class ProofDatabase : IDisposable
{
    private static int _count;

    private readonly string _name = string.Create(CultureInfo.InvariantCulture, $"proof_{Environment.ProcessId}_{Interlocked.Increment(ref _count)}");
    private readonly PgConnection _aside;
    private readonly Counter _counter;

    public ProofDatabase(Counter counter)
    {
        _counter = counter;
        Maintain($"CREATE DATABASE {_name}");
        ConnectionString = new PgConnectionStringBuilder(TestServer.Default.ConnectionString) { Database = _name, CommandTimeout = 300 }.ConnectionString;
        _aside = new PgConnection(ConnectionString + ";Pooling=false");
        _aside.Open();
        Run("CREATE EXTENSION dblink; CREATE SEQUENCE proof_counter; CREATE TABLE proof_counted (n bigint); INSERT INTO proof_counted VALUES (0)");
        Run(Reach.Schema(counter == Counter.Sequence
            ? "PERFORM nextval('proof_counter')"
            : $"PERFORM dblink_exec('{LibpqString()}', 'UPDATE proof_counted SET n = n + 1')"));
        foreach (var source in ErrorSource.All)
            Add(source);
    }

    public string ConnectionString { get; }

    /// <summary>Adds an error that statements can raise.</summary>
    public void Add(ErrorSource source) =>
        Run("INSERT INTO proof_source VALUES ($1, $2, $3, $4)", source.Name, source.SqlState, source.Message, source.Body);

    /// <summary>Counts from 0 again; the statement raises that error from now on, none if null.</summary>
    public void Restart(ErrorSource? source = null)
    {
        Run("""
            SELECT setval('proof_counter', 1, false), setval('proof_neighbours', 1, false);
            UPDATE proof_counted SET n = 0;
            DELETE FROM proof_switch
            """);
        if (source is not null)
            Run("INSERT INTO proof_switch VALUES ($1)", source.Name);
    }

    /// <summary>How often the statement has run.</summary>
    public int Counted() => Read(_counter == Counter.Sequence ? Value("proof_counter") : "SELECT n::int FROM proof_counted");

    /// <summary>How often statements beside it, in the same text or batch, have run.</summary>
    public int Neighbours() => Read(Value("proof_neighbours"));

    /// <summary>Runs a text beside the tested connection.</summary>
    public void Run(string sql, params object?[] values)
    {
        using var command = Command(sql, values);
        command.ExecuteNonQuery();
    }

    public void Dispose()
    {
        _aside.Dispose();
        Maintain($"DROP DATABASE {_name} WITH (FORCE)");
    }

    private static string Value(string sequence) => $"SELECT CASE WHEN is_called THEN last_value ELSE 0 END::int FROM {sequence}";

    private int Read(string sql)
    {
        using var command = Command(sql, []);
        return (int)command.ExecuteScalar()!;
    }

    private PgCommand Command(string sql, object?[] values)
    {
        var command = new PgCommand(sql, _aside);
        foreach (var value in values)
            command.Parameters.Add(new PgParameter(null, value ?? DBNull.Value));
        return command;
    }

    private string LibpqString() => string.Create(CultureInfo.InvariantCulture,
        $"host={TestServer.Default.Host} port={TestServer.Default.Port} dbname={_name} user={_aside.UserName}");

    private static void Maintain(string sql)
    {
        using var connection = new PgConnection(TestServer.Default.ConnectionString);
        connection.Open();
        using var command = new PgCommand(sql, connection);
        command.ExecuteNonQuery();
    }
}
