using System.Data;
using System.Data.Common;

namespace Loxo.IntegrationTests.Differential;

/// <summary>Calls of batches.</summary>
internal static class BatchSteps
{
    public static Step New(int c) => new($"b = c{c}.CreateBatch();", m =>
    {
        m.Batch = m.Connection(c).CreateBatch();
        return Task.CompletedTask;
    });

    public static Step NewOfDataSource() => new("b = dataSource.CreateBatch();", m =>
    {
        m.Batch = m.DataSource.CreateBatch();
        return Task.CompletedTask;
    });

    public static Step Add(string text, bool? barrier, IReadOnlyList<ParameterSpec> parameters) => new(
        $"b.BatchCommands.Add(new({CommandSteps.Quoted(text)}) {{{(barrier is null ? "" : $" AppendErrorBarrier = {(barrier.Value ? "true" : "false")},")} "
        + $"Parameters = {{ {string.Join(", ", parameters.Select(one => one.Text))} }} }});",
        m =>
        {
            var command = m.Batch.CreateBatchCommand();
            command.CommandText = text;
            if (barrier is not null)
                ((dynamic)command).AppendErrorBarrier = barrier;
            foreach (var parameter in parameters)
                command.Parameters.Add(parameter.Make(m.Driver));
            m.Batch.BatchCommands.Add(command);
            return Task.CompletedTask;
        });

    public static Step Barriers(bool value) => new($"b.EnableErrorBarriers = {(value ? "true" : "false")};", m =>
    {
        ((dynamic)m.Batch).EnableErrorBarriers = value;
        return Task.CompletedTask;
    });

    public static Step RemoveLast() => new("b.BatchCommands.RemoveAt(b.BatchCommands.Count - 1);", m =>
    {
        m.Batch.BatchCommands.RemoveAt(m.Batch.BatchCommands.Count - 1);
        return Task.CompletedTask;
    });

    public static Step Prepare() => new("b.Prepare();", m => m.Mode.Run(m.Batch.Prepare, () => m.Batch.PrepareAsync()));

    public static Step NonQuery() => new(
        "b.ExecuteNonQuery();", async m => m.Note(await m.Mode.Run(m.Batch.ExecuteNonQuery, () => m.Batch.ExecuteNonQueryAsync())));

    public static Step Scalar() => new(
        "b.ExecuteScalar();", async m => m.Note(await m.Mode.Run(m.Batch.ExecuteScalar, () => m.Batch.ExecuteScalarAsync())));

    public static Step Reader(CommandBehavior behavior) => new(
        $"r = b.ExecuteReader(CommandBehavior.{behavior});",
        async m => m.Reader = await m.Mode.Run(() => m.Batch.ExecuteReader(behavior), () => m.Batch.ExecuteReaderAsync(behavior)));

    public static Step Dispose() => new("b.Dispose();", m => m.Mode.Run(m.Batch.Dispose, () => m.Batch.DisposeAsync().AsTask()));

    public static Step Look() => new("Show(b.BatchCommands);", m =>
    {
        foreach (var command in m.Batch.BatchCommands)
        {
            m.Get("RecordsAffected", () => command.RecordsAffected);
            m.Get("Rows", () => ((dynamic)command).Rows);
            m.Get("StatementType", () => ((dynamic)command).StatementType);
            m.Get("OID", () => ((dynamic)command).OID);
            foreach (DbParameter parameter in command.Parameters)
                m.Get(parameter.ParameterName, () => parameter.Value);
        }
        return Task.CompletedTask;
    });
}
