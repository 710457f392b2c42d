using System.Diagnostics;
using Loxo.Diagnostics;
using Loxo.Session;
using Loxo.Sql;

namespace Loxo.Commands;

/// <summary>
/// Begins what is told of a command, batch or copy, if anybody wants to know: span, duration, log message. Errors of listeners and of the
/// user's functions are no errors of the command.
/// </summary>
internal static class CommandTracing
{
    // Of a statement's text in a span.
    private const int MostCharacters = 8192;

    /// <summary>The command of an exchange begins. Null if nobody wants to know.</summary>
    public static OperationTrace? Begin(IExecutable command, CommandExchange exchange, ServerSession session) =>
        session.Context.Telemetry is { SeesOperations: true } target
            ? Begin(exchange.UsedTrace ??= new OperationTrace(target), target, command, session)
            : null;

    /// <summary>A command for many rows begins. Null if nobody wants to know.</summary>
    public static OperationTrace? BeginMany(IExecutable command, ServerSession session) =>
        session.Context.Telemetry is { SeesOperations: true } target
            ? Begin(new OperationTrace(target), target, command, session)
            : null;

    /// <summary>A COPY begins. Null if nobody wants to know.</summary>
    public static OperationTrace? BeginCopy(PgConnection connection, ServerSession session, string sql)
    {
        if (session.Context.Telemetry is not { SeesOperations: true } target)
            return null;
        var trace = new OperationTrace(target);
        if (trace.Statements is { } statements)
        {
            var text = SqlSummary.WithoutLiterals(sql, session.Parameters.StandardConformingStrings, StatementRecorder.MostCharacters);
            statements.Add(target.Statements!.Get(text, 0, isPlannable: false));
        }
        return trace.Begin(CopySpan(target, connection.Source!.Tracing, session, sql), sql, session.ProcessId, isCopy: true);
    }

    /// <summary>The results of a command have come, or its error: tells what became of each statement, and ends.</summary>
    public static void End(OperationTrace trace, QueryExchange query, Exception? error)
    {
        trace.Responded();
        if (trace.Statements is { } statements)
            TellOutcomes(statements, query);
        trace.End(error, query.RowsReturned());
    }

    private static OperationTrace Begin(OperationTrace trace, TelemetryTarget target, IExecutable command, ServerSession session)
    {
        var parameters = "";
        Activity? span = null;
        try
        {
            if (trace.Statements is { } statements)
                AddStatements(statements, target.Statements!, command, session);
            if (target is { ShowsParameters: true, Log: not null })
                parameters = " " + ParameterText.Of(command);
            Span(target, (command.Connection?.Source ?? command.DataSource)!.Tracing, command, session, ref span);
        }
        catch (Exception)
        {
        }
        return trace.Begin(span, target.Log is null ? "" : TextOf(command), session.ProcessId, parameters);
    }

    private static void AddStatements(
        OperationStatements statements, StatementRecorder recorder, IExecutable command, ServerSession session)
    {
        statements.Clear();
        foreach (var plan in PlansOf(command, session))
        {
            var source = plan.Source;
            if (source.Counters is not { IsEvicted: false } counters)
            {
                var text = SqlSummary.WithoutLiterals(
                    source.Sql, session.Parameters.StandardConformingStrings, StatementRecorder.MostCharacters);
                source.Counters = counters = recorder.Get(text, plan.Count, source.IsPlannable);
            }
            var executable = plan.Sql.Length <= StatementRecorder.MostCharacters ? plan.Sql : null;
            // Read before written, so that a statement of all threads does not move its cache line between them.
            if (!ReferenceEquals(counters.Executable, executable))
                counters.Executable = executable;
            statements.Add(counters);
        }
    }

    private static void TellOutcomes(OperationStatements statements, QueryExchange query)
    {
        var runs = query.Runs;
        for (var i = 0; i < runs.Length; i++)
        {
            if (runs[i].IsComplete)
                statements.Complete(i, (long)runs[i].Rows);
        }
        if (query.Error is { } error)
            statements.Fail(error.Statement, error.SqlState ?? "");
        foreach (var later in query.LaterErrors ?? [])
            statements.Fail(later.Statement, later.SqlState ?? "");
    }

    // A command that cannot be planned says so itself.
    private static ReadOnlySpan<StatementPlan> PlansOf(IExecutable command, ServerSession session)
    {
        try
        {
            return command.Plan(session);
        }
        catch (Exception e) when (e is InvalidOperationException or NotSupportedException or PgException)
        {
            return [];
        }
    }

    private static void Span(
        TelemetryTarget target, TracingOptions options, IExecutable command, ServerSession session, ref Activity? span)
    {
        if (!Telemetry.Activities.HasListeners() || !IsWanted(options, command))
            return;
        var tags = Tags(target, command, session, out var name);
        span = target.Begin(NameOf(options, command) ?? name, tags);
        if (span is not null)
            Enrich(options, span, command);
    }

    private static Activity? CopySpan(TelemetryTarget target, TracingOptions options, ServerSession session, string sql)
    {
        Activity? span = null;
        try
        {
            if (!Telemetry.Activities.HasListeners() || options.CopyFilter?.Invoke(sql) == false)
                return null;
            var conforming = session.Parameters.StandardConformingStrings;
            var summary = SqlSummary.Of(sql, conforming);
            var tags = Tags(target, summary, Shown(SqlSummary.WithoutLiterals(sql, conforming)));
            span = target.Begin(options.NameCopy?.Invoke(sql) ?? summary.Text, tags);
            if (span is not null)
                options.EnrichCopy?.Invoke(span, sql);
        }
        catch (Exception)
        {
        }
        return span;
    }

    private static bool IsWanted(TracingOptions options, IExecutable command) => command switch
    {
        PgCommand one => options.CommandFilter?.Invoke(one) ?? true,
        PgBatch batch => options.BatchFilter?.Invoke(batch) ?? true,
        _ => true,
    };

    private static string? NameOf(TracingOptions options, IExecutable command) => command switch
    {
        PgCommand one => options.NameCommand?.Invoke(one),
        PgBatch batch => options.NameBatch?.Invoke(batch),
        _ => null,
    };

    private static void Enrich(TracingOptions options, Activity activity, IExecutable command)
    {
        if (command is PgCommand one)
            options.EnrichCommand?.Invoke(activity, one);
        else if (command is PgBatch batch)
            options.EnrichBatch?.Invoke(activity, batch);
    }

    private static TagList Tags(TelemetryTarget target, IExecutable command, ServerSession session, out string name)
    {
        var plans = PlansOf(command, session);
        name = target.Database;
        if (plans.Length == 0)
            return target.ServerTags;
        var conforming = session.Parameters.StandardConformingStrings;
        if (plans.Length == 1)
        {
            var summary = plans[0].Source.SummaryFor(conforming);
            if (summary.Text.Length > 0)
                name = summary.Text;
            var tags = Tags(target, summary, Shown(TextOf(plans[0], conforming)));
            if (command is PgCommand { CommandType: System.Data.CommandType.StoredProcedure } procedure)
                tags.Add("db.stored_procedure.name", procedure.CommandText);
            return tags;
        }
        return BatchTags(target, plans, conforming, out name);
    }

    // "BATCH" in front, and the operation behind it if all have the same one.
    private static TagList BatchTags(TelemetryTarget target, ReadOnlySpan<StatementPlan> plans, bool conforming, out string name)
    {
        var text = new StringBuilder();
        var (summary, operation) = ((string?)null, (string?)null);
        var (isSameSummary, isSameOperation) = (true, true);
        foreach (var plan in plans)
        {
            var one = plan.Source.SummaryFor(conforming);
            isSameSummary &= (summary ??= one.Text) == one.Text;
            isSameOperation &= (operation ??= one.Operation) == one.Operation;
            if (text.Length <= MostCharacters)
                text.Append(text.Length > 0 ? "; " : "").Append(TextOf(plan, conforming));
        }
        name = isSameSummary && summary is not null ? $"BATCH {summary}" : "BATCH";
        var tags = target.ServerTags;
        tags.Add("db.query.text", Shown(text.ToString()));
        tags.Add("db.query.summary", name);
        tags.Add("db.operation.name", isSameOperation && operation is not null ? $"BATCH {operation}" : "BATCH");
        tags.Add("db.operation.batch.size", plans.Length);
        return tags;
    }

    private static TagList Tags(TelemetryTarget target, SqlSummary summary, string text)
    {
        var tags = target.ServerTags;
        tags.Add("db.query.text", text);
        tags.Add("db.query.summary", summary.Text);
        tags.Add("db.operation.name", summary.Operation);
        if (summary.Table is { } table)
            tags.Add("db.collection.name", table);
        return tags;
    }

    // A text with parameters keeps its literals: its author puts values elsewhere.
    private static string TextOf(StatementPlan plan, bool conforming) =>
        plan.Count > 0 ? plan.Sql : plan.Source.WithoutLiteralsFor(conforming);

    private static string TextOf(IExecutable command) => command switch
    {
        PgCommand one => one.CommandText,
        PgBatch batch => string.Join("; ", ((IEnumerable<PgBatchCommand>)batch.BatchCommands).Select(static one => one.CommandText)),
        _ => "",
    };

    private static string Shown(string text) => text.Length <= MostCharacters ? text : text[..MostCharacters] + "...";
}
