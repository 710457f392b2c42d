using static Loxo.IntegrationTests.Differential.Rule;

namespace Loxo.IntegrationTests.Differential;

/// <summary>Intended differences of readers: columns, values, position.</summary>
internal static class IntendedReaderDifferences
{
    public static IReadOnlyList<IntendedDifference> All { get; } =
    [
        Same("`GetSchemaTable`, `GetColumnSchema`", one => (one.Calls("GetSchemaTable") || one.Calls("GetColumnSchema"))
            && (SaysOther(one.Npgsql.Name(), one.Npgsql.Value(), one.Loxo.Value())
                || (one.Npgsql.Name() == "DataType" && one.Loxo.Value() == "String" && one.AskedForText()))),
        Ends("`GetSchemaTable`, `GetColumnSchema` of a closed reader", one => one.Loxo.Throws()
            && (one.Calls("GetSchemaTable") || one.Calls("GetColumnSchema"))),
        Same("`Depth` of a closed reader", one => one.Npgsql == "Depth = Int32 0"
            && one.Loxo is "Depth throws InvalidOperationException" or "Depth throws ObjectDisposedException"),
        Same("`GetDataTypeName`", one => one.Loxo == one.Npgsql.Replace("(10, 2)", "(10,2)", StringComparison.Ordinal)
            || (one.Npgsql.Has("integer[]") && one.Loxo.Has("public.positive[]"))),
        Same("`GetDataTypeName` of `\"char\"`", one => one.Loxo == one.Npgsql.Replace("String 'char'", "String '\"char\"'", StringComparison.Ordinal)
            || one.Loxo == one.Npgsql.Replace("char char =", "char \"char\" =", StringComparison.Ordinal)),
        Same("`GetFieldType` of an array", one => one.Npgsql.EndsWith("= Array", StringComparison.Ordinal) && one.Loxo.EndsWith("[]", StringComparison.Ordinal)),
        Same("`GetFieldType` of `bit` and `varbit`", one => one.Npgsql.EndsWith("= Object", StringComparison.Ordinal)
            && one.Loxo.EndsWith("= BitArray", StringComparison.Ordinal)),
        Same("`inet` as an object", one => one.Npgsql.EndsWith("= IPAddress", StringComparison.Ordinal)
            && one.Loxo.EndsWith("= Object", StringComparison.Ordinal)),
        Ends("A composite without a mapping", one => one.Npgsql.Throws("InvalidCastException") && one.Did("ROW(")
            && (one.Loxo.Has("Object[]") || one.Says("Reading as 'System.Object' is not supported"))),
        Same("A value read as a string or characters", one => one.Npgsql.Throws("InvalidCastException") && (one.Loxo.Has("= String") || one.Loxo.Has("= Char[]"))
            && (one.Says("Reading as 'System.String' is not supported") || one.Says("Reading as 'System.String[]' is not supported") || one.Says("Reading as 'System.IO.TextReader' is not supported")
                || one.Says("Reading as 'System.Char[]' is not supported") || one.Says("Converters.GetChars' is not supported"))),
        Same("NULL read as a nullable type", one => one.Npgsql.Throws("InvalidCastException") && one.Loxo == "= null"
            && one.Says("Reading as 'System.Nullable")),
        Ends("A longer text, read as `char`", one => (one.Npgsql.Has("= Char ") || one.Calls("Execute")) && one.Loxo.Throws("InvalidCastException")
            && one.Says("is not exactly one character")),
        Ends("A `numeric` with a fraction, read as an integer", one => !one.Npgsql.Throws() && one.Loxo.Throws("InvalidCastException")
            && one.Says("of type numeric cannot become")),
        Same("A column as text, read as another type", one => one.AskedForText() && one.Npgsql.Throws("InvalidCastException")
            && one.Says("is not supported for fields having DataTypeName 'text'")),
        Same("`IsKey`, `IsUnique` in a join", one => one.Calls("Schema") && one.Npgsql.Name() is "IsKey" or "IsUnique" && one.Did(" JOIN ")),
        Ends("A `numeric` that is NaN", one => one.Npgsql.Throws("InvalidCastException") && one.Did("'NaN'::numeric")
            && (one.Loxo.Throws("OverflowException") || one.Loxo is "= Single NaN" or "= Double NaN")),
        Same("`infinity` of a `timestamptz`", one => one.Npgsql.Has("= DateTime ")
            && one.Loxo == one.Npgsql.Replace(" Unspecified", "Z Utc", StringComparison.Ordinal)),
        Ends("`GetValues` without columns", one => one is { Npgsql: "throws InvalidOperationException", Loxo: "= Int32 0" } && one.Calls("GetValues")),
        Same("`HasRows` with `SchemaOnly`", one => one is { Npgsql: "HasRows = Boolean true", Loxo: "HasRows = Boolean false" }
            && one.ReaderIsOf("SchemaOnly")),
        Same("`SchemaOnly` with columns as text", one => one.Npgsql.EndsWith("= String", StringComparison.Ordinal) && one.AskedForText()
            && one.ReaderIsOf("SchemaOnly")),

        Ends("A reader at its end", one => (!one.WasReading || one.ReaderHasFailed || one.ReaderIsOfDataSource()) && one.Did("ExecuteReader")
            && (one.Npgsql == "throws PgOperationInProgressException" || one.Says("A command is already in progress")
                || one.Says("Connection is busy"))),
        Same("A reader at its end", one => !one.WasReading && one.Calls("Show(c") && one.Did("ExecuteReader")
            && one is { Npgsql: "FullState = ConnectionState Open, Executing" or "FullState = ConnectionState Open, Fetching", Loxo: "FullState = ConnectionState Open" }),
        Ends("A reader with `SchemaOnly`", one => one.WasReading && one.FormerReaderIsOf("SchemaOnly") && !one.Npgsql.Throws("PgOperation")
            && one.Loxo == "throws PgOperationInProgressException"),
        Ends("An old reader, after another command", one => one.UsesReader() && !one.WasReading && one.OthersRanSinceReader()
            && one.LoxoIsAtEnd()),
        Ends("`SingleRow`: columns behind the row", one => one.UsesReader() && one.ReaderIsOf("SingleRow")
            && ((one.Npgsql.Split(" = ")[0] is "RecordsAffected" or "FieldCount" && (one.Loxo.Has("FieldCount") || one.Loxo.Has("column ")))
                || (one.Npgsql.Throws("InvalidOperationException") && (one.Calls("GetOrdinal") || one.Says("No resultset is currently being traversed")))
                || (one.Calls("Schema") && one.Npgsql is "nothing" or "= null"))),
        Same("`SingleRow`: `RecordsAffected`", one => one.ReaderIsOf("SingleRow") && one.Npgsql.StartsWith("RecordsAffected = Int32 ", StringComparison.Ordinal)
            && one.Loxo == "RecordsAffected = Int32 -1"),
        Ends("`SingleRow`, `SingleResult`: later results", one => one.UsesReader() && one.ReaderIsOf("Single")
            && ((one.Calls("ReadAll") && one.Npgsql.StartsWith("column ", StringComparison.Ordinal))
                || (one.Calls("foreach") && one.Npgsql.Throws("PostgresException") && !one.Loxo.Throws())
                || (one.Calls("NextResult") && one.Npgsql == "= Boolean true")
                || (one.Calls("r.Read()") && one.Npgsql.Throws("PostgresException") && one.Loxo == "= Boolean false"))),
        Ends("A column read again with `SequentialAccess`", one => one.Says("With CommandBehavior.SequentialAccess, you may only read")
            && one.ReaderIsOf("SequentialAccess")),
        Ends("A reader of a lost connection", one => one.UsesReader() && one.Did("pg_terminate_backend")
            && one.Npgsql == "throws InvalidOperationException" && (one.Loxo.Throws("PostgresException 57P01") || one.Loxo.StartsWith("column ", StringComparison.Ordinal))),
        Ends("A reader of a lost connection", one => one.UsesReader() && one.Did("pg_terminate_backend") && one.Says("The reader is closed")
            && one.Npgsql.Throws("InvalidOperationException") && one.Loxo.Throws("IndexOutOfRangeException")),
        Ends("A reader of a lost connection", one => one.Calls("ExecuteReader") && one.ReaderIsOf("SingleRow") && one.Npgsql == "nothing"
            && one.Did("pg_terminate_backend") && one.Loxo.Throws("PostgresException 57P01")),
        Ends("A reader after an error", one => one.UsesReader() && one.ReaderHasFailed && one.LoxoIsAtEnd()),
        Ends("Closing a connection whose reader has an unread error", one => one.Npgsql.Throws("PostgresException")
            && (one.Step is null || one.ClosesUnderReader())),
    ];

    private static bool SaysOther(string fact, string npgsql, string loxo) => (fact, npgsql, loxo) is
        ("ColumnSize" or "NumericPrecision" or "NumericScale", "Int32 -1" or "Int32 0" or "null", _)
        or ("DataType" or "ProviderSpecificDataType", "DBNull" or "null", _)
        or ("IsReadOnly", "Boolean true", "null" or "DBNull")
        or ("IsExpression" or "IsLong", "Boolean false", "Boolean true")
        or ("IsAliased" or "IsUnique" or "IsKey" or "IsAutoIncrement" or "IsIdentity" or "IsExpression" or "IsLong", "Boolean false", "null" or "DBNull")
        or ("IsAliased" or "IsUnique" or "IsKey" or "IsAutoIncrement" or "IsIdentity" or "IsExpression" or "IsLong", "null", "Boolean false" or "DBNull");
}
