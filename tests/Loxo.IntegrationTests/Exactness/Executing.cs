using System.Globalization;
using System.Text;

namespace Loxo.IntegrationTests.Exactness;

/// <summary>Where a statement stands.</summary>
public enum Place
{
    Alone,
    FirstInText,
    MiddleOfText,
    LastInText,
    FirstInBatch,
    MiddleOfBatch,
    LastInBatch,
    FirstBehindBarriers,
    MiddleBetweenBarriers,
    LastBehindBarriers,
}

/// <summary>What the driver knows of a text when it runs.</summary>
public enum Use
{
    /// <summary>The first run of the text.</summary>
    First,

    /// <summary>A later run, never prepared.</summary>
    LaterUnprepared,

    /// <summary>A run that prepares it unasked.</summary>
    Second,

    /// <summary>Prepared unasked.</summary>
    AutoPrepared,

    /// <summary>Prepared by <c>Prepare()</c>.</summary>
    Prepared,
}

/// <summary>In which transaction a statement runs.</summary>
public enum Within
{
    Autocommit,

    /// <summary>The first command of a transaction: BEGIN goes with it.</summary>
    NewTransaction,

    /// <summary>A transaction in which something has been done.</summary>
    OpenTransaction,
}

/// <summary>By which member a statement is run.</summary>
public enum Call
{
    NonQuery,
    Scalar,
    Reader,
}

/// <summary>One way of running a statement.</summary>
public sealed record Way(Place Place, Use Use, Within Within, Call Call)
{
    public static IEnumerable<Way> All =>
        from place in Enum.GetValues<Place>()
        from use in Enum.GetValues<Use>()
        from within in Enum.GetValues<Within>()
        from call in Enum.GetValues<Call>()
        select new Way(place, use, within, call);

    public bool IsBatch => Place >= Place.FirstInBatch;

    public bool HasBarriers => Place >= Place.FirstBehindBarriers;

    /// <summary>How many statements come before it.</summary>
    public int Before => Place == Place.Alone ? 0 : ((int)Place - 1) % 3;

    /// <summary>How many statements come behind it.</summary>
    public int Behind => Place == Place.Alone ? 0 : 2 - Before;

    public override string ToString() => $"{Place}, {Use}, {Within}, {Call}";

    /// <summary>How often the statements beside one that fails have to run.</summary>
    public int NeighboursOfAFailure => HasBarriers && Within == Within.Autocommit ? Before + Behind : Before;
}

/// <summary>Runs texts and batches by the three members, in one of the two wait modes.</summary>
internal sealed class Executor(WaitMode mode)
{
    private PgTransaction? _transaction;

    /// <summary>Runs a command and returns the first column of the first row of its last result, if that was asked for.</summary>
    public Task<object?> Run(PgCommand command, Call call) => call switch
    {
        Call.NonQuery => Boxed(mode.ExecuteNonQuery(command)),
        Call.Scalar => mode.ExecuteScalar(command),
        _ => Drain(() => mode.ExecuteReader(command)),
    };

    /// <inheritdoc cref="Run(PgCommand, Call)"/>
    public Task<object?> Run(PgBatch batch, Call call) => call switch
    {
        Call.NonQuery => Boxed(mode.Run(batch.ExecuteNonQuery, () => batch.ExecuteNonQueryAsync())),
        Call.Scalar => mode.Run(batch.ExecuteScalar, () => batch.ExecuteScalarAsync()),
        _ => Drain(() => mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync())),
    };

    public Task Prepare(PgCommand command) => mode.Prepare(command);

    public Task Prepare(PgBatch batch) => mode.Run(batch.Prepare, () => batch.PrepareAsync());

    /// <summary>Everything that a command returns, as text.</summary>
    public Task<string> ReadAll(PgCommand command) => Describe(() => mode.ExecuteReader(command));

    /// <inheritdoc cref="ReadAll(PgCommand)"/>
    public Task<string> ReadAll(PgBatch batch) => Describe(() => mode.Run(() => batch.ExecuteReader(), () => batch.ExecuteReaderAsync()));

    /// <summary>The first row; the others are left to the reader's end.</summary>
    public async Task<string> ReadOne(PgCommand command)
    {
        var reader = await mode.ExecuteReader(command);
        var row = await mode.Read(reader) ? Row(reader) : "no row";
        await mode.Close(reader);
        return row;
    }

    /// <summary>Cancels a command behind its first row and reads on. A cancel that the server confirms leaves the connection open.</summary>
    public async Task<string> ReadCancelled(PgCommand command)
    {
        var reader = await mode.ExecuteReader(command);
        var lengths = new List<int>();
        try
        {
            while (await mode.Read(reader))
            {
                lengths.Add(reader.GetString(0).Length);
                command.Cancel();
            }
            await mode.Close(reader);
            return $"{string.Join(',', lengths)}, not cancelled";
        }
        catch (OperationCanceledException) when (command.Connection!.State == System.Data.ConnectionState.Open)
        {
            await mode.Close(reader);
            return $"{string.Join(',', lengths)}, cancelled";
        }
    }

    /// <summary>Begins the one transaction that <see cref="Commit"/> and <see cref="Rollback"/> end.</summary>
    public async Task Begin(PgConnection connection) =>
        _transaction = await mode.Run(() => connection.BeginTransaction(), async () => await connection.BeginTransactionAsync());

    public Task Commit() => mode.Commit(_transaction!);

    public Task Rollback() => mode.Rollback(_transaction!);

    /// <summary>Imports the numbers from 1 on into the one column of a table.</summary>
    public async Task<string> Import(PgConnection connection, string sql, int rows, bool isCompleted)
    {
        await using var importer = await mode.Run(() => connection.BeginBinaryImport(sql), () => connection.BeginBinaryImportAsync(sql));
        for (var row = 1; row <= rows; row++)
        {
            await mode.Run(importer.StartRow, () => importer.StartRowAsync());
            await mode.Run(() => importer.Write(row), () => importer.WriteAsync(row));
        }
        var text = isCompleted ? $"{await mode.Run(importer.Complete, () => importer.CompleteAsync().AsTask())} imported" : "given up";
        await mode.Run(importer.Dispose, () => importer.DisposeAsync().AsTask());
        return text;
    }

    public async Task<string> ImportText(PgConnection connection, string sql, string text)
    {
        await using var writer = await mode.Run(() => connection.BeginTextImport(sql), () => connection.BeginTextImportAsync(sql));
        await mode.Run(() => writer.Write(text), () => writer.WriteAsync(text));
        var count = await mode.Run(writer.Complete, () => writer.CompleteAsync().AsTask());
        await mode.Run(writer.Dispose, () => writer.DisposeAsync().AsTask());
        return $"{count} imported";
    }

    /// <summary>The first columns, which are numbers, of so many rows.</summary>
    public async Task<string> Export(PgConnection connection, string sql, int rows)
    {
        await using var exporter = await mode.Run(() => connection.BeginBinaryExport(sql), () => connection.BeginBinaryExportAsync(sql));
        var text = new StringBuilder();
        for (var row = 0; row < rows && await mode.Run(exporter.StartRow, () => exporter.StartRowAsync().AsTask()) is >= 0 and var columns; row++)
        {
            text.Append(await mode.Run(exporter.Read<int>, () => exporter.ReadAsync<int>().AsTask())).Append(' ');
            for (var column = 1; column < columns; column++)
                await mode.Run(exporter.Skip, () => exporter.SkipAsync());
        }
        await mode.Run(exporter.Dispose, () => exporter.DisposeAsync().AsTask());
        return text.ToString();
    }

    public async Task<string> ExportText(PgConnection connection, string sql)
    {
        await using var reader = await mode.Run(() => connection.BeginTextExport(sql), () => connection.BeginTextExportAsync(sql));
        var text = await mode.Run(reader.ReadToEnd, () => reader.ReadToEndAsync());
        await mode.Run(reader.Dispose, () => reader.DisposeAsync().AsTask());
        return text;
    }

    /// <summary>Executes a command with one parameter for the numbers from 1 on.</summary>
    public async Task<string> Many(PgCommand command, int rows)
    {
        var numbers = Enumerable.Range(1, rows);
        return $"{await mode.Run(() => command.ExecuteMany(numbers, Bind), () => command.ExecuteManyAsync(numbers, Bind))} rows";

        static void Bind(int row, PgParameterCollection parameters) => ((PgParameter<int>)parameters[0]).TypedValue = row;
    }

    /// <summary>What the commands of a pipeline return; an empty text is a Sync.</summary>
    public async Task<string> Pipeline(PgConnection connection, IEnumerable<string> texts)
    {
        var text = new StringBuilder();
        var pipeline = connection.CreatePipeline();
        try
        {
            var results = new List<PgPipelineResult<PgDataReader>>();
            foreach (var sql in texts)
            {
                if (sql.Length == 0)
                    pipeline.Sync();
                else
                    results.Add(pipeline.AddReader(new PgCommand(sql, connection)));
            }
            foreach (var result in results)
                text.Append(await Describe(() => mode.Run(result.GetResult, () => result.GetResultAsync()))).Append(';');
        }
        finally
        {
            await mode.Run(pipeline.Dispose, () => pipeline.DisposeAsync().AsTask());
        }
        return text.ToString();
    }

    private async Task<string> Describe(Func<Task<PgDataReader>> execute)
    {
        var text = new StringBuilder();
        var reader = await execute();
        do
        {
            while (await mode.Read(reader))
                text.Append(Row(reader)).Append(' ');
            text.Append('|');
        }
        while (await mode.NextResult(reader));
        await mode.Close(reader);
        return text.Append(reader.RecordsAffected).ToString();
    }

    private static string Row(PgDataReader reader) =>
        string.Join(',', Enumerable.Range(0, reader.FieldCount).Select(column => Convert.ToString(reader.GetValue(column), CultureInfo.InvariantCulture)));

    private static async Task<object?> Boxed(Task<int> count) => await count;

    private async Task<object?> Drain(Func<Task<PgDataReader>> execute)
    {
        object? last = null;
        var reader = await execute();
        try
        {
            do
            {
                for (var row = 0; await mode.Read(reader); row++)
                    last = row == 0 ? reader.GetValue(0) : last;
            }
            while (await mode.NextResult(reader));
        }
        finally
        {
            await mode.Close(reader);
        }
        return last;
    }
}
