using System.Text.RegularExpressions;

namespace Loxo.IntegrationTests.Differential;

/// <summary>A difference that is meant.</summary>
/// <param name="Row">The beginning of the row in the table "Behaviour" of docs/npgsql-differences.md that tells users.</param>
/// <param name="EndsComparison">Whether the drivers are in different states afterwards.</param>
internal sealed record IntendedDifference(string Row, bool EndsComparison, Func<Difference, bool> Applies);

/// <summary>The list of differences that are meant.</summary>
internal static partial class IntendedDifferences
{
    public static IReadOnlyList<IntendedDifference> All { get; } =
    [
        // Columns and values.
        Same("`GetSchemaTable` and `GetColumnSchema` say", one => (Calls(one, "GetSchemaTable") || Calls(one, "GetColumnSchema"))
            && ((Name(one.Npgsql), Value(one.Npgsql)) is ("ColumnSize" or "NumericPrecision" or "NumericScale", "Int32 -1" or "Int32 0" or "null")
                or ("IsAliased" or "IsUnique" or "IsKey" or "IsAutoIncrement" or "IsIdentity" or "IsExpression" or "IsLong", "Boolean false" or "null")
                or ("IsReadOnly", "Boolean true" or "null")
                or ("DataType" or "ProviderSpecificDataType", "DBNull" or "null" or "Array")
                || (Name(one.Npgsql) == "DataType" && Value(one.Loxo) == "String" && AskedForText(one)))),
        Ends("`GetColumnSchema` and `GetSchemaTable` of a closed reader", one => one.Npgsql == "nothing" && Throws(one.Loxo)
            && (Calls(one, "GetSchemaTable") || Calls(one, "GetColumnSchema"))),
        Same("`GetDataTypeName` writes", one => one.Loxo == one.Npgsql.Replace("(10, 2)", "(10,2)", StringComparison.Ordinal)
            || one.Loxo == one.Npgsql.Replace("String 'char'", "String '\"char\"'", StringComparison.Ordinal)
            || one.Loxo == one.Npgsql.Replace("char char =", "char \"char\" =", StringComparison.Ordinal)
            || Has(one.Loxo, "public.positive[]")),
        Same("`GetFieldType` of an array column", one => one.Npgsql.EndsWith(" = Array", StringComparison.Ordinal) || one.Npgsql == "= Array"),
        Ends("A composite without a mapping", one => Has(one.Npgsql, "throws InvalidCastException") && Has(one.Loxo, "Object[]")),

        Ends("An array of a domain", one => Has(one.Npgsql, "throws InvalidCastException") && one.Earlier.Any(step => Has(step, "::positive[]"))),
        Ends("A result without columns", one => one is { Npgsql: "throws InvalidOperationException", Loxo: "= Int32 0" } && Calls(one, "GetValues")),

        // Readers.
        Ends("A reader that has come to its end", one => !one.WasReading && one.Earlier.Any(step => Has(step, "ExecuteReader"))
            && (one.Npgsql == "throws PgOperationInProgressException" || Has(one.Messages, "A command is already in progress") || Has(one.Messages, "Connection is busy"))),
        Ends("Each `ExecuteReader` returns a reader of its own", one =>
            one.Npgsql.Replace("ObjectDisposedException", "InvalidOperationException", StringComparison.Ordinal)
                == one.Loxo.Replace("ObjectDisposedException", "InvalidOperationException", StringComparison.Ordinal)
            && one.Earlier.Any(step => Has(step, "r.") || Has(step, "CloseConnection"))),
        Ends("With `SingleRow`, the columns are known", one => one.Earlier.Any(step => Has(step, "SingleRow"))
            && ((one.Npgsql.Split(" = ")[0] is "RecordsAffected" or "FieldCount" && (Has(one.Loxo, "FieldCount") || Has(one.Loxo, "column ")))
                || (Calls(one, "GetOrdinal") && Has(one.Npgsql, "throws InvalidOperationException")))),
        Ends("Closing a connection whose reader has an unread error", one => Has(one.Npgsql, "throws PostgresException") && one.Step is null),

        // Commands and parameters.
        Ends("Setting `CommandType` to a number", one => one.Loxo == "throws ArgumentOutOfRangeException" && Calls(one, "CommandType = CommandType.7")),
        Same("A parameter's `NpgsqlDbType` and `DataTypeName`", one => Calls(one, ".Parameters)") && Name(one.Npgsql) is "NpgsqlDbType" or "DataTypeName"
            && one.Earlier.Any(step => Has(step, "].DataTypeName") || Has(step, "].NpgsqlDbType") || Has(step, "DbType.Object"))),
        Ends("A command of a data source can be cloned", one => one.Npgsql == "throws NotSupportedException" && one.Loxo == "nothing"
            && (Calls(one, ".Clone()") || Calls(one, ".Connection = "))),
        Ends("A command of a data source whose reader is open", one => Has(one.Messages, "Connection already open") && Has(one.Loxo, "InProgress")),
        Ends("Output parameters without a name", one => one.Npgsql == "throws NotSupportedException"
            && one.Earlier.Any(step => Has(step, "ParameterName = \"\"") && Has(step, "Output"))),
        Ends("An `InputOutput` parameter without a value", one => one.Npgsql == "throws InvalidOperationException"
            && Has(one.Messages, "DBNull.Value should be used")),
        Ends("An enum value for an integer", one => Has(one.Messages, "Writing values of 'System.DayOfWeek'")),
        Ends("`UnknownResultTypeList` of another length", one => Has(one.Npgsql, "result formats but query has") && Has(one.Loxo, "PgException <- ")),
        Same("`Transaction` of a command of a data source", one => one.Npgsql == "Transaction throws NotSupportedException"),
        Ends("`DbType` of a type that PostgreSQL does not have", one => Has(one.Messages, "The DbType '")),
        Ends("`Prepare` does not look at values", one => one.Npgsql == "throws InvalidCastException" && one.Loxo == "nothing" && Calls(one, ".Prepare")),
        Ends("A prepared statement is the text with the types of its parameters", one => Has(one.Npgsql, "throws PostgresException")
            && one.Earlier.Any(step => Has(step, ".Parameters[") || Has(step, "Parameters.Reverse")) && !Has(one.Loxo, "throws PostgresException")),
        Same("`IsPrepared` of a command that was prepared by itself", one => one.Npgsql == "IsPrepared = Boolean true" && Calls(one, "Show(m")
            && !one.Earlier.Any(step => Has(step, "Prepare()"))),
        Ends("After `DEALLOCATE` or `DISCARD ALL`", one => Throws(one.Npgsql) && !Throws(one.Loxo)
            && one.Earlier.Any(step => Has(step, "DEALLOCATE") || Has(step, "DISCARD"))),
        Ends("A token that is cancelled before", one => Calls(one, "new CancellationToken(true)") && one.Loxo == "throws OperationCanceledException"),

        // Batches.
        Ends("A batch command with several statements", one => one.Loxo == "throws NotSupportedException"
            && one.Earlier.Any(step => step.StartsWith("b.BatchCommands", StringComparison.Ordinal) && Has(step, ";"))),
        Same("What a batch tells of its commands", one => Calls(one, "Show(b.BatchCommands)")
            && one.Earlier.Where(step => Has(step, "b.Execute")).ToArray() is { Length: > 0 } runs && (runs.Length > 1 || Has(runs[0], "SchemaOnly"))
            && (Name(one.Loxo), Value(one.Loxo)) is ("Rows", "UInt64 0") or ("RecordsAffected", "Int32 -1") or ("StatementType", "StatementType Unknown")),
        Ends("A batch with named parameters runs again", one => Has(one.Messages, "Missing type info or binding info")
            || Has(one.Messages, "Exception while reading from stream")),
        Ends("With error barriers", one => one.Earlier.Any(step => Has(step, "EnableErrorBarriers = true") || Has(step, "AppendErrorBarrier = true"))
            && Throws(one.Npgsql) && (one.Loxo == "nothing" || Has(one.Loxo, "AggregateException") || Has(one.Loxo, "column "))),

        // Connections and transactions.
        Same("`Host` and `Port` of a connection that was never opened", one =>
            one is { Npgsql: "Host = null" or "Port = Int32 0" } && Calls(one, "Show(c")),
        Ends("A failed command leaves the connection open", one => Has(one.Npgsql, "from Open to Closed") && !Has(one.Loxo, " to Closed")
            && one.Messages.Length > 0 && !Calls(one, "CloseConnection")),
        Ends("`StateChange` tells that the connection is lost", one => Has(one.Messages, "57P01") && Has(one.Npgsql, "c0 is Closed") && Has(one.Loxo, "c0 is Closed")),
        Ends("`Commit` of a transaction in which a statement has failed", one => one.Loxo == "throws PgException" && Calls(one, "t.Commit")),
        Ends("`Save` sends SAVEPOINT at once", one => Has(one.Loxo, "throws PostgresException 25P02") && Calls(one, "t.Save")),
        Same("The properties of a transaction that has ended", one => Calls(one, "Show(t)") && !Throws(one.Loxo)
            && (Throws(one.Npgsql) || one.Npgsql == "Connection = String 'one'")),
    ];

    public static IntendedDifference? Find(Difference difference) => All.FirstOrDefault(one => one.Applies(difference));

    private static IntendedDifference Same(string row, Func<Difference, bool> applies) => new(row, false, applies);

    private static IntendedDifference Ends(string row, Func<Difference, bool> applies) => new(row, true, applies);

    private static bool Calls(Difference difference, string call) => difference.Step is { } step && Has(step.Text, call);

    private static bool Has(string line, string part) => line.Contains(part, StringComparison.Ordinal);

    private static bool Throws(string line) => Has(line, "throws ");

    private static bool AskedForText(Difference difference) =>
        difference.Earlier.Any(step => Has(step, "AllResultTypesAreUnknown") || Has(step, "UnknownResultTypeList"));

    // The lines of a schema are "column.Fact = value" or "Fact = value".
    private static string Name(string line) => FactName().Match(line).Groups[1].Value;

    private static string Value(string line) => line[(line.IndexOf(" = ", StringComparison.Ordinal) is var at and >= 0 ? at + 3 : 0)..];

    [GeneratedRegex(@"(\w+) = ")]
    private static partial Regex FactName();
}
