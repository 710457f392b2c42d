using static Loxo.IntegrationTests.Differential.Rule;

namespace Loxo.IntegrationTests.Differential;

/// <summary>Intended differences of commands and batches.</summary>
internal static class IntendedCommandDifferences
{
    public static IReadOnlyList<IntendedDifference> All { get; } =
    [
        Ends("`CommandType` of a number without a name", one => one.Loxo == "throws ArgumentOutOfRangeException" && one.Calls("CommandType = CommandType.7")),
        Ends("`Clone`, `Cancel` and `Connection` of a data source's command", one => one.Npgsql == "throws NotSupportedException"
            && (one.Calls(".Clone()") || one.Calls(".Cancel()") || one.Calls(".Connection = "))),
        Ends("A data source's command whose reader is open", one => one.Says("Connection already open")),
        Same("`Transaction` of a data source's command", one => one.Npgsql == "Transaction throws NotSupportedException"),
        Ends("Properties of a disposed command or connection", one => one.Npgsql == "throws ObjectDisposedException"
            && ((one.Loxo == "nothing" && (one.Calls(".Connection = ") || one.Calls(".ConnectionString = ")))
                || (one.Loxo == "throws ArgumentException" && one.Calls(".ConnectionString = \"Nonsense=1\"")))),
        Ends("`UnknownResultTypeList` of another length", one => (one.Npgsql.Has("result formats but query has")
                && one.Loxo.Has("PgException <- "))
            || (one.Npgsql == "throws IndexOutOfRangeException" && one.Did("UnknownResultTypeList"))),
        Same("`IsPrepared`", one => one is { Npgsql: "IsPrepared = Boolean true", Loxo: "IsPrepared = Boolean false" } && one.Calls("Show(m")
            && (!one.WasPrepared() || one.ChangedAfterRun() || one.HasFailedInTransaction())),
        Same("`Prepare` of a text that is prepared with parameters of other types", one => one.Calls("Show(m") && one.WasPrepared()
            && one is { Npgsql: "IsPrepared = Boolean false", Loxo: "IsPrepared = Boolean true" }
            && one.Earlier.Count(step => step.EndsWith(".Prepare();", StringComparison.Ordinal)) > 1),
        Ends("`Prepare` of a text that is prepared with parameters of other types", one => one.Calls(".Prepare()") && one.Npgsql == "nothing"
            && one.Loxo.Throws("PostgresException 42804") && one.Texts().LastOrDefault() is { } text && one.OtherHasPrepared(text)),
        Ends("`SchemaOnly`, `KeyInfo` in a failed transaction", one => (one.Loxo.Throws("PostgresException 25P02")
                || (one.Loxo.Has("AggregateException") && one.Says("25P02")))
            && (one.Calls("SchemaOnly") || one.Calls("KeyInfo"))),
        Ends("`Prepare` of a batch that is invalid", one => one.Calls("b.Prepare()") && one.Npgsql == "nothing" && one.Loxo.Throws("PostgresException")),
        Ends("`Unprepare` with nothing to do", one => one.Calls(".Unprepare()") && one.Npgsql.Throws()
            && one.Loxo == "nothing" && (!one.WasPrepared() || one.Says("Connection is not open"))),
        Ends("`Prepare` under an open reader", one => one.Calls(".Prepare()") && one.Npgsql == "throws PgOperationInProgressException"
            && one.Loxo == "nothing" && one.HasRun()),
        Ends("`Prepare` in a failed transaction", one => one.Calls(".Prepare()")
            && ((one.Npgsql == "nothing" && one.Loxo.Throws("PostgresException 25P02") && one.WasPrepared())
                || (one.Npgsql.Throws("PostgresException 25P02") && one.Loxo == "nothing" && one.HasRun()))),
        Ends("`CommandText` and `Parameters` of a disposed command", one => one.IsDisposed() && (one.Npgsql == "throws ArgumentOutOfRangeException" || (one.Calls(".Parameters.RemoveAt") && one is { Npgsql: "nothing", Loxo: "throws ArgumentOutOfRangeException" }) || one.Calls("Show(m"))),
        Ends("`CommandText` and `Parameters` of a disposed command", one => one.Loxo == "nothing"
            && one.Npgsql is "throws ArgumentOutOfRangeException" or "throws InvalidCastException" && one.Calls(".Parameters[") && (one.IsDisposed() || one.WasNotReplaced())),
        Ends("A disposed command on a closed connection", one => one is { Npgsql: "throws ObjectDisposedException", Loxo: "throws InvalidOperationException" }
            && one.Did(".Dispose()")),
        Ends("After `DEALLOCATE` or `DISCARD ALL`", one => one.Npgsql.Throws("PostgresException 26000")
            && !one.Loxo.Throws("PostgresException 26000") && (one.Did("DEALLOCATE") || one.Did("DISCARD"))),
        Ends("A statement that could not be prepared automatically", one => one.Npgsql.Throws("PostgresException 26000") && one.Says("\"_auto")
            && !one.Loxo.Throws("PostgresException 26000")),
        Ends("A token that is cancelled already", one => (one.Calls("new CancellationToken(true)") && one.Loxo == "throws OperationCanceledException")
            || (one.Did("new CancellationToken(true)") && one.WasReading && one.Loxo == "throws PgOperationInProgressException")
            || (one is { Step: null, Npgsql: "throws PgException", Loxo: "nothing" } && one.Did("new CancellationToken(true)"))),
        Ends("`CommandText` of a command whose reader is open", one => one.Npgsql == "nothing" && one.Says("A reader of this command is open")),

        Ends("A batch command with several statements", one => one.Loxo == "throws NotSupportedException"
            && one.Texts().Any(text => text.Has(";"))),
        Same("`RecordsAffected`, `Rows`, `StatementType` of a batch command", one => one.Calls("Show(b.BatchCommands)")
            && one.Earlier.Where(step => step.Has("b.Execute")).ToArray() is { Length: > 0 } runs
            && (runs.Length > 1 || runs[0].Has("SchemaOnly") || runs[0].EndsWith(Difference.Failed, StringComparison.Ordinal) || !one.ReaderIsClosed())
            && (one.Loxo.Name(), one.Loxo.Value()) is ("Rows", "UInt64 0") or ("RecordsAffected", "Int32 -1") or ("StatementType", "StatementType Unknown")),
        Ends("A batch with named parameters that runs again", one => one.Says("Missing type info or binding info")
            || one.Says("Exception while reading from stream")),
        Ends("A batch with `Max Auto Prepare=1`", one => (one.Says("while expecting") && one.Says("Please file a bug"))
            || (one is { Npgsql: "throws NullReferenceException", Loxo: "nothing" } && one.Calls("b.ExecuteReader") && one.Calls("SchemaOnly")
                && one.Keywords.Has("Max Auto Prepare=1;"))),
        Ends("A batch that is changed or disposed under its reader", one => !one.ReaderIsClosed()
            && (((!one.Loxo.Throws() || one.Loxo.Throws("PostgresException")) && (one.Step is null || one.UsesReader() || one.Calls("t.Dispose()") || one.Calls("c0."))) || one.ClosesUnderReader()) && one.SinceReader().Any(step => step.Has("b.BatchCommands.RemoveAt") || step.Has("b.Dispose()"))),
        Ends("Error barriers", one => (one.Did("EnableErrorBarriers = true") || one.Did("AppendErrorBarrier = true"))
            && (one.Npgsql.Throws() || (one.Calls("Show(b.BatchCommands)") && one.Npgsql is "Rows = UInt64 0" or "StatementType = StatementType Unknown"))
            && (one.Loxo is "nothing" or "= Boolean true" or "= Boolean false" || one.Npgsql == "throws NullReferenceException" || one.Loxo.Has("AggregateException") || one.Npgsql.Has("AggregateException") || one.Loxo.Has("column ")
                || one.Loxo.StartsWith("Rows = ", StringComparison.Ordinal) || one.Loxo.StartsWith("StatementType = ", StringComparison.Ordinal))),
    ];
}
