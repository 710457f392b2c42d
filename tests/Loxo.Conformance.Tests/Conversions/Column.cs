using Loxo.Conformance.Rules;

namespace Loxo.Conformance.Conversions;

/// <summary>A type of column, and expressions for its values: NULL, empty, zero, one, the least and the greatest, as far as it has them.</summary>
internal sealed record Column(string Type, params string[] Values)
{
    private static readonly Column[] _postgres =
    [
        new("bool", "false", "true"),
        new("int2", "0", "1", "-32768", "32767"),
        new("int4", "0", "1", "-2147483648", "2147483647"),
        new("int8", "0", "1", "-9223372036854775808", "9223372036854775807"),
        new("oid", "0", "1", "4294967295"),
        new("float4", "0", "1", "-3.4028235e38", "3.4028235e38", "NaN", "Infinity", "-Infinity"),
        new("float8", "0", "1", "-1.7976931348623157e308", "1.7976931348623157e308", "NaN", "Infinity"),
        new("numeric", "0", "1", "-79228162514264337593543950335", "79228162514264337593543950335", "1e40", "0.1", "NaN"),
        new("money", "0", "1", "-92233720368547758.08", "92233720368547758.07"),
        new("text", "", "0", "1", "häßlich 😀"),
        new("varchar", "", "0", "1", "häßlich 😀"),
        new("char(3)", "", "0", "1"),
        new("name", "", "0", "1"),
        new("\"char\"", "a"),
        new("bytea", "", "\\x00", "\\x01", "\\xff00ff"),
        new("uuid", "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
        new("date", "2000-01-01", "2000-01-02", "0001-01-01", "9999-12-31", "infinity", "-infinity", "4713-01-01 BC"),
        new("time", "00:00", "00:00:01", "23:59:59.999999"),
        new("timetz", "00:00+00", "00:00:01+01", "23:59:59.999999+00"),
        new("timestamp", "2000-01-01", "2000-01-01 00:00:01", "0001-01-01", "9999-12-31 23:59:59.999999", "infinity", "-infinity"),
        new("timestamptz", "2000-01-01 UTC", "2000-01-01 00:00:01 UTC", "0001-01-01 UTC", "9999-12-31 23:59:59.999999 UTC", "infinity"),
        new("interval", "0", "1 second", "1 month", "-178000000 years", "1 day"),
        new("json", "null", "0", "{}", "[1]"),
        new("jsonb", "null", "0", "{}", "[1]"),
        new("bit(1)", "0", "1"),
        new("varbit", "", "0", "1", "10110"),
        new("inet", "0.0.0.0", "::1", "255.255.255.255"),
        new("int4[]", "{}", "{0}", "{1}", "{-2147483648,2147483647}", "{{1,2},{3,4}}", "{NULL}"),
        new("text[]", "{}", "{\"\"}", "{0,1}"),
        new("int4range", "empty", "[0,1)", "(,)"),
        new("xid", "0", "1", "4294967295"),
    ];

    private static readonly Column[] _sqlite =
    [
        new("INTEGER", "0", "1", "-9223372036854775808", "9223372036854775807"),
        new("REAL", "0", "1", "-1.7976931348623157e308", "1.7976931348623157e308"),
        new("TEXT", "", "0", "1", "häßlich 😀"),
        new("BLOB", "", "0", "1"),
    ];

    public static IReadOnlyList<Column> Of(Driver driver) => driver == Driver.Sqlite ? _sqlite : _postgres;

    /// <summary>One row; a column for each value, NULL first, and a number behind them that can always be read.</summary>
    public string Sql => $"SELECT {string.Join(", ", Values.Select(value => $"'{value}'").Prepend("NULL")
        .Select(value => $"CAST({value} AS {Type})"))}, 42";
}
