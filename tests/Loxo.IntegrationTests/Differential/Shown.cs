using System.Collections;
using System.Data.Common;
using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;

namespace Loxo.IntegrationTests.Differential;

/// <summary>Values, types and exceptions as text that is the same for both drivers when they mean the same.</summary>
internal static partial class Shown
{
    /// <summary>The name of a type in C#'s notation; Npgsql's own types get Loxo's prefix.</summary>
    public static string Type(Type? type)
    {
        if (type is null)
            return "null";
        if (type.IsArray)
            return $"{Type(type.GetElementType())}[{new string(',', type.GetArrayRank() - 1)}]";
        if (Nullable.GetUnderlyingType(type) is { } underlying)
            return Type(underlying) + "?";
        var name = type.Name.Split('`')[0];
        if (name.StartsWith("Npgsql", StringComparison.Ordinal))
            name = "Pg" + name["Npgsql".Length..];
        return type.IsGenericType ? $"{name}<{string.Join(", ", type.GetGenericArguments().Select(Type))}>" : name;
    }

    /// <summary>A value with its type.</summary>
    public static string Value(object? value) => value switch
    {
        null => "null",
        DBNull => "DBNull",
        Type type => Type(type),
        _ => $"{Type(value.GetType())} {Content(value)}",
    };

    /// <summary>The parts of an exception that programs look at; not its text, which is each driver's own.</summary>
    public static string Error(Exception error)
    {
        var text = Type(error.GetType());
        if (error is not DbException { SqlState: { } state })
            return error.InnerException is { } cause && error is DbException or OperationCanceledException ? $"{text} <- {Error(cause!)}" : text;
        dynamic server = error;
        return $"{text} {state} {server.Severity} constraint={server.ConstraintName} table={server.TableName} column={server.ColumnName} "
            + $"type={server.DataTypeName} at={server.Position} hint={server.Hint} transient={((DbException)error).IsTransient} {StatementName().Replace((string)server.MessageText, "statement")}";
    }

    // Each driver names its prepared statements in its own way.
    [GeneratedRegex("prepared statement \"[^\"]*\"")]
    private static partial Regex StatementName();

    private static string Content(object value) => value switch
    {
        string text => $"'{text}'",
        char one => $"'{one}'",
        byte[] bytes => Convert.ToHexString(bytes),
        BitArray bits => string.Concat(bits.Cast<bool>().Select(bit => bit ? '1' : '0')),
        DateTime time => time.ToString("O", CultureInfo.InvariantCulture) + " " + time.Kind,
        DateTimeOffset time => time.ToString("O", CultureInfo.InvariantCulture),
        JsonDocument json => json.RootElement.GetRawText(),
        Array { Rank: > 1 } array => $"{string.Join("x", Enumerable.Range(0, array.Rank).Select(array.GetLength))} {{{Items(array)}}}",
        _ when value.GetType() is { IsGenericType: true, Name: "PgRange`1" or "NpgsqlRange`1" } => Range((dynamic)value),
        PgInterval interval => $"{interval.Months} {interval.Days} {interval.Time}",
        NpgsqlTypes.NpgsqlInterval interval => $"{interval.Months} {interval.Days} {interval.Time}",
        IEnumerable items => $"{{{Items(items)}}}",
        bool flag => flag ? "true" : "false",
        IFormattable formattable => formattable.ToString(null, CultureInfo.InvariantCulture),
        _ => value.ToString() ?? "",
    };

    // Npgsql writes the bounds in the current culture's notation.
    private static string Range(dynamic range) => range.IsEmpty ? "empty"
        : $"{(range.LowerBoundIsInclusive ? '[' : '(')}{(range.LowerBoundInfinite ? "" : Content((object)range.LowerBound))},"
            + $"{(range.UpperBoundInfinite ? "" : Content((object)range.UpperBound))}{(range.UpperBoundIsInclusive ? ']' : ')')}";

    private static string Items(IEnumerable items) => string.Join(", ", items.Cast<object?>().Select(item => item switch
    {
        null => "null",
        DBNull => "DBNull",
        _ => Content(item),
    }));
}
