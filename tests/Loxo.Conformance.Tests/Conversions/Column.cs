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
        new("xid8", "0", "1", "18446744073709551615"),
        new("cid", "0", "1", "4294967295"),
        new("tid", "(0,0)", "(0,1)", "(4294967295,65535)"),
        new("regclass", "0", "pg_class"),
        new("pg_lsn", "0/0", "0/1", "FFFFFFFF/FFFFFFFF"),
        new("pg_snapshot", "1:1:", "10:20:10,14,15"),
        new("oidvector", "", "0", "1 4294967295"),
        new("int2vector", "", "0", "1 -32768 32767"),
        new("jsonpath", "$", "$.a[*]"),
        new("xml", "", "<a>1</a>"),
        new("tsvector", "", "'a':1", "'fat':2A 'rat':3"),
        new("tsquery", "", "'a'", "'fat' & !'rat'"),
        new("cidr", "0.0.0.0/0", "10.0.0.0/8", "::1/128", "255.255.255.255/32"),
        new("macaddr", "00:00:00:00:00:00", "00:00:00:00:00:01", "ff:ff:ff:ff:ff:ff"),
        new("macaddr8", "00:00:00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff:ff:ff"),
        new("point", "(0,0)", "(1,-1)", "(NaN,Infinity)"),
        new("line", "{0,1,0}", "{1,2,3}"),
        new("lseg", "[(0,0),(0,0)]", "[(0,0),(1,1)]"),
        new("box", "(0,0),(0,0)", "(3,4),(1,2)"),
        new("path", "[(0,0)]", "((0,0),(1,1))"),
        new("polygon", "((0,0))", "((1,2),(3,4),(5,6))"),
        new("circle", "<(0,0),0>", "<(1,2),3>"),
        new("int8range", "empty", "[0,1)", "(,)"),
        new("numrange", "empty", "[0,1)", "(,)"),
        new("daterange", "empty", "[2000-01-01,2000-01-02)", "(,)"),
        new("tsrange", "empty", "[2000-01-01,2000-01-02)", "(,)"),
        new("tstzrange", "empty", "[2000-01-01 UTC,2000-01-02 UTC)", "(,)"),
        new("int4multirange", "{}", "{[0,1),[5,)}"),
        new("bool[]", "{}", "{t,f}"),
        new("int2[]", "{}", "{0,-32768,32767}"),
        new("int8[]", "{}", "{0,-9223372036854775808,9223372036854775807}"),
        new("float8[]", "{}", "{0,NaN,-Infinity}"),
        new("numeric[]", "{}", "{0,0.1,1e40}"),
        new("uuid[]", "{}", "{00000000-0000-0000-0000-000000000001}"),
        new("date[]", "{}", "{2000-01-01,infinity}"),
        new("timestamptz[]", "{}", "{2000-01-01 UTC,-infinity}"),
        new("bytea[]", "{}", "{NULL}", "{\"\\\\x00ff\"}"),
        new("int4range[]", "{}", "{\"[0,1)\",empty}"),
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
    public string Sql => $"SELECT {string.Join(", ", Values.Select(value => $"'{value.Replace("'", "''", StringComparison.Ordinal)}'").Prepend("NULL")
        .Select(value => $"CAST({value} AS {Type})"))}, 42";
}
