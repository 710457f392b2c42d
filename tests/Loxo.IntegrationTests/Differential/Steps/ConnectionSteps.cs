using System.Data;
using System.Data.Common;

namespace Loxo.IntegrationTests.Differential;

/// <summary>Calls of connections and transactions.</summary>
internal static class ConnectionSteps
{
    public static Step Open(int c) => new($"c{c}.Open();", m => m.Mode.Open(m.Connection(c)));

    public static Step Close(int c) => new($"c{c}.Close();", m => m.Mode.Close(m.Connection(c)));

    public static Step Dispose(int c) => new($"c{c}.Dispose();", m => m.Mode.Dispose(m.Connection(c)));

    public static Step Renew(int c) => new(
        $"c{c}.Dispose(); c{c} = new NpgsqlConnection(connectionString);",
        async m =>
        {
            await m.Mode.Dispose(m.Connection(c));
            m.Renew(c);
        });

    public static Step ChangeDatabase(int c, bool exists) => new(
        $"c{c}.ChangeDatabase({(exists ? $"c{c}.Database" : "\"missing_database\"")});",
        m =>
        {
            var name = exists ? m.Database : "missing_database";
            return m.Mode.Run(() => m.Connection(c).ChangeDatabase(name), () => m.Connection(c).ChangeDatabaseAsync(name));
        });

    public static Step Look(int c) => new(
        $"Show(c{c}); // its properties",
        m =>
        {
            var connection = m.Connection(c);
            m.Get("FullState", () => ((dynamic)connection).FullState);
            m.Get("Database", () => connection.Database == m.Database);
            m.Get("DataSource", () => connection.DataSource);
            m.Get("ConnectionTimeout", () => connection.ConnectionTimeout);
            m.Get("CommandTimeout", () => ((dynamic)connection).CommandTimeout);
            m.Get("ServerVersion", () => connection.ServerVersion);
            m.Get("PostgreSqlVersion", () => ((dynamic)connection).PostgreSqlVersion);
            m.Get("Host", () => ((dynamic)connection).Host);
            m.Get("Port", () => ((dynamic)connection).Port);
            m.Get("UserName", () => ((dynamic)connection).UserName);
            m.Get("Timezone", () => ((dynamic)connection).Timezone);
            m.Get("CanCreateBatch", () => connection.CanCreateBatch);
            m.Get("HasIntegerDateTimes", () => ((dynamic)connection).HasIntegerDateTimes);
            m.Get("ProcessID", () => (int)((dynamic)connection).ProcessID > 0);
            return Task.CompletedTask;
        });

    public static Step SetConnectionString(int c, string text) => new($"c{c}.ConnectionString = \"{text}\";", m =>
    {
        m.Connection(c).ConnectionString = text;
        return Task.CompletedTask;
    });

    public static Step UnprepareAll(int c) => new($"c{c}.UnprepareAll();", m =>
    {
        ((dynamic)m.Connection(c)).UnprepareAll();
        return Task.CompletedTask;
    });

    public static Step ReloadTypes(int c) => new($"c{c}.ReloadTypes();", m => m.Mode.Run(
        (Action)(() => ((dynamic)m.Connection(c)).ReloadTypes()),
        () => (Task)((dynamic)m.Connection(c)).ReloadTypesAsync()));

    public static Step Begin(int c, IsolationLevel level) => new(
        $"t = c{c}.BeginTransaction(IsolationLevel.{level});",
        async m =>
        {
            var connection = m.Connection(c);
            m.Transaction = await m.Mode.Run(() => connection.BeginTransaction(level), async () => await connection.BeginTransactionAsync(level));
            m.Note("IsolationLevel", m.Transaction.IsolationLevel);
        });

    public static Step Commit() => new("t.Commit();", m => m.Mode.Commit(m.Transaction));

    public static Step Rollback() => new("t.Rollback();", m => m.Mode.Rollback(m.Transaction));

    public static Step DisposeTransaction() => new("t.Dispose();", m => m.Mode.Dispose(m.Transaction));

    public static Step Save(string name) => new($"t.Save({Quoted(name)});", m => m.Mode.Run(() => m.Transaction.Save(name), () => m.Transaction.SaveAsync(name)));

    public static Step RollbackTo(string name) => new(
        $"t.Rollback({Quoted(name)});", m => m.Mode.Run(() => m.Transaction.Rollback(name), () => m.Transaction.RollbackAsync(name)));

    public static Step Release(string name) => new(
        $"t.Release({Quoted(name)});", m => m.Mode.Run(() => m.Transaction.Release(name), () => m.Transaction.ReleaseAsync(name)));

    public static Step LookAtTransaction() => new("Show(t); // its properties", m =>
    {
        m.Get("IsolationLevel", () => m.Transaction.IsolationLevel);
        m.Get("Connection", () => m.Transaction.Connection is null ? "none" : "one");
        m.Get("SupportsSavepoints", () => m.Transaction.SupportsSavepoints);
        return Task.CompletedTask;
    });

    private static string Quoted(string name) => $"\"{name.Replace("\"", "\\\"", StringComparison.Ordinal)}\"";
}
