using static Loxo.IntegrationTests.Differential.Rule;

namespace Loxo.IntegrationTests.Differential;

/// <summary>Intended differences of parameters.</summary>
internal static class IntendedParameterDifferences
{
    private static readonly string[] NotKnown =
        ["DbType = DbType.SByte", "DbType = DbType.UInt16", "DbType = DbType.UInt32", "DbType = DbType.UInt64", "DbType = DbType.VarNumeric"];

    private static readonly string[] JsonTypes = ["NpgsqlDbType 'Json'", "NpgsqlDbType 'Jsonb'", "DataTypeName 'json'", "DataTypeName 'jsonb'"];

    public static IReadOnlyList<IntendedDifference> All { get; } =
    [
        Same("`Parameters[index]` out of range", one => one is { Npgsql: "throws ArgumentOutOfRangeException", Loxo: "throws IndexOutOfRangeException" }
            && one.Calls(".Parameters")),
        Ends("Output parameters of other commands", one => (one.Npgsql.Throws("NotSupportedException") && one.Did("ParameterName = \"\"") && one.Did("Output"))
            || (one.Calls(".Parameters)") && one.Npgsql.Name() == "Value" && one.Did("TableDirect") && one.Did("Output"))
            || (!one.Npgsql.Throws() && one.Loxo == "throws InvalidCastException" && one.Calls(".Execute") && one.Did("TableDirect") && one.Did("Output"))),
        Ends("An `InputOutput` parameter without a value", one => one.Npgsql.Throws("InvalidOperationException") && one.Says("DBNull.Value should be used")
            && one.Did("InputOutput")),
        Ends("NULL for an output `NpgsqlParameter<T>`", one => one.Npgsql.Throws("InvalidCastException") && !one.Loxo.Throws()
            && one.Says("' is null.") && one.Did("Output")),
        Ends("`NpgsqlParameter<DBNull>`", one => one.Says("Writing values of 'System.DBNull'")),
        Ends("An array of objects that do not fit", one => one.Npgsql.Throws("NotSupportedException") && one.Loxo.Throws("InvalidCastException")
            && one.Says("Writing values of '") && one.Did("new object[]")),
        Ends("Two parameters that cannot be sent", one => one is { Npgsql: "throws InvalidOperationException", Loxo: "throws InvalidCastException" }
            && (one.Says("DBNull.Value should be used") || one.Says("must have either its DbType")) && one.Says("which stands for no PostgreSQL type")),
        Ends("Two parameters that cannot be sent", one => one.HasTwoParameters() && one.Says(" cannot be sent: ")
            && ((one is { Npgsql: "throws InvalidCastException", Loxo: "throws OverflowException" or "throws ArgumentException" } && one.Says("Writing values of '"))
                || (one is { Npgsql: "throws InvalidOperationException", Loxo: "throws InvalidCastException" or "throws OverflowException" or "throws ArgumentException" }
                    && (one.Says("DBNull.Value should be used") || one.Says("must have either its DbType"))))),
        Ends("Two parameters that cannot be sent", one => one.HasTwoParameters() && one.Says("Writing values of '") && one.Says(" has no value. Set Value")),
        Ends("A value for `json` or `jsonb`", one => one.Npgsql.Throws("InvalidCastException") && !one.Loxo.Throws("InvalidCastException")
            && JsonTypes.Any(type => one.Says($" is not supported for parameters having {type}."))),
        Ends("A value that cannot be sent, in a failed transaction", one => one.Loxo.Throws("PostgresException 25P02") && one.Calls(".Execute")
            && (one.Npgsql.Throws("ArgumentException") || one.Npgsql.Throws("InvalidCastException"))),
        Ends("A value that cannot be sent to a statement that is wrong, in a transaction", one => one.Loxo.Throws("PostgresException 42")
            && one.Calls(".Execute") && (one.Did("BeginTransaction") || one.Did("BEGIN"))
            && (one.Npgsql is "throws OverflowException" or "throws ArgumentException" || one.Says("Writing values of '"))),
        Ends("An unsigned number for an integer", one => one.Npgsql.Throws("InvalidCastException") && !one.Loxo.Throws("InvalidCastException")
            && one.Says("Writing values of 'System.UInt") && (one.Says("NpgsqlDbType 'Bigint'") || one.Says("NpgsqlDbType 'Integer'")
                || one.Says("NpgsqlDbType 'Smallint'") || one.Says("NpgsqlDbType 'Numeric'"))),
        Ends("Named and positional parameters together", one => one.Says("Mixing named and positional parameters")),
        Ends("A stored procedure with a positional parameter behind a named one", one => one.Npgsql == "throws ArgumentException"
            && one.Says("all positional parameters must come before named parameters") && one.Loxo.Throws("PostgresException 42")),
        Ends("An enum value for an integer", one => one.Says("Writing values of 'System.DayOfWeek'")),
        Ends("`DbType.SByte`, `UInt16`, `UInt32`, `UInt64`, `VarNumeric`", one => one.Says("The DbType '")),
        Same("`DbType.SByte`, `UInt16`, `UInt32`, `UInt64`, `VarNumeric`", one => one.Calls(".Parameters)")
            && one.Npgsql is "NpgsqlDbType = PgDbType Unknown" or "DataTypeName = null" && NotKnown.Any(one.Did)),
        Ends("`Prepare` with a value that cannot be sent", one => one.Calls(".Prepare")
            && (one.Npgsql.Throws("InvalidCastException") || one.Npgsql.Throws("NotSupportedException") || one.Says("must have either its DbType"))),
        Ends("A prepared command with other parameters", one => one.ChangedAfterRun() && one.IsToBePrepared() && (one.Npgsql.Throws("PostgresException")
            || one.Loxo.Throws("PostgresException") || one.Loxo == "throws ArgumentException"
            || (one.WasPrepared() && !one.Npgsql.Throws() && one.Loxo.Throws() && (one.Calls(".Execute") || one.Calls(".Prepare()")))
            || (one.Npgsql.StartsWith("column ", StringComparison.Ordinal) && one.Loxo.StartsWith("column ", StringComparison.Ordinal))
            || (one.WasPrepared() && one.Calls(".ExecuteScalar()") && one.Npgsql == "= Int32 -2147483647" && one.Loxo.StartsWith("= DateOnly ", StringComparison.Ordinal))
            || (one.Calls("GetSchemaTable") && one.Npgsql.Name() is "DataType" or "DataTypeName"))),
        Ends("`SchemaOnly`, `KeyInfo` with a value that cannot be sent", one => (one.Calls("SchemaOnly") || one.Calls("KeyInfo")) && one.Npgsql.Throws()
            && (one.Loxo.Throws("PostgresException 42") || (one.Loxo == "nothing" && one.Calls("SchemaOnly")))
            && (one.Npgsql is "throws ArgumentException" or "throws OverflowException" || one.Says("Writing values of '") || one.Says("DBNull.Value should be used") || one.Says("must have either its DbType"))),
        Ends("`NpgsqlParameter<T>.Value = null`, where `T` cannot be null", one => one is { Npgsql: "throws NullReferenceException", Loxo: "nothing" } && one.Calls("].Value = null;")),
        Ends("`NpgsqlParameter<T>.Value = DBNull.Value`", one => one.Loxo == "nothing"
            && one.Says("Unable to cast object of type 'System.DBNull'")),
        Ends("`NpgsqlParameter<T>` without type and value", one => one.Says("must have either its DbType") && one.Did("TypedValue = null")),
        Same("`NpgsqlParameter<T>` without type and value", one => one.Npgsql.EndsWith(" = null", StringComparison.Ordinal)
            && one.Loxo.EndsWith(" = DBNull", StringComparison.Ordinal) && one.Calls("Show(") && one.Did("TypedValue = null")),
        Ends("A number with a fraction, written as an integer", one => !one.Npgsql.Throws() && one.Loxo.Throws("InvalidCastException")
            && one.Says("cannot become a value of PostgreSQL type")),
        Ends("An output parameter that the text names", one => one.Says("is an out-only parameter")),
        Ends("A parameter that the text does not name", one => one.HasUnnamedParameter() && !one.Loxo.Throws("InvalidCastException")
            && ((one.Npgsql.Throws("InvalidCastException") && one.Says("Writing values of '"))
                || (one.Npgsql.Throws("NotSupportedException") && one.Says("Writing values of '"))
                || (one.Npgsql.Throws("InvalidOperationException") && (one.Says("DBNull.Value should be used") || one.Says("must have either its DbType"))
                    && !one.Loxo.Throws("InvalidOperationException"))
                || (one.Npgsql.Throws("PostgresException 08P01") && one.Says("bind message supplies") && !one.Loxo.Throws()))),
    ];
}
