using static Loxo.IntegrationTests.Differential.Rule;

namespace Loxo.IntegrationTests.Differential;

/// <summary>Intended differences of parameters.</summary>
internal static class IntendedParameterDifferences
{
    public static IReadOnlyList<IntendedDifference> All { get; } =
    [
        Same("`Parameters[index]` out of range", one => one is { Npgsql: "throws ArgumentOutOfRangeException", Loxo: "throws IndexOutOfRangeException" }
            && one.Calls(".Parameters")),
        Same("`NpgsqlDbType` and `DataTypeName`", one => one.Calls(".Parameters)") && one.Npgsql.Name() is "NpgsqlDbType" or "DataTypeName"
            && (one.Did("].DataTypeName") || one.Did("].NpgsqlDbType") || one.Did("].DbType") || one.Did("DbType.Object"))),
        Same("`DbType` after `NpgsqlDbType.Unknown`", one => one.Calls(".Parameters)") && one.Npgsql.Name() == "DbType"
            && one.Loxo == "DbType = DbType Object" && one.Did("].NpgsqlDbType = NpgsqlDbType.Unknown")),
        Ends("Output parameters of other commands", one => (one.Npgsql.Throws("NotSupportedException") && one.Did("ParameterName = \"\"") && one.Did("Output"))
            || (one.Calls(".Parameters)") && one.Npgsql.Name() == "Value" && one.Did("TableDirect") && one.Did("Output"))),
        Ends("An `InputOutput` parameter without a value", one => one.Npgsql.Throws("InvalidOperationException") && one.Says("DBNull.Value should be used")
            && one.Did("InputOutput")),
        Ends("NULL for an output `NpgsqlParameter<T>`", one => one.Npgsql.Throws("InvalidCastException") && !one.Loxo.Throws()
            && one.Says("' is null.") && one.Did("Output")),
        Ends("`NpgsqlParameter<DBNull>`", one => one.Says("Writing values of 'System.DBNull'")),
        Ends("An array of objects that do not fit", one => one.Npgsql.Throws("NotSupportedException") && one.Loxo.Throws("InvalidCastException")
            && one.Says("Writing values of '") && one.Did("new object[]")),
        Ends("Named and positional parameters together", one => one.Says("Mixing named and positional parameters")),
        Ends("An enum value for an integer", one => one.Says("Writing values of 'System.DayOfWeek'")),
        Ends("`DbType.SByte`, `UInt16`, `UInt32`, `UInt64`, `VarNumeric`", one => one.Says("The DbType '")),
        Ends("`Prepare` with a value that cannot be sent", one => one.Calls(".Prepare")
            && (one.Npgsql.Throws("InvalidCastException") || one.Npgsql.Throws("NotSupportedException") || one.Says("must have either its DbType"))),
        Ends("A prepared command with other parameters", one => one.ChangedAfterRun() && (one.Npgsql.Throws("PostgresException")
            || one.Loxo.Throws("PostgresException") || one.Loxo == "throws ArgumentException")),
        Ends("`NpgsqlParameter<T>.Value = DBNull.Value`", one => one.Loxo == "nothing"
            && one.Says("Unable to cast object of type 'System.DBNull'")),
        Ends("`NpgsqlParameter<T>` without type and value", one => one.Says("must have either its DbType") && one.Did("TypedValue = null")),
        Same("`NpgsqlParameter<T>` without type and value", one => one.Npgsql.EndsWith(" = null", StringComparison.Ordinal)
            && one.Loxo.EndsWith(" = DBNull", StringComparison.Ordinal) && one.Calls("Show(") && one.Did("TypedValue = null")),
        Ends("A number with a fraction, written as an integer", one => !one.Npgsql.Throws() && one.Loxo.Throws("InvalidCastException")
            && one.Says("cannot become a value of PostgreSQL type")),
        Ends("An output parameter that the text names", one => one.Says("is an out-only parameter")),
        Ends("A parameter that the text does not name", one => !one.Loxo.Throws("InvalidCastException")
            && ((one.Npgsql.Throws("InvalidCastException") && one.Says("Writing values of '"))
                || (one.Npgsql.Throws("NotSupportedException") && one.Says("Writing values of '"))
                || (one.Npgsql.Throws("InvalidOperationException") && (one.Says("DBNull.Value should be used") || one.Says("must have either its DbType"))
                    && !one.Loxo.Throws("InvalidOperationException"))
                || (one.Npgsql.Throws("PostgresException 08P01") && one.Says("bind message supplies") && !one.Loxo.Throws()))),
    ];
}
