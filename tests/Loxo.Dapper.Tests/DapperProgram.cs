using System.Collections;
using System.Data.Common;
using System.Globalization;
using Dapper;

namespace Loxo.DapperTests;

/// <summary>A small program over Dapper that knows no driver; its result is compared as text.</summary>
public sealed record DapperProgram(string Name, Func<DapperCalls, Task<object?>> Body)
{
    /// <summary>Runs the program. An exception of the database is a result too.</summary>
    public async Task<string> Run(DbConnection connection, WaitMode mode)
    {
        try
        {
            return Show(await Body(new DapperCalls(connection, mode)));
        }
        catch (DbException e) when (e.SqlState is not null)
        {
            return $"SQLSTATE {e.SqlState}";
        }
        catch (Exception e)
        {
            return e.GetType().ToString();
        }
    }

    public override string ToString() => Name;

    private static string Show(object? value) => value switch
    {
        null => "null",
        string text => $"'{text}'",
        DateTime time => $"{time:O} {time.Kind}",
        IDictionary<string, object?> row => $"{{{string.Join(", ", row.Select(pair => $"{pair.Key}={Show(pair.Value)}"))}}}",
        IEnumerable items => $"{TypeName(items.GetType())}[{string.Join(", ", items.Cast<object?>().Select(Show))}]",
        IFormattable formattable => $"{TypeName(value.GetType())} {formattable.ToString(null, CultureInfo.InvariantCulture)}",
        _ => value.ToString()!,
    };

    private static string TypeName(Type type) => type.ToString();
}

/// <summary>Dapper's calls in either form.</summary>
public sealed class DapperCalls(DbConnection connection, WaitMode mode)
{
    public DbConnection Connection => connection;

    public WaitMode Mode => mode;

    public async Task<List<T>> Query<T>(string sql, object? param = null) =>
        [.. await mode.Run(() => connection.Query<T>(sql, param), () => connection.QueryAsync<T>(sql, param))];

    public Task<T> One<T>(string sql, object? param = null) =>
        mode.Run(() => connection.QuerySingle<T>(sql, param), () => connection.QuerySingleAsync<T>(sql, param));

    public Task<T?> Scalar<T>(string sql, object? param = null) =>
        mode.Run(() => connection.ExecuteScalar<T>(sql, param), () => connection.ExecuteScalarAsync<T>(sql, param));

    public Task<int> Execute(string sql, object? param = null) =>
        mode.Run(() => connection.Execute(sql, param), () => connection.ExecuteAsync(sql, param));
}
