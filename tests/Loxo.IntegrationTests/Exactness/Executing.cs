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
