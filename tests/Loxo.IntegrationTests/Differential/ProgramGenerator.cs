using System.Data;

namespace Loxo.IntegrationTests.Differential;

/// <summary>Writes a program from a seed: scenarios that mostly make sense, with steps at the wrong time or place among them.</summary>
internal sealed class ProgramGenerator(int seed)
{
    private static readonly string[] Keywords =
    [
        "", "", "", "Max Auto Prepare=10;Auto Prepare Min Usages=2", "Max Auto Prepare=1;Auto Prepare Min Usages=1", "Pooling=false",
        "Include Failed Batched Command=true", "Max Auto Prepare=0", "No Reset On Close=true",
    ];

    private static readonly CommandBehavior[] Behaviors =
    [
        CommandBehavior.Default, CommandBehavior.Default, CommandBehavior.Default, CommandBehavior.SequentialAccess, CommandBehavior.SingleRow,
        CommandBehavior.SingleResult, CommandBehavior.SchemaOnly, CommandBehavior.KeyInfo, CommandBehavior.CloseConnection,
        CommandBehavior.SingleRow | CommandBehavior.CloseConnection, CommandBehavior.SchemaOnly | CommandBehavior.KeyInfo,
    ];

    private static readonly string[] Savepoints = ["s1", "s2", "odd \"name\""];

    private readonly Random _random = new(seed);
    private readonly List<Step> _steps = [];
    private readonly ParameterGenerator _parameters = new(new Random(seed + 1_000_000));

    public static GeneratedProgram Write(int seed) => new ProgramGenerator(seed).Write();

    private GeneratedProgram Write()
    {
        var keywords = Pick(Keywords);
        if (!Chance(20))
            Add(ConnectionSteps.Open(0));
        var count = _random.Next(1, 5);
        for (var i = 0; i < count; i++)
            Scenario();
        return new GeneratedProgram(seed, keywords, _steps);
    }

    private void Scenario()
    {
        switch (_random.Next(15))
        {
            case < 5:
                Command(_random.Next(2));
                break;
            case < 8:
                Batch();
                break;
            case < 11:
                Transaction();
                break;
            case < 12:
                Connection();
                break;
            case < 13:
                Procedure();
                break;
            case < 14:
                Stray();
                break;
            default:
                Add(CommandSteps.CancelledWhileItSleeps(Chance(2)));
                break;
        }
    }

    private void Command(int i)
    {
        NewCommand(i);
        Sometimes(6, () => Add(CommandSteps.Prepare(i)));
        var runs = _random.Next(1, 4);
        for (var run = 0; run < runs; run++)
        {
            Execute(i);
            Sometimes(3, () => Change(i));
        }
        Sometimes(6, () => Add(CommandSteps.Look(i)));
        Sometimes(8, () => Add(CommandSteps.LookAtParameters(i)));
        Sometimes(10, () => Add(CommandSteps.Dispose(i)));
    }

    private void NewCommand(int i)
    {
        var c = Chance(12) ? 1 : 0;
        var (text, parameters) = _parameters.Statement();
        Add(Chance(15) ? CommandSteps.NewOfDataSource(i, text) : CommandSteps.New(i, c, text));
        foreach (var parameter in parameters)
            Add(CommandSteps.Add(i, parameter));
        Sometimes(12, () => Add(CommandSteps.AllAsText(i, true)));
        Sometimes(15, () => Add(CommandSteps.SomeAsText(i, Chance(3) ? null : [Chance(2), Chance(2)])));
        Sometimes(20, () => Add(CommandSteps.SetType(i, Pick([CommandType.TableDirect, CommandType.StoredProcedure, CommandType.Text, (CommandType)7]))));
        Sometimes(20, () => Add(CommandSteps.SetTimeout(i, Pick([0, 60, -1]))));
    }

    private void Execute(int i)
    {
        switch (_random.Next(10))
        {
            case < 3:
                Add(CommandSteps.NonQuery(i));
                break;
            case < 5:
                Add(CommandSteps.Scalar(i));
                break;
            case < 9:
                Add(CommandSteps.Reader(i, Pick(Behaviors)));
                Read();
                break;
            default:
                Add(Chance(3) ? CommandSteps.CancelledBefore(i) : CommandSteps.Prepare(i));
                break;
        }
    }

    private void Change(int i) => Add(_random.Next(10) switch
    {
        0 => CommandSteps.SetText(i, _parameters.Statement().Text),
        1 => CommandSteps.Unprepare(i),
        2 => CommandSteps.SetConnection(i, _random.Next(2)),
        3 => CommandSteps.ClearParameters(i),
        4 => CommandSteps.SwapParameters(i),
        5 => CommandSteps.Clone(i, 1 - i),
        6 => CommandSteps.Add(i, _parameters.Next(Chance(2) ? "" : "p0", Pick(Sample.All))),
        7 => CommandSteps.Cancel(i),
        _ => CommandSteps.Change(i, _random.Next(2), Pick(Sample.All), (Typing)_random.Next(6)),
    });

    private void Read()
    {
        Sometimes(4, () => Add(ReaderSteps.Look()));
        var count = _random.Next(7);
        for (var i = 0; i < count; i++)
            Add(ReaderCall());
        Sometimes(2, () => Add(ReaderSteps.ReadAll()));
        if (!Chance(6))
            Add(Chance(2) ? ReaderSteps.Close() : ReaderSteps.Dispose());
        Sometimes(5, () => Add(ReaderSteps.RecordsAffected()));
        Sometimes(12, () => Add(ReaderCall()));
    }

    private Step ReaderCall() => _random.Next(20) switch
    {
        < 6 => ReaderSteps.Read(),
        < 8 => ReaderSteps.Values(),
        < 13 => ReaderSteps.Get(_random.Next(ReaderSteps.Getters.Count), Pick([0, 0, 0, 1, 2, 9, -1])),
        13 => ReaderSteps.NextResult(),
        14 => ReaderSteps.SchemaTable(),
        15 => ReaderSteps.ColumnSchema(),
        16 => ReaderSteps.ByName(Pick(["id", "ID", "Name", "x", "missing"])),
        17 => Pick([ReaderSteps.GetAsync<int>(0), ReaderSteps.GetAsync<string>(0), ReaderSteps.GetAsync<object>(1), ReaderSteps.IsNull(0)]),
        18 => ReaderSteps.Look(),
        _ => Chance(3) ? ReaderSteps.Enumerate() : ReaderSteps.RecordsAffected(),
    };

    private void Batch()
    {
        Add(Chance(10) ? BatchSteps.NewOfDataSource() : BatchSteps.New(Chance(12) ? 1 : 0));
        var count = _random.Next(5);
        var hasBarriers = Chance(3);
        for (var i = 0; i < count; i++)
        {
            var (text, parameters) = _parameters.Statement();
            // Npgsql never comes to the end of such a result if there are error barriers.
            while (hasBarriers && StatementGrammar.FailsAmongRows(text))
                (text, parameters) = _parameters.Statement();
            Add(BatchSteps.Add(text, hasBarriers && Chance(3) ? Chance(2) : null, parameters));
        }
        if (hasBarriers && Chance(2))
            Add(BatchSteps.Barriers(true));
        Sometimes(6, () => Add(BatchSteps.Prepare()));
        var runs = _random.Next(1, 3);
        for (var run = 0; run < runs; run++)
        {
            var kind = _random.Next(4);
            Add(kind == 0 ? BatchSteps.NonQuery() : kind == 1 ? BatchSteps.Scalar() : BatchSteps.Reader(Pick(Behaviors)));
            if (kind > 1)
                Read();
            Sometimes(3, () => Add(BatchSteps.Look()));
            Sometimes(8, () => Add(BatchSteps.RemoveLast()));
        }
        Sometimes(10, () => Add(BatchSteps.Dispose()));
    }

    private void Transaction()
    {
        Add(ConnectionSteps.Begin(Chance(15) ? 1 : 0, Pick([IsolationLevel.ReadCommitted, IsolationLevel.Unspecified, IsolationLevel.Serializable,
            IsolationLevel.RepeatableRead, IsolationLevel.Snapshot, IsolationLevel.Chaos])));
        var count = _random.Next(1, 4);
        for (var i = 0; i < count; i++)
        {
            if (Chance(3))
                Add(Savepoint());
            else if (Chance(4))
                Batch();
            else
                Command(_random.Next(2));
        }
        Sometimes(6, () => Add(ConnectionSteps.LookAtTransaction()));
        if (Chance(8))
            return;
        Add(Pick([ConnectionSteps.Commit(), ConnectionSteps.Commit(), ConnectionSteps.Rollback(), ConnectionSteps.DisposeTransaction()]));
        Sometimes(6, () => Add(Pick([ConnectionSteps.Commit(), ConnectionSteps.Rollback(), ConnectionSteps.LookAtTransaction(), Savepoint()])));
    }

    private Step Savepoint() => _random.Next(3) switch
    {
        0 => ConnectionSteps.Save(Pick(Savepoints)),
        1 => ConnectionSteps.RollbackTo(Pick(Savepoints)),
        _ => ConnectionSteps.Release(Pick(Savepoints)),
    };

    private void Connection()
    {
        var c = Chance(3) ? 1 : 0;
        Add(_random.Next(10) switch
        {
            0 => ConnectionSteps.Look(c),
            1 => ConnectionSteps.Renew(c),
            2 => ConnectionSteps.Dispose(c),
            3 => ConnectionSteps.ChangeDatabase(c, !Chance(3)),
            4 => ConnectionSteps.UnprepareAll(c),
            5 => ConnectionSteps.ReloadTypes(c),
            6 => ConnectionSteps.SetConnectionString(c, Pick(["Host=other", "Nonsense=1", ""])),
            _ => ConnectionSteps.Close(c),
        });
        Sometimes(2, () => Add(ConnectionSteps.Open(c)));
    }

    private void Procedure()
    {
        Add(CommandSteps.New(0, 0, Pick(["bump", "quiet", "outs", "items", "missing", "CALL bump($1, $2)", "SELECT * FROM outs(@a)"])));
        Add(CommandSteps.SetType(0, Pick([CommandType.StoredProcedure, CommandType.StoredProcedure, CommandType.TableDirect, CommandType.Text])));
        foreach (var parameter in _parameters.OfProcedure())
            Add(CommandSteps.Add(0, parameter));
        Sometimes(3, () => Add(CommandSteps.Prepare(0)));
        Execute(0);
        Add(CommandSteps.LookAtParameters(0));
    }

    /// <summary>A call out of its place.</summary>
    private void Stray() => Add(_random.Next(10) switch
    {
        0 => ConnectionSteps.Open(0),
        1 => ConnectionSteps.Open(1),
        2 => ReaderCall(),
        3 => ConnectionSteps.Commit(),
        4 => CommandSteps.SetTransaction(0),
        5 => CommandSteps.SetConnection(0, null),
        6 => ReaderSteps.Dispose(),
        7 => CommandSteps.NonQuery(0),
        8 => CommandSteps.RemoveParameter(0, _random.Next(2)),
        _ => Savepoint(),
    });

    private void Add(Step step) => _steps.Add(step);

    private bool Chance(int oneIn) => _random.Next(oneIn) == 0;

    private void Sometimes(int oneIn, Action action)
    {
        if (Chance(oneIn))
            action();
    }

    private T Pick<T>(IReadOnlyList<T> items) => items[_random.Next(items.Count)];
}
