using System.Data.Common;

namespace Loxo.IntegrationTests.Differential;

/// <summary>Runs the steps of a program on one driver, and writes down what a program can see of each.</summary>
internal sealed class Machine : IAsyncDisposable
{
    /// <summary>The line of a step that needs what no earlier step has made.</summary>
    public const string NothingThere = "nothing there";

    private readonly string _connectionString;
    private readonly DbConnection[] _connections = new DbConnection[2];
    private readonly DbCommand?[] _commands = new DbCommand?[2];
    private readonly List<string> _notices = [];
    private readonly List<Observation> _observations = [];
    private List<string> _lines = [];
    private List<string> _states = [];
    private List<string> _messages = [];
    private DbDataReader? _reader;
    private DbDataSource? _dataSource;

    /// <param name="sleeping">Waits until the driver's database sleeps in <c>pg_sleep</c>, or the command that is to sleep there has ended.</param>
    public Machine(Driver driver, WaitMode mode, string connectionString, Func<Task, Task> sleeping)
    {
        (Driver, Mode, _connectionString, Sleeping) = (driver, mode, connectionString, sleeping);
        for (var i = 0; i < _connections.Length; i++)
            Renew(i);
    }

    public Driver Driver { get; }

    public WaitMode Mode { get; }

    public Func<Task, Task> Sleeping { get; }

    public string Database => new DbConnectionStringBuilder { ConnectionString = _connectionString }["Database"].ToString()!;

    public DbDataReader Reader { get => _reader ?? throw new NothingThereException("reader"); set => _reader = value; }

    public DbTransaction Transaction { get => field ?? throw new NothingThereException("transaction"); set; }

    public DbBatch Batch { get => field ?? throw new NothingThereException("batch"); set; }

    public DbDataSource DataSource => _dataSource ??= Driver.DataSource(_connectionString);

    public IReadOnlyList<Observation> Observations => _observations;

    public DbConnection Connection(int number) => _connections[number];

    public DbCommand Command(int number) => _commands[number] ?? throw new NothingThereException($"command m{number}");

    public void SetCommand(int number, DbCommand command) => _commands[number] = command;

    public DbConnection Renew(int number)
    {
        var connection = Driver.Connection(_connectionString);
        connection.StateChange += (_, args) => _states.Add($"c{number} goes from {args.OriginalState} to {args.CurrentState}");
        Driver.OnNotice(connection, _notices.Add);
        return _connections[number] = connection;
    }

    /// <summary>Writes down a value that a program got.</summary>
    public void Note(object? value) => _lines.Add("= " + Shown.Value(value));

    /// <inheritdoc cref="Note"/>
    public void Note(string name, object? value) => _lines.Add($"{name} = {Shown.Value(value)}");

    public async Task Run(Step step)
    {
        (_lines, _states, _messages) = ([], [], []);
        await Guard(() => step.Run(this));
        NoteStates();
        _observations.Add(new Observation(step, _lines, _states) { IsReading = _reader is { IsClosed: false, FieldCount: > 0 }, Messages = _messages });
    }

    /// <summary>Calls something of which each part may throw by itself.</summary>
    public async Task Guard(Func<Task> action)
    {
        try
        {
            await action();
        }
        catch (NothingThereException)
        {
            _lines.Add(NothingThere);
        }
        catch (Exception error)
        {
            _lines.Add("throws " + Shown.Error(error));
            _messages.Add(error.Message);
        }
    }

    /// <inheritdoc cref="Guard(Func{Task})"/>
    public void Get(string name, Func<object?> get)
    {
        try
        {
            Note(name, get());
        }
        catch (NothingThereException)
        {
            throw;
        }
        catch (Exception error)
        {
            _lines.Add($"{name} throws {Shown.Error(error)}");
            _messages.Add(error.Message);
        }
    }

    /// <summary>The end of a program: everything is closed, and notices are compared, whose time is not part of any contract.</summary>
    public async Task Finish()
    {
        (_lines, _states, _messages) = ([], [], []);
        foreach (var connection in _connections)
            await Guard(() => Mode.Close(connection));
        NoteStates();
        _lines.AddRange(_notices.Select(notice => "notice " + notice));
        _observations.Add(new Observation(null, _lines, _states) { Messages = _messages });
    }

    public async ValueTask DisposeAsync()
    {
        // The reader of a data source's command has a connection of its own.
        if (_reader is not null)
            await Guard(() => Mode.Run(_reader.Dispose, () => _reader.DisposeAsync().AsTask()));
        foreach (var connection in _connections)
        {
            try
            {
                await connection.DisposeAsync();
            }
            catch (Exception) when (Driver == Driver.Npgsql)
            {
                // What its Close could not read it cannot read now; Finish has written that down.
            }
            // No program begins on a session that an earlier one has used.
            Driver.ClearPool(connection);
        }
        if (_dataSource is not null)
            await _dataSource.DisposeAsync();
    }

    private void NoteStates()
    {
        for (var i = 0; i < _connections.Length; i++)
            _states.Add($"c{i} is {_connections[i].State}");
    }
}
