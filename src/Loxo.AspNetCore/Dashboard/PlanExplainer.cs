using System.Data;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Loxo.Dashboard;

/// <summary>
/// Asks the server for the plan of a statement: EXPLAIN without ANALYZE, in a read-only transaction that is rolled back. One at a time.
/// </summary>
internal sealed class PlanExplainer(ILogger log)
{
    // In front of the statements of the dashboard, which are not shown among those of the application.
    private const string Mark = "/* Loxo dashboard */ ";
    private static readonly TimeSpan _longest = TimeSpan.FromSeconds(10);

    private readonly SemaphoreSlim _one = new(1);

    /// <summary>Whether a statement is the dashboard's own.</summary>
    public static bool IsOwn(PgStatementCounts statement) => statement.Text.StartsWith(Mark, StringComparison.Ordinal);

    /// <summary>Why no plan can be asked for; null if one can, as far as is known without the server.</summary>
    public static string? WhyNot(PgStatementCounts statement) => statement switch
    {
        { Text: "" } => "These are several statements.",
        { IsPlannable: false } => "The server plans only queries and changes of rows.",
        _ when statement.GetExecutableText() is null => "The statement is too long: its text was not kept.",
        _ => null,
    };

    /// <summary>The plan as text, or the reason why there is none, with the status of the answer.</summary>
    public async ValueTask<(int Status, string Text)> ExplainAsync(
        PgDataSource source, PgStatementCounts statement, CancellationToken token)
    {
        if (WhyNot(statement) is { } reason)
            return (StatusCodes.Status422UnprocessableEntity, reason);
        if (!await _one.WaitAsync(TimeSpan.Zero, token).ConfigureAwait(false))
            return (StatusCodes.Status429TooManyRequests, "Another plan is being asked for. Try again.");
        try
        {
            using var limit = CancellationTokenSource.CreateLinkedTokenSource(token);
            limit.CancelAfter(_longest);
            DashboardLog.Explained(log, SafeText.Of(statement.Text));
            return await AskAsync(source, statement, limit.Token).ConfigureAwait(false);
        }
        catch (Exception e) when (!token.IsCancellationRequested)
        {
            return (StatusCodes.Status422UnprocessableEntity, $"There is no plan: {ErrorText.Of(e)}");
        }
        finally
        {
            _one.Release();
        }
    }

    private static async Task<(int Status, string Text)> AskAsync(PgDataSource source, PgStatementCounts statement, CancellationToken token)
    {
        var connection = await source.OpenConnectionAsync(token).ConfigureAwait(false);
        await using var closed = connection.ConfigureAwait(false);
        var transaction = await connection.BeginTransactionAsync(IsolationLevel.Unspecified, PgTransactionOptions.ReadOnly, token)
            .ConfigureAwait(false);
        await using var rolledBack = transaction.ConfigureAwait(false);
        await RunAsync(connection, $"SET LOCAL statement_timeout = {(int)_longest.TotalMilliseconds}", token).ConfigureAwait(false);
        var json = statement.ParameterTypes.Count == 0
            ? await RunAsync(connection, $"EXPLAIN (FORMAT JSON) {statement.GetExecutableText()}", token).ConfigureAwait(false)
            : await AskGenericAsync(connection, statement, token).ConfigureAwait(false);
        await transaction.RollbackAsync(token).ConfigureAwait(false);
        using var plan = JsonDocument.Parse((string)json!);
        return (StatusCodes.Status200OK, SafeText.Of(PlanText.Of(plan.RootElement)));
    }

    // The values of parameters are not kept. A prepared statement has a plan that does not depend on them, in every version of the server;
    // EXPLAIN (GENERIC_PLAN) is no help, since it uses the values that the extended protocol has to send.
    private static async Task<object?> AskGenericAsync(PgConnection connection, PgStatementCounts statement, CancellationToken token)
    {
        var name = $"loxo_plan_{DashboardState.IdOf(statement)}";
        var oids = string.Join(',', statement.ParameterTypes);
        var types = await RunAsync(connection,
            "SELECT string_agg(CASE oid WHEN 0 THEN 'unknown' ELSE oid::regtype::text END, ', ' ORDER BY number) "
            + $"FROM unnest('{{{oids}}}'::oid[]) WITH ORDINALITY AS types (oid, number)", token).ConfigureAwait(false);
        await RunAsync(connection, "SET LOCAL plan_cache_mode = force_generic_plan", token).ConfigureAwait(false);
        await RunAsync(connection, $"PREPARE {name} ({types}) AS {statement.GetExecutableText()}", token).ConfigureAwait(false);
        var nulls = string.Join(", ", Enumerable.Repeat("NULL", statement.ParameterTypes.Count));
        var plan = await RunAsync(connection, $"EXPLAIN (FORMAT JSON) EXECUTE {name} ({nulls})", token).ConfigureAwait(false);
        await RunAsync(connection, $"DEALLOCATE {name}", token).ConfigureAwait(false);
        return plan;
    }

    private static async Task<object?> RunAsync(PgConnection connection, string sql, CancellationToken token)
    {
        // With a parameter, used or not, the text is sent as it is, and the server refuses more than one statement in it. Without one the
        // driver would split it where this session ends strings and the session of the statement, with other settings, does not.
        var command = new PgCommand(Mark + sql, connection) { AutoPrepare = false, Parameters = { new PgParameter<int>(0) } };
        await using var disposed = command.ConfigureAwait(false);
        return await command.ExecuteScalarAsync(token).ConfigureAwait(false);
    }
}
