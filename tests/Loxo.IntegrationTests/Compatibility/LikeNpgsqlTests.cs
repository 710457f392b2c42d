using System.Data;
using System.Data.Common;
using System.Globalization;
using System.Net;
using System.Text.Json;
using Npgsql;
using System.Transactions;

namespace Loxo.IntegrationTests.Compatibility;

/// <summary>
/// Each difference that 'Compatibility=Npgsql' ends: what Loxo does by itself, and that with the keyword it does what Npgsql 10 does, which runs beside it. Each has a
/// row in docs/npgsql-differences.md.
/// </summary>
[TestFixture(WaitMode.Blocking), TestFixture(WaitMode.Async)]
public sealed class LikeNpgsqlTests(WaitMode mode)
{
    /// <summary>A few calls on an open connection, and what came of them.</summary>
    /// <param name="Name">As the row of the page begins.</param>
    /// <param name="Loxo">What Loxo does by itself.</param>
    /// <param name="Run">The calls.</param>
    public sealed record Case(string Name, string Loxo, Func<WaitMode, DbConnection, Task<object?>> Run)
    {
        public override string ToString() => Name;
    }

    public static readonly Case[] Cases =
    [
        new("`Commit` of a failed transaction", "throws PgException", async (mode, connection) =>
        {
            await using var transaction = await connection.BeginTransactionAsync();
            await Catch(() => Scalar(mode, connection, "SELECT 1 / 0"));
            await mode.Commit(transaction);
            return connection.State;
        }),
        new("`Commit` of a failed transaction", "throws TransactionAbortedException", async (mode, connection) =>
        {
            using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
            {
                connection.EnlistTransaction(Transaction.Current);
                await Catch(() => Scalar(mode, connection, "SELECT 1 / 0"));
                scope.Complete();
            }
            return connection.State;
        }),
        new("`Connection` of a transaction that is over", "null", async (mode, connection) =>
        {
            var transaction = await connection.BeginTransactionAsync();
            await Scalar(mode, connection, "SELECT 1");
            await mode.Commit(transaction);
            return ReferenceEquals(transaction.Connection, connection) ? "the connection" : transaction.Connection;
        }),
        new("A `DataTypeName` that does not exist", "throws PgException", Named(1, "no_such_type")),
        new("A `DataTypeName` that does not exist", "throws PgException", Named(new[] { 1 }, "no_such_type[]")),
        new("A `DataTypeName` that does not exist", "throws PgException", Named(DBNull.Value, "no_such_type")),
        new("`GetFieldType` of an array", "Int32[]", Column("ARRAY[1, 2]", reader => reader.GetFieldType(0))),
        new("`GetFieldType` of an array", "String[]", Column("ARRAY['a']", reader => reader.GetFieldType(0))),
        new("`GetFieldType` of an array", "Int32[]", Column("ARRAY[1, 2]", reader => reader.GetProviderSpecificFieldType(0))),
        new("`GetFieldType` of an array", "Int32[]", Column("ARRAY[1, 2]", reader => reader.GetColumnSchema()[0].DataType)),
        new("`GetFieldType` of an array", "Int32[]", Column("ARRAY[1, 2]", reader => reader.GetSchemaTable()!.Rows[0]["DataType"])),
        new("`inet` as an object", "PgInet 10.0.0.0/8", Column("'10.0.0.0/8'::inet", reader => reader.GetValue(0))),
        new("`inet` as an object", "Object", Column("'10.0.0.0/8'::inet", reader => reader.GetFieldType(0))),
        new("`inet` as an object", "Object", Column("'10.0.0.1'::inet", reader => reader.GetFieldType(0))),
        new("`inet` as an object", "throws InvalidCastException", Column("'10.0.0.0/8'::inet", reader => reader.GetFieldValue<IPAddress>(0))),
        new("A `numeric` that is NaN, read as decimal or an integer", "throws OverflowException", Column("'NaN'::numeric", reader => reader.GetDecimal(0))),
        new("A `numeric` that is NaN, read as decimal or an integer", "throws OverflowException", Column("'NaN'::numeric", reader => reader.GetValue(0))),
        new("A `numeric` that is NaN, read as decimal or an integer", "throws OverflowException", Column("ARRAY['NaN'::numeric]", reader => reader.GetFieldValue<decimal[]>(0))),
        new("A `numeric` that is NaN, read as decimal or an integer", "throws OverflowException", Column("'NaN'::numeric", reader => reader.GetInt32(0))),
        new("A `numeric` with a fraction, read as an integer", "throws InvalidCastException", Column("1.5::numeric", reader => reader.GetInt32(0))),
        new("A `numeric` with a fraction, read as an integer", "throws InvalidCastException", Column("-1.5::numeric", reader => reader.GetInt64(0))),
        new("A `numeric` with a fraction, read as an integer", "throws InvalidCastException", Column("1.99::numeric", reader => reader.GetFieldValue<short>(0))),
        new("A number with a fraction, written as an integer", "throws InvalidCastException", Written(1.9m, PgDbType.Integer)),
        new("A number with a fraction, written as an integer", "throws InvalidCastException", Written(-1.9d, PgDbType.Bigint)),
        new("A number with a fraction, written as an integer", "throws InvalidCastException", Written(1.5f, PgDbType.Smallint)),
        new("A longer text, read as `char`", "throws InvalidCastException", Column("'xyz'::text", reader => reader.GetChar(0))),
        new("A longer text, read as `char`", "throws InvalidCastException", Column("'x'::char(5)", reader => reader.GetFieldValue<char>(0))),
        new("A prepared statement that is out of date, in a transaction", "throws PgException", async (mode, connection) =>
        {
            var table = $"outdated_{Guid.NewGuid():N}";
            await Elsewhere($"CREATE TABLE {table} (a int)");
            try
            {
                await using var command = connection.CreateCommand();
                command.CommandText = $"SELECT * FROM {table}";
                await mode.Prepare(command);
                await mode.ExecuteScalar(command);
                await using var transaction = await connection.BeginTransactionAsync();
                await Scalar(mode, connection, "SELECT 1");
                await Elsewhere($"ALTER TABLE {table} ADD b int");
                return await mode.ExecuteScalar(command);
            }
            finally
            {
                await Elsewhere($"DROP TABLE {table}");
            }
        }),
        new("A command on a connection that is broken", "throws PgException", async (mode, connection) =>
        {
            await Catch(() => Scalar(mode, connection, "SELECT pg_terminate_backend(pg_backend_pid())"));
            return await Scalar(mode, connection, "SELECT 1");
        }),
    ];

    private static readonly JsonCase[] _json =
    [
        new(reader => reader.GetFieldValue<Dictionary<string, int>>(0)),
        new(reader => reader.GetFieldValue<List<int>>(0)),
    ];

    [Test]
    public async Task By_itself_Loxo_goes_its_own_way([ValueSource(nameof(Cases))] Case one)
    {
        await using var connection = new PgConnection(TestServer.Default.ConnectionString);

        Assert.That(await Outcome(one, connection), Is.EqualTo(one.Loxo));
    }

    [Test]
    public async Task With_the_keyword_it_goes_the_way_of_Npgsql([ValueSource(nameof(Cases))] Case one)
    {
        await using var ours = new PgConnection(TestServer.Default.ConnectionString + ";Compatibility=Npgsql");
        await using var theirs = new NpgsqlConnection(TestServer.Default.ConnectionString + ";Pooling=false");

        var outcome = await Outcome(one, ours);
        Assert.That(outcome, Is.EqualTo(await Outcome(one, theirs)));
        Assert.That(outcome, Is.Not.EqualTo(one.Loxo));
    }

    [Test]
    public async Task JSON_that_does_not_fit_is_an_error_of_System_Text_Json_with_the_keyword([Range(0, 1)] int index)
    {
        await using var plain = PgDataSource.Create(TestServer.Default.ConnectionString);
        await using var like = PgDataSource.Create(TestServer.Default.ConnectionString + ";Compatibility=Npgsql");
        await using var npgsql = new NpgsqlDataSourceBuilder(TestServer.Default.ConnectionString).EnableDynamicJson().Build();
        var one = new Case("", "", Column("'{\"a\":\"x\"}'::jsonb", _json[index].Read));

        Assert.That(await Outcome(one, plain.CreateConnection()), Is.EqualTo("throws InvalidCastException"));
        Assert.That(await Outcome(one, like.CreateConnection()), Is.EqualTo("throws JsonException"));
        Assert.That(await Outcome(one, npgsql.CreateConnection()), Is.EqualTo("throws JsonException"));
    }

    [Test]
    public async Task The_table_of_the_page_has_these_cases_and_no_others()
    {
        var page = await File.ReadAllLinesAsync(Path.Combine(Root(), "docs", "npgsql-differences.md"));
        var rows = page.SkipWhile(line => !line.StartsWith("## Compatibility", StringComparison.Ordinal)).Skip(1)
            .TakeWhile(line => !line.StartsWith("## ", StringComparison.Ordinal))
            .Where(line => line.StartsWith("| ", StringComparison.Ordinal) && !line.StartsWith("| ---", StringComparison.Ordinal))
            .Skip(1).Select(line => line.Split(" | ")[0][2..]);

        Assert.That(rows, Is.EquivalentTo(Cases.Select(one => one.Name).Append("JSON that does not fit the type").Distinct()));
    }

    private sealed record JsonCase(Func<DbDataReader, object?> Read);

    private async Task<string> Outcome(Case one, DbConnection connection)
    {
        await using (connection)
        {
            await mode.Open(connection);
            object? outcome = null;
            var error = await Catch(async () => outcome = await one.Run(mode, connection));
            return error is null ? Show(outcome) : "throws " + error.GetType().Name.Replace("Npgsql", "Pg", StringComparison.Ordinal);
        }
    }

    private static string Show(object? value) => value switch
    {
        null => "null",
        Type type => type.Name,
        string text => text,
        _ => value.GetType().Name.Replace("Npgsql", "Pg", StringComparison.Ordinal) + " " + Convert.ToString(value, CultureInfo.InvariantCulture),
    };

    private static Func<WaitMode, DbConnection, Task<object?>> Column(string expression, Func<DbDataReader, object?> read) => async (mode, connection) =>
    {
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT " + expression;
        await using var reader = await mode.Run(command.ExecuteReader, () => command.ExecuteReaderAsync());
        await mode.Read(reader);
        return read(reader);
    };

    private static Func<WaitMode, DbConnection, Task<object?>> Written(object value, PgDbType type) => async (mode, connection) =>
    {
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT $1";
        command.Parameters.Add(connection is PgConnection
            ? new PgParameter { Value = value, PgDbType = type }
            : new NpgsqlParameter { Value = value, NpgsqlDbType = Enum.Parse<NpgsqlTypes.NpgsqlDbType>(type.ToString()) });
        return await mode.ExecuteScalar(command);
    };

    private static Func<WaitMode, DbConnection, Task<object?>> Named(object value, string type) => async (mode, connection) =>
    {
        await using var command = connection.CreateCommand();
        command.CommandText = "SELECT $1";
        command.Parameters.Add(connection is PgConnection ? new PgParameter { Value = value, DataTypeName = type } : new NpgsqlParameter { Value = value, DataTypeName = type });
        return await mode.ExecuteScalar(command);
    };

    private static async Task<object?> Scalar(WaitMode mode, DbConnection connection, string sql)
    {
        await using var command = connection.CreateCommand();
        command.CommandText = sql;
        return await mode.ExecuteScalar(command);
    }

    // Neither driver notices what another program does.
    private static async Task Elsewhere(string sql)
    {
        await using var connection = new PgConnection(TestServer.Default.ConnectionString + ";Pooling=false;Application Name=elsewhere");
        await connection.OpenAsync();
        await Scalar(WaitMode.Async, connection, sql);
    }

    private static async Task<Exception?> Catch(Func<Task> action)
    {
        try
        {
            await action();
            return null;
        }
        catch (Exception error)
        {
            return error;
        }
    }

    private static string Root()
    {
        var directory = new DirectoryInfo(AppContext.BaseDirectory);
        while (!File.Exists(Path.Combine(directory!.FullName, "Loxo.slnx")))
            directory = directory.Parent;
        return directory.FullName;
    }
}
