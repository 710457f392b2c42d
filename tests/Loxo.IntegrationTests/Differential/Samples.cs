using System.Collections;
using System.Data;
using System.Data.Common;
using System.Net;
using System.Net.NetworkInformation;
using System.Numerics;
using System.Text.Json;

namespace Loxo.IntegrationTests.Differential;

/// <summary>A value for a parameter, with types that fit it.</summary>
internal abstract record Sample(string Text, PgDbType Fitting, string TypeName, DbType DbType)
{
    public static IReadOnlyList<Sample> All { get; } =
    [
        Of("5", 5, PgDbType.Integer, "integer", DbType.Int32),
        Of("1", 1, PgDbType.Bigint, "int8", DbType.Int64),
        Of("-1", -1, PgDbType.Smallint, "smallint", DbType.Int16),
        Of("(short)2", (short)2, PgDbType.Smallint, "int2", DbType.Int16),
        Of("3L", 3L, PgDbType.Bigint, "bigint", DbType.Int64),
        Of("5_000_000_000L", 5_000_000_000L, PgDbType.Integer, "integer", DbType.Int32),
        Of("(byte)7", (byte)7, PgDbType.Smallint, "smallint", DbType.Byte),
        Of("(sbyte)-7", (sbyte)-7, PgDbType.Smallint, "smallint", DbType.SByte),
        Of("9u", 9u, PgDbType.Oid, "oid", DbType.UInt32),
        Of("9ul", 9ul, PgDbType.Xid8, "xid8", DbType.UInt64),
        Of("1.5f", 1.5f, PgDbType.Real, "real", DbType.Single),
        Of("2.25", 2.25, PgDbType.Double, "double precision", DbType.Double),
        Of("double.NaN", double.NaN, PgDbType.Double, "float8", DbType.Double),
        Of("12.34m", 12.34m, PgDbType.Numeric, "numeric", DbType.Decimal),
        Of("12.34m", 12.34m, PgDbType.Money, "money", DbType.Currency),
        Of("new BigInteger(77)", new BigInteger(77), PgDbType.Numeric, "numeric", DbType.VarNumeric),
        Of("true", true, PgDbType.Boolean, "boolean", DbType.Boolean),
        Of("\"abc\"", "abc", PgDbType.Text, "text", DbType.String),
        Of("\"\"", "", PgDbType.Varchar, "character varying", DbType.AnsiString),
        Of("\"7\"", "7", PgDbType.Unknown, "unknown", DbType.Object),
        Of("\"{\\\"a\\\": 1}\"", "{\"a\": 1}", PgDbType.Jsonb, "jsonb", DbType.Object),
        Of("\"{\\\"a\\\": 1}\"", "{\"a\": 1}", PgDbType.Json, "json", DbType.Object),
        Of("\"<a/>\"", "<a/>", PgDbType.Xml, "xml", DbType.Xml),
        Of("\"ok\"", "ok", PgDbType.Unknown, "mood", DbType.StringFixedLength),
        Of("'x'", 'x', PgDbType.Char, "character(1)", DbType.AnsiStringFixedLength),
        Of("\"xyz\".ToCharArray()", "xyz".ToCharArray(), PgDbType.Text, "text", DbType.String),
        Of("new byte[] { 1, 255 }", new byte[] { 1, 255 }, PgDbType.Bytea, "bytea", DbType.Binary),
        Of("new ReadOnlyMemory<byte>([1, 2])", new ReadOnlyMemory<byte>([1, 2]), PgDbType.Bytea, "bytea", DbType.Binary),
        Of("Guid.Parse(\"00112233-4455-6677-8899-aabbccddeeff\")", Guid.Parse("00112233-4455-6677-8899-aabbccddeeff"), PgDbType.Uuid, "uuid", DbType.Guid),
        Of("new DateTime(2024, 2, 29, 1, 2, 3, DateTimeKind.Utc)", new DateTime(2024, 2, 29, 1, 2, 3, DateTimeKind.Utc),
            PgDbType.TimestampTz, "timestamptz", DbType.DateTime),
        Of("new DateTime(2024, 2, 29, 1, 2, 3)", new DateTime(2024, 2, 29, 1, 2, 3), PgDbType.Timestamp, "timestamp without time zone", DbType.DateTime2),
        Of("new DateTime(2024, 2, 29)", new DateTime(2024, 2, 29), PgDbType.Date, "date", DbType.Date),
        Of("DateTime.MaxValue", DateTime.MaxValue, PgDbType.Timestamp, "timestamp", DbType.DateTime2),
        Of("new DateTimeOffset(2024, 2, 29, 1, 2, 3, TimeSpan.Zero)", new DateTimeOffset(2024, 2, 29, 1, 2, 3, TimeSpan.Zero),
            PgDbType.TimestampTz, "timestamp with time zone", DbType.DateTimeOffset),
        Of("new DateTimeOffset(2024, 2, 29, 1, 2, 3, TimeSpan.FromHours(2))", new DateTimeOffset(2024, 2, 29, 1, 2, 3, TimeSpan.FromHours(2)),
            PgDbType.TimeTz, "timetz", DbType.DateTimeOffset),
        Of("new DateOnly(2024, 2, 29)", new DateOnly(2024, 2, 29), PgDbType.Date, "date", DbType.Date),
        Of("DateOnly.MinValue", DateOnly.MinValue, PgDbType.Date, "date", DbType.Date),
        Of("new TimeOnly(1, 2, 3)", new TimeOnly(1, 2, 3), PgDbType.Time, "time", DbType.Time),
        Of("new TimeSpan(1, 2, 3)", new TimeSpan(1, 2, 3), PgDbType.Interval, "interval", DbType.Object),
        Of("new TimeSpan(1, 2, 3)", new TimeSpan(1, 2, 3), PgDbType.Time, "time", DbType.Time),
        Of("new int[] { 1, 2 }", new[] { 1, 2 }, PgDbType.Array | PgDbType.Integer, "integer[]", DbType.Object),
        Of("new int?[] { 1, null }", new int?[] { 1, null }, PgDbType.Array | PgDbType.Integer, "_int4", DbType.Object),
        Of("new int[,] { { 1, 2 }, { 3, 4 } }", new[,] { { 1, 2 }, { 3, 4 } }, PgDbType.Array | PgDbType.Integer, "int4[]", DbType.Object),
        Of("new List<long> { 1 }", new List<long> { 1 }, PgDbType.Array | PgDbType.Bigint, "bigint[]", DbType.Object),
        Of("new string[] { \"a\", null }", new[] { "a", null }, PgDbType.Array | PgDbType.Text, "text[]", DbType.Object),
        Of("new object[] { 1, \"a\" }", new object[] { 1, "a" }, PgDbType.Array | PgDbType.Text, "text[]", DbType.Object),
        Of("Array.Empty<decimal>()", Array.Empty<decimal>(), PgDbType.Array | PgDbType.Numeric, "numeric[]", DbType.Object),
        Of("IPAddress.Loopback", IPAddress.Loopback, PgDbType.Inet, "inet", DbType.Object),
        Of("IPNetwork.Parse(\"10.0.0.0/8\")", IPNetwork.Parse("10.0.0.0/8"), PgDbType.Cidr, "cidr", DbType.Object),
        Of("PhysicalAddress.Parse(\"08-00-2B-01-02-03\")", PhysicalAddress.Parse("08-00-2B-01-02-03"), PgDbType.MacAddr, "macaddr", DbType.Object),
        Of("new BitArray([true, false])", new BitArray([true, false]), PgDbType.Varbit, "bit varying", DbType.Object),
        Of("JsonDocument.Parse(\"[1]\")", JsonDocument.Parse("[1]"), PgDbType.Jsonb, "jsonb", DbType.Object),
        new Made("new NpgsqlRange<int>(1, 5)", driver => driver.Range(1, 5), PgDbType.IntegerRange, "int4range", DbType.Object),
        new Made("new NpgsqlInterval(1, 2, 3)", driver => driver.Interval(1, 2, 3), PgDbType.Interval, "interval", DbType.Object),
        Of("new Version(1, 2)", new Version(1, 2), PgDbType.Text, "text", DbType.Object),
        Of("DayOfWeek.Friday", DayOfWeek.Friday, PgDbType.Integer, "integer", DbType.Int32),
        Of("DBNull.Value", DBNull.Value, PgDbType.Integer, "integer", DbType.Int32),
        Of("DBNull.Value", DBNull.Value, PgDbType.Text, "text", DbType.String),
        Of<object?>("null", null, PgDbType.Text, "text", DbType.String),
    ];

    /// <summary>Values that fit an integer column.</summary>
    public static IReadOnlyList<Sample> Numbers { get; } = [.. All.Where(sample => sample.Text is "5" or "1" or "(short)2" or "3L" or "-1")];

    /// <summary>Values that fit a text column.</summary>
    public static IReadOnlyList<Sample> Texts { get; } = [.. All.Where(sample => sample.Text is "\"abc\"" or "\"\"" or "'x'")];

    public abstract object? Boxed(Driver driver);

    /// <summary>As a parameter of the generic class.</summary>
    public abstract DbParameter Generic(Driver driver);

    private static Sample<T> Of<T>(string text, T value, PgDbType type, string typeName, DbType dbType) => new(text, value, type, typeName, dbType);

    private sealed record Made(string Text, Func<Driver, object> Make, PgDbType Fitting, string TypeName, DbType DbType)
        : Sample(Text, Fitting, TypeName, DbType)
    {
        public override object Boxed(Driver driver) => Make(driver);

        public override DbParameter Generic(Driver driver) => driver.Parameter(Make(driver));
    }
}

/// <inheritdoc/>
internal sealed record Sample<T>(string Text, T Value, PgDbType Fitting, string TypeName, DbType DbType) : Sample(Text, Fitting, TypeName, DbType)
{
    public override object? Boxed(Driver driver) => Value;

    public override DbParameter Generic(Driver driver) => driver.Parameter(Value);
}
