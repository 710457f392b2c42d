using System.Data;
using System.Data.Common;

namespace Loxo.IntegrationTests.Differential;

/// <summary>Calls of commands.</summary>
internal static class CommandSteps
{
    public static Step New(int i, int c, string text) => new($"m{i} = c{c}.CreateCommand(); m{i}.CommandText = {Quoted(text)};", m =>
    {
        var command = m.Connection(c).CreateCommand();
        command.CommandText = text;
        m.SetCommand(i, command);
        return Task.CompletedTask;
    });

    public static Step NewOfDataSource(int i, string text) => new($"m{i} = dataSource.CreateCommand({Quoted(text)});", m =>
    {
        m.SetCommand(i, m.DataSource.CreateCommand(text));
        return Task.CompletedTask;
    });

    public static Step SetText(int i, string text) => Set(i, $"CommandText = {Quoted(text)}", (_, command) => command.CommandText = text);

    public static Step SetType(int i, CommandType type) => Set(i, $"CommandType = CommandType.{type}", (_, command) => command.CommandType = type);

    public static Step SetTimeout(int i, int seconds) => Set(i, $"CommandTimeout = {seconds}", (_, command) => command.CommandTimeout = seconds);

    public static Step SetConnection(int i, int? c) => Set(
        i, $"Connection = {(c is null ? "null" : $"c{c}")}", (m, command) => command.Connection = c is null ? null : m.Connection(c.Value));

    public static Step SetTransaction(int i) => Set(i, "Transaction = t", (m, command) => command.Transaction = m.Transaction);

    public static Step AllAsText(int i, bool value) => Set(
        i, $"AllResultTypesAreUnknown = {(value ? "true" : "false")}", (_, command) => ((dynamic)command).AllResultTypesAreUnknown = value);

    public static Step SomeAsText(int i, bool[]? columns) => Set(
        i,
        $"UnknownResultTypeList = {(columns is null ? "null" : $"[{string.Join(", ", columns).ToLowerInvariant()}]")}",
        (_, command) => ((dynamic)command).UnknownResultTypeList = columns);

    public static Step Add(int i, ParameterSpec parameter) => new(
        $"m{i}.Parameters.Add({parameter.Text});",
        m =>
        {
            m.Command(i).Parameters.Add(parameter.Make(m.Driver));
            return Task.CompletedTask;
        });

    /// <summary>Changes a parameter between two executions.</summary>
    public static Step Change(int i, int position, Sample sample, Typing typing) => new(
        $"m{i}.Parameters[{position}].Value = {sample.Text};" + (typing switch
        {
            Typing.ByPgDbType => $" m{i}.Parameters[{position}].NpgsqlDbType = NpgsqlDbType.{sample.Fitting};",
            Typing.ByDbType => $" m{i}.Parameters[{position}].DbType = DbType.{sample.DbType};",
            Typing.ByName => $" m{i}.Parameters[{position}].DataTypeName = \"{sample.TypeName}\";",
            Typing.OnlyType => $" m{i}.Parameters[{position}].ResetDbType();",
            _ => "",
        }),
        m =>
        {
            var parameter = m.Command(i).Parameters[position];
            parameter.Value = sample.Boxed(m.Driver);
            if (typing == Typing.ByPgDbType)
                m.Driver.SetType(parameter, sample.Fitting);
            else if (typing == Typing.ByDbType)
                parameter.DbType = sample.DbType;
            else if (typing == Typing.ByName)
                ((dynamic)parameter).DataTypeName = sample.TypeName;
            else if (typing == Typing.OnlyType)
                parameter.ResetDbType();
            return Task.CompletedTask;
        });

    public static Step ClearParameters(int i) => Do(i, "Parameters.Clear()", command => command.Parameters.Clear());

    public static Step RemoveParameter(int i, int position) => Do(i, $"Parameters.RemoveAt({position})", command => command.Parameters.RemoveAt(position));

    public static Step SwapParameters(int i) => Do(i, "Parameters.Reverse()", command =>
    {
        var all = command.Parameters.Cast<DbParameter>().Reverse().ToArray();
        command.Parameters.Clear();
        command.Parameters.AddRange(all);
    });

    public static Step LookAtParameters(int i) => new(
        $"Show(m{i}.Parameters);",
        m =>
        {
            foreach (DbParameter parameter in m.Command(i).Parameters)
            {
                m.Get("ParameterName", () => parameter.ParameterName);
                m.Get("Value", () => parameter.Value);
                m.Get("DbType", () => parameter.DbType);
                m.Get("NpgsqlDbType", () => (PgDbType)(m.Driver == Driver.Loxo ? (int)((dynamic)parameter).PgDbType : (int)((dynamic)parameter).NpgsqlDbType));
                m.Get("DataTypeName", () => ((dynamic)parameter).DataTypeName);
                m.Get("Direction", () => parameter.Direction);
            }
            return Task.CompletedTask;
        });

    public static Step Look(int i) => new(
        $"Show(m{i}); // its properties",
        m =>
        {
            var command = m.Command(i);
            m.Get("CommandText", () => command.CommandText);
            m.Get("CommandTimeout", () => command.CommandTimeout);
            m.Get("CommandType", () => command.CommandType);
            m.Get("UpdatedRowSource", () => command.UpdatedRowSource);
            m.Get("IsPrepared", () => ((dynamic)command).IsPrepared);
            m.Get("Transaction", () => command.Transaction is null ? "none" : "one");
            return Task.CompletedTask;
        });

    public static Step Prepare(int i) => new($"m{i}.Prepare();", m => m.Mode.Prepare(m.Command(i)));

    public static Step Unprepare(int i) => new($"m{i}.Unprepare();", m => m.Mode.Run(
        (Action)(() => ((dynamic)m.Command(i)).Unprepare()),
        () => (Task)((dynamic)m.Command(i)).UnprepareAsync()));

    public static Step Clone(int i, int j) => new($"m{j} = m{i}.Clone();", m =>
    {
        m.SetCommand(j, (DbCommand)((ICloneable)m.Command(i)).Clone());
        return Task.CompletedTask;
    });

    public static Step Dispose(int i) => new($"m{i}.Dispose();", m => m.Mode.Dispose(m.Command(i)));

    public static Step Cancel(int i) => Do(i, "Cancel()", command => command.Cancel());

    public static Step NonQuery(int i) => new($"m{i}.ExecuteNonQuery();", async m => m.Note(await m.Mode.ExecuteNonQuery(m.Command(i))));

    public static Step Scalar(int i) => new($"m{i}.ExecuteScalar();", async m => m.Note(await m.Mode.ExecuteScalar(m.Command(i))));

    public static Step Reader(int i, CommandBehavior behavior) => new(
        $"r = m{i}.ExecuteReader(CommandBehavior.{behavior.ToString().Replace(", ", " | CommandBehavior.", StringComparison.Ordinal)});",
        async m => m.Reader = await m.Mode.Run(() => m.Command(i).ExecuteReader(behavior), () => m.Command(i).ExecuteReaderAsync(behavior)));

    public static Step CancelledBefore(int i) => new(
        $"await m{i}.ExecuteNonQueryAsync(new CancellationToken(true));",
        async m => m.Note(await m.Command(i).ExecuteNonQueryAsync(new CancellationToken(true))));

    /// <summary>The command runs until the server sleeps, and is then cancelled by another thread.</summary>
    public static Step CancelledWhileItSleeps(bool byToken) => new(
        $"m = c0.CreateCommand(\"SELECT pg_sleep(600)\"); m.ExecuteNonQuery({(byToken ? "token" : "")}); // cancelled by {(byToken ? "the token" : "m.Cancel()")}",
        async m =>
        {
            await using var command = m.Connection(0).CreateCommand();
            if (m.Connection(0).State != System.Data.ConnectionState.Open)
                return;
            command.CommandText = "SELECT pg_sleep(600)";
            using var cancellation = new CancellationTokenSource();
            var running = Task.Run(() => m.Mode.ExecuteNonQuery(command, cancellation.Token));
            await m.Sleeping(running);
            if (byToken && m.Mode == WaitMode.Async)
                await cancellation.CancelAsync();
            else
                command.Cancel();
            m.Note(await running);
        });

    private static Step Set(int i, string text, Action<Machine, DbCommand> set) => new($"m{i}.{text};", m =>
    {
        set(m, m.Command(i));
        return Task.CompletedTask;
    });

    private static Step Do(int i, string text, Action<DbCommand> action) => Set(i, text, (_, command) => action(command));

    internal static string Quoted(string text) => $"\"\"\"{text}\"\"\"";
}
